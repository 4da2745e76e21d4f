internal import Bus
internal import Foundation
internal import KithMessages
internal import SwiftProtobuf

/// The doors that announced themselves. A pure value: time is passed in.
struct Doors: Sendable {
  /// The most doors; the one that was not heard for longest leaves first.
  static let limit = 8
  private static let longest = (url: 255, version: 64, fault: 500)

  private var doors: [String: Door] = [:]

  /// All doors by address, also those that are away.
  var all: [Door] { self.doors.values.sorted { $0.url < $1.url } }

  /// The door that was heard last; nil if none was.
  var newest: Door? { self.byTime.last }

  private var byTime: [Door] {
    self.doors.values.sorted { $0.lastSeen.nanosecondsSince1970 < $1.lastSeen.nanosecondsSince1970 }
  }

  /// Notes what a door announces about itself, in place of what it said before at the same address.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  mutating func note(_ announced: Door, now: Int64) throws(Failure) {
    var door = announced
    guard let url = Self.address(announced.url) else {
      throw .invalid(field: "url", "has to be an address such as https://kith.home.arpa:8443, without a path.")
    }
    guard ["certificate", "own-ca", "proxy", "none"].contains(door.tls) else {
      throw .invalid(field: "tls", "has to be certificate, own-ca, proxy or none.")
    }
    guard door.version.count <= Self.longest.version else {
      throw .invalid(field: "version", "may have at most \(Self.longest.version) characters.")
    }
    guard door.fault.count <= Self.longest.fault else {
      throw .invalid(field: "fault", "may have at most \(Self.longest.fault) characters.")
    }
    door.url = url
    door.lastSeen = .init(nanosecondsSince1970: now)
    self.doors[url] = door
    if self.doors.count > Self.limit, let oldest = self.byTime.first { self.doors[oldest.url] = nil }
  }

  /// An address that people and devices may open: http or https, a host and perhaps a port, without its last slash; nil for other text.
  static func address(_ text: String) -> String? {
    guard text.utf8.count <= Self.longest.url,
      let parts = URLComponents(string: text, encodingInvalidCharacters: false), let scheme = parts.scheme,
      ["https", "http"].contains(scheme), let host = parts.host, !host.isEmpty, parts.user == nil,
      parts.password == nil, ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil
    else { return nil }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }
}
