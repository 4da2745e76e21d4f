internal import Bus
public import CivilTime
public import KithMessages
public import SwiftProtobuf

/// For whom, when and in which language a page is shown.
///
/// ```swift
/// let view = PageView(language: .english, zone: zone, now: now, device: "hanako", role: .recorder, forms: forms)
/// view[.today]              // "Today"
/// view.time(of: record.occurredAt)  // "8:10"
/// ```
public struct PageView: Sendable {
  /// What forms show of themselves, so that a page of another site cannot send one, and so that one sent twice acts once.
  public struct Forms: Sendable {
    /// The code against forgery.
    public let code: String
    /// Makes a random id.
    public let makeID: @Sendable () -> String

    /// Makes them.
    public init(code: String, makeID: @escaping @Sendable () -> String) {
      self.code = code
      self.makeID = makeID
    }
  }

  /// The language.
  public let language: PageLanguage
  /// The household's time zone.
  public let zone: Zone
  /// Nanoseconds since 1970.
  public let now: Int64
  /// The name of the device.
  public let device: String
  /// What the device may do.
  public let role: Role
  /// For its forms.
  public let forms: Forms

  /// Makes a view.
  public init(language: PageLanguage, zone: Zone, now: Int64, device: String, role: Role, forms: Forms) {
    self.language = language
    self.zone = zone
    self.now = now
    self.device = device
    self.role = role
    self.forms = forms
  }

  /// A text in the language.
  public subscript(text: Text) -> String { text(self.language) }

  /// A text in the language, with values.
  public subscript(text: Text, values: KeyValuePairs<String, String>) -> String { text(self.language, values) }

  /// Whether the device may record.
  public var canRecord: Bool { self.role.covers(.recorder) }

  /// The household's day.
  public var today: Day { self.zone.day(at: self.now) }

  // MARK: - Days and times

  /// The time of a day, such as `8:10`, in a machine-readable element.
  public func time(of stamp: Google_Protobuf_Timestamp) -> HTML {
    let local = self.zone.local(at: stamp.nanosecondsSince1970)
    return "<time datetime=\"\(local.day.description)T\(local.time.description)\">\(local.time.description)</time>"
  }

  /// The day and time, short where the day is near: `today 8:10`.
  public func dayAndTime(of stamp: Google_Protobuf_Timestamp) -> HTML {
    let local = self.zone.local(at: stamp.nanosecondsSince1970)
    return """
      <time datetime="\(local.day.description)T\(local.time.description)">\(self.name(of: local.day)) \
      \(local.time.description)</time>
      """
  }

  /// The name of a day: `today`, `yesterday`, or the date with its weekday.
  public func name(of day: Day) -> String {
    switch day.number - self.today.number {
    case 0: return self[.today]
    case -1: return self[.yesterday]
    case 1: return self[.tomorrow]
    default: return self.date(day)
    }
  }

  /// The date with its weekday: `Tue, 24 Nov 2026`, `2026年11月24日（火）`. The year is left out of this year's days.
  public func date(_ day: Day) -> String {
    let (year, month, number) = day.components
    let hasYear = year != self.today.components.year
    switch self.language {
    case .english:
      let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][day.weekday]
      let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
      return "\(weekday), \(number) \(names[month - 1])" + (hasYear ? " \(year)" : "")
    case .japanese:
      let weekday = ["月", "火", "水", "木", "金", "土", "日"][day.weekday]
      return (hasYear ? "\(year)年" : "") + "\(month)月\(number)日（\(weekday)）"
    }
  }

  /// A time as a field of type `datetime-local` takes it.
  public func localValue(of stamp: Google_Protobuf_Timestamp) -> String {
    let local = self.zone.local(at: stamp.nanosecondsSince1970)
    let hour = local.time.hour < 10 ? "0\(local.time.hour)" : "\(local.time.hour)"
    let minute = local.time.minute < 10 ? "0\(local.time.minute)" : "\(local.time.minute)"
    return "\(local.day.description)T\(hour):\(minute)"
  }
}

extension Role {
  /// What it allows, in words.
  var name: Text {
    switch self {
    case .viewer: Text("read", "閲覧")
    case .recorder: Text("read and record", "閲覧と記録")
    default: Text("do everything", "すべての操作")
    }
  }
}

extension Text {
  static let today = Text("today", "今日")
  static let yesterday = Text("yesterday", "昨日")
  static let tomorrow = Text("tomorrow", "明日")
}
