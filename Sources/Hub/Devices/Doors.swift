internal import Bus
internal import Foundation
internal import KithMessages
internal import SwiftProtobuf

/// The doors that announced themselves, by user or key and address. A pure value: time is passed in.
struct Doors: Sendable {
  private struct Place: Sendable, Hashable {
    let principal: String
    let url: String
  }

  private struct Heard: Sendable {
    var door: Door
    /// Nanoseconds since 1970, like `last`.
    let first: Int64
    var last: Int64
  }

  /// The most doors; the one that was not heard for longest leaves first.
  static let limit = 8
  private static let longest = (url: 255, version: 64, fault: 500)

  /// How long a door is not heard until it is away: three announcements, in nanoseconds.
  private static let away: Int64 = 90 * 1_000_000_000

  private var doors: [Place: Heard] = [:]

  /// All doors by address, also those that are away.
  var all: [Door] { self.doors.values.map(\.door).sorted { $0.url < $1.url } }

  /// The door that was heard last; nil if none was.
  var newest: Door? { self.doors.values.max { $0.last < $1.last }?.door }

  /// Notes what a door announces about itself, in place of what it said before at the same address, and forgets the earlier addresses of
  /// a door that has moved.
  ///
  /// - Parameters:
  ///   - principal: The user or key of the door.
  ///   - now: Nanoseconds since 1970.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  mutating func note(_ announced: Door, from principal: Principal, now: Int64) throws(Failure) {
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
    let place = Place(principal: principal.name, url: url)
    self.doors[place] = Heard(door: door, first: self.doors[place]?.first ?? now, last: now)
    self.forgetMoved(from: principal.name, now: now)
    if self.doors.count > Self.limit, let oldest = self.doors.min(by: { $0.value.last < $1.value.last }) {
      self.doors[oldest.key] = nil
    }
  }

  /// Forgets each address that fell silent before its user or key announced a new one. One that fell silent beside another door of the
  /// same user stays: that door has failed.
  private mutating func forgetMoved(from principal: String, now: Int64) {
    let newest = self.doors.filter { $0.key.principal == principal }.map(\.value.first).max() ?? now
    self.doors = self.doors.filter { place, heard in
      place.principal != principal || heard.last >= newest || heard.last + Self.away > now
    }
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
