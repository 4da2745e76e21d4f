internal import CivilTime
internal import SwiftProtobuf

/// Times in the formats that the server writes and reads.
///
/// It writes `2024-05-01T10:00:00Z`, sometimes with microseconds, and an installation may use another form of ISO 8601.
/// Requests always use UTC, because the server silently drops an offset.
enum ServerTime {
  /// Parses a date with an optional time of day, fraction and offset.
  static func stamp(_ text: String) -> Google_Protobuf_Timestamp? {
    guard text.utf8.count >= 10, let date = Day(text.prefix(10)) else { return nil }
    var stamp = Google_Protobuf_Timestamp(seconds: Int64(date.number * Day.seconds))
    var rest = text.dropFirst(10).utf8[...]
    if rest.isEmpty { return stamp }
    guard let separator = rest.popFirst(), "Tt ".utf8.contains(separator), let hour = Self.two(&rest), hour < 24,
      Self.take(":", &rest), let minute = Self.two(&rest), minute < 60
    else { return nil }
    stamp.seconds += hour * 3600 + minute * 60
    if Self.take(":", &rest) {
      guard let second = Self.two(&rest), second < 61 else { return nil }
      stamp.seconds += second
      if Self.take(".", &rest) || Self.take(",", &rest) {
        let fraction = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[fraction.endIndex...]
        stamp.nanos = Int32(String((Substring(fraction) + "000000000").prefix(9))) ?? 0
      }
    }
    _ = Self.take(" ", &rest)
    switch rest.first {
    case nil: return stamp
    case UInt8(ascii: "Z"), UInt8(ascii: "z"): return rest.count == 1 ? stamp : nil
    case UInt8(ascii: "U"): return rest.elementsEqual("UTC".utf8) ? stamp : nil
    case let sign? where sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"):
      rest.removeFirst()
      guard let hours = Self.two(&rest) else { return nil }
      _ = Self.take(":", &rest)
      guard let minutes = Self.two(&rest), rest.isEmpty else { return nil }
      stamp.seconds += (sign == UInt8(ascii: "-") ? 1 : -1) * (hours * 3600 + minutes * 60)
      return stamp
    default: return nil
    }
  }

  /// Consumes two digits.
  private static func two(_ text: inout Substring.UTF8View) -> Int64? {
    let digits = text.prefix(2)
    guard digits.count == 2, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    text.removeFirst(2)
    return digits.reduce(0) { $0 * 10 + Int64($1 & 15) }
  }

  /// Consumes a character if it is the next one.
  private static func take(_ character: Character, _ text: inout Substring.UTF8View) -> Bool {
    guard text.first == character.asciiValue else { return false }
    text.removeFirst()
    return true
  }

  /// A time as the server reads it: UTC, whole seconds.
  static func text(_ stamp: Google_Protobuf_Timestamp) -> String { "\(Self.day(stamp))T\(Self.clock(stamp))Z" }

  /// The day of a time in UTC, `YYYY-MM-DD`.
  static func day(_ stamp: Google_Protobuf_Timestamp) -> String { Day(number: Self.split(stamp).day).description }

  /// The time of day of a time in UTC, `HH:MM:SS`.
  static func clock(_ stamp: Google_Protobuf_Timestamp) -> String {
    let second = Self.split(stamp).second
    return [second / 3600, second / 60 % 60, second % 60].map { $0.padded() }.joined(separator: ":")
  }

  private static func split(_ stamp: Google_Protobuf_Timestamp) -> (day: Int, second: Int) {
    let (day, second) = Int(stamp.seconds).dividedDown(by: Day.seconds)
    return (day, second)
  }

  /// Seconds since 1970 of a `Date` header: `Sun, 06 Nov 1994 08:49:37 GMT`. RFC 9110 section 5.6.7.
  static func seconds(httpDate text: String) -> Int64? {
    let parts = text.split(separator: " ")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]),
      let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
      let date = Day(year: year, month: month + 1, day: day)
    else { return nil }
    return Self.stamp("\(date)T\(parts[4])Z")?.seconds
  }
}
