public import Bus
public import CivilTime
internal import FailureWords
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
    let date = self.date(year: year == self.today.components.year ? nil : year, month: month, day: number)
    switch self.language {
    case .english: return "\(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][day.weekday]), \(date)"
    case .japanese: return "\(date)（\(["月", "火", "水", "木", "金", "土", "日"][day.weekday])）"
    }
  }

  /// A date without its weekday: `24 Nov 2026`, `11月24日`.
  ///
  /// - Parameters:
  ///   - year: nil = it is left out.
  ///   - month: 1 to 12.
  ///   - day: Of the month.
  public func date(year: Int?, month: Int, day: Int) -> String {
    switch self.language {
    case .english:
      let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
      return "\(day) \(names[month - 1])" + (year.map { " \($0)" } ?? "")
    case .japanese: return (year.map { "\($0)年" } ?? "") + "\(month)月\(day)日"
    }
  }

  /// How far a day is from today: `yesterday`, `3 days ago`, `in 2 months`, `5 years ago`.
  public func distance(to day: Day) -> String {
    let days = abs(day.number - self.today.number)
    guard days > 1 else { return self.name(of: day) }
    let (count, unit): (Int, Text) =
      switch days {
      case ..<14: (days, Text("{count} days", "{count}日"))
      case ..<60: (days / 7, Text("{count} weeks", "{count}週間"))
      case ..<730: (days / 30, Text("{count} months", "{count}か月"))
      default: (days / 365, Text("{count} years", "{count}年"))
      }
    let direction = day < self.today ? Text("{span} ago", "{span}前") : Text("in {span}", "{span}後")
    return self[direction, ["span": self[unit, ["count": "\(count)"]]]]
  }

  /// A day with how far it is from today: `Fri, 20 Nov (4 days ago)`.
  public func dated(_ day: Day) -> HTML {
    let name = self.name(of: day)
    let distance = self.distance(to: day)
    return "<time datetime=\"\(day.description)\">\(name)\(name == distance ? "" : " (\(distance))")</time>"
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

extension Failure {
  /// The failure with its message in a language. Code, reason and details are for programs, and stay.
  public func read(in language: PageLanguage) -> Failure { language == .japanese ? self.inJapanese : self }
}

extension PageView {
  /// Why something failed, in the language.
  func words(of status: Status) -> String { Failure(status: status).read(in: self.language).message }
}
