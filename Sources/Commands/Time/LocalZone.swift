internal import Foundation
internal import SwiftProtobuf

/// A time zone: what the clocks on the wall show.
struct LocalZone: Sendable {
  private let zone: TimeZone

  /// The zone of this machine.
  static let current = LocalZone(zone: .current)

  /// The zone of an IANA name.
  init?(named name: String) {
    guard let zone = TimeZone(identifier: name) else { return nil }
    self.zone = zone
  }

  private init(zone: TimeZone) { self.zone = zone }

  /// Its IANA name.
  var name: String { self.zone.identifier }

  /// What clocks are ahead of UTC, in seconds.
  func offset(at seconds: Int64) -> Int64 {
    Int64(self.zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
  }

  /// The moments at which clocks show a time: none when they are put forward over it, two when they are put back.
  ///
  /// - Parameter wall: Seconds of that time, were it UTC.
  func moments(of wall: Int64) -> [Int64] {
    // Clocks change at most once in two days.
    Set([self.offset(at: wall - 86_400), self.offset(at: wall + 86_400)])
      .map { wall - $0 }.filter { $0 + self.offset(at: $0) == wall }.sorted()
  }

  /// The first moment of a day.
  func start(of day: CivilDay) -> Google_Protobuf_Timestamp {
    let midnight = Int64(day.number) * 86_400
    // Where midnight is skipped the day begins when the clocks change.
    return .init(seconds: self.moments(of: midnight).first ?? midnight - self.offset(at: midnight - 86_400))
  }

  /// The day of a moment.
  func day(of time: Google_Protobuf_Timestamp) -> CivilDay {
    CivilDay(number: Int((time.seconds + self.offset(at: time.seconds)).dividedDown(by: 86_400).quotient))
  }

  /// `2026-11-21 08:15`.
  func text(_ time: Google_Protobuf_Timestamp) -> String {
    let minute = (time.seconds + self.offset(at: time.seconds)).dividedDown(by: 86_400).remainder / 60
    return "\(self.day(of: time).text) \(Digits.padded(Int(minute / 60))):\(Digits.padded(Int(minute % 60)))"
  }

  /// The form of RFC 3339 with the offset of the zone: `2026-11-21T08:15:00+01:00`.
  func stamp(_ seconds: Int64) -> String {
    let offset = self.offset(at: seconds)
    let time = (seconds + offset).dividedDown(by: 86_400).remainder
    let clock = [time / 3600, time / 60 % 60, time % 60].map { Digits.padded(Int($0)) }.joined(separator: ":")
    let ahead = Int(abs(offset) / 60)
    return "\(self.day(of: .init(seconds: seconds)).text)T\(clock)\(offset < 0 ? "-" : "+")"
      + "\(Digits.padded(ahead / 60)):\(Digits.padded(ahead % 60))"
  }
}
