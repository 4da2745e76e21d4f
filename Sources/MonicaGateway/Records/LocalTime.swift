internal import Bus
internal import Foundation
internal import KithMessages
internal import SwiftProtobuf

/// The clock on the wall of a time zone.
struct LocalTime: Sendable {
  private let zone: TimeZone

  /// Finds a time zone.
  ///
  /// - Parameter name: Of the IANA database: "Asia/Tokyo"; empty = that of the hub.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  init(zone name: String) throws(Failure) {
    guard !name.isEmpty else {
      self.zone = .current
      return
    }
    // Abbreviations and offsets are also known to Foundation, and mean different places to different people.
    let isName = name.contains("/") || (name.allSatisfy(\.isLetter) && TimeZone.abbreviationDictionary[name] == nil)
    guard isName || ["UTC", "GMT"].contains(name), let zone = TimeZone(identifier: name) else {
      throw .invalid(field: "time_zone", "'\(name.prefix(64))' is no time zone. Give a name such as Asia/Tokyo.")
    }
    self.zone = zone
  }

  /// Its name.
  var name: String { self.zone.identifier }

  /// The day and the minutes since its midnight.
  ///
  /// - Parameter nanoseconds: Since 1970.
  func read(_ nanoseconds: Int64) -> (day: CalendarDay, minute: Int) {
    let seconds = Self.floor(nanoseconds, by: 1_000_000_000)
    let offset = self.zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    let local = seconds + Int64(offset)
    let days = Self.floor(local, by: 86_400)
    return (CalendarDay(daysSince1970: Int(days)), Int(local - days * 86_400) / 60)
  }

  /// The day.
  func day(_ nanoseconds: Int64) -> CalendarDay { self.read(nanoseconds).day }

  private static func floor(_ number: Int64, by divisor: Int64) -> Int64 {
    let quotient = number / divisor
    return number % divisor < 0 ? quotient - 1 : quotient
  }
}
