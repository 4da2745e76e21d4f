internal import Bus
internal import CivilTime
internal import SwiftProtobuf

extension Zone {
  /// The day of a moment.
  func day(of time: Google_Protobuf_Timestamp) -> Day { self.day(at: time.nanosecondsSince1970) }

  /// `2026-11-21 08:15`.
  func text(_ time: Google_Protobuf_Timestamp) -> String {
    let local = self.local(at: time.nanosecondsSince1970)
    return "\(local.day) \(local.time)"
  }

  /// The form of RFC 3339 with the offset of the zone: `2026-11-21T08:15:00+01:00`.
  ///
  /// - Parameter instant: Nanoseconds since 1970.
  func stamp(_ instant: Int64) -> String {
    let local = self.local(at: instant)
    let second = Int(instant).dividedDown(by: 60_000_000_000).remainder / 1_000_000_000
    let offset = self.offset(at: instant)
    let ahead = abs(offset) / 60
    return "\(local.day)T\(local.time):\(second.padded())\(offset < 0 ? "-" : "+")"
      + "\((ahead / 60).padded()):\((ahead % 60).padded())"
  }
}
