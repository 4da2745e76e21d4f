/// A minute of a day, as wall clocks show it.
public struct TimeOfDay: Sendable, Hashable, Comparable {
  /// 0-23.
  public let hour: Int
  /// 0-59.
  public let minute: Int

  /// Makes a time; nil outside 00:00-23:59.
  public init?(hour: Int, minute: Int) {
    guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
    self.hour = hour
    self.minute = minute
  }

  /// Parses `HH:MM` or `H:MM`; nil for any other text.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }), let hour = Int(parts[0]),
      let minute = Int(parts[1])
    else { return nil }
    self.init(hour: hour, minute: minute)
  }

  /// The first minute of a day.
  public static let midnight = TimeOfDay(secondOfDay: 0)

  init(secondOfDay: Int) {
    self.hour = secondOfDay / 3600
    self.minute = secondOfDay / 60 % 60
  }

  var secondOfDay: Int { self.hour * 3600 + self.minute * 60 }

  /// By time.
  public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool { left.secondOfDay < right.secondOfDay }
}

extension TimeOfDay: CustomStringConvertible {
  /// `HH:MM`.
  public var description: String { "\(self.hour.padded()):\(self.minute.padded())" }
}
