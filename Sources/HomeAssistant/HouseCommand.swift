internal import Digest
internal import FoundationEssentials
internal import KithMessages

/// What somebody at Home Assistant asks for.
enum HouseCommand: Sendable, Hashable {
  /// Record care of a category, with a memo or an empty one.
  case record(CareCategory, memo: String)
  /// Record that an item of the care plan was given, by its key.
  case give(String)
  /// Take back what was recorded last from here.
  case undo
  /// Turn the daily reminder on or off.
  case daily(Bool)
  /// Mark the reminders that are due as done.
  case done
  /// Remind again later.
  case snooze
  /// Skip what the reminders of the care plan name.
  case skip

  /// What is written behind the topic of commands.
  private static let (careWord, planWord, memoName) = ("care/", "plan/", "memo")

  /// Reads a message; nil if it is none of these.
  init?(name: String, _ press: Press) {
    switch (name, press.text) {
    case (Self.memoName, let memo) where !memo.allSatisfy(\.isWhitespace): self = .record(.freeMemo, memo: memo)
    case ("undo", _): self = .undo
    case ("daily", "ON"): self = .daily(true)
    case ("daily", "OFF"): self = .daily(false)
    case ("done", _): self = .done
    case ("snooze", _): self = .snooze
    case ("skip", _): self = .skip
    case _ where name.hasPrefix(Self.planWord): self = .give(String(name.dropFirst(Self.planWord.count)))
    case _ where name.hasPrefix(Self.careWord):
      guard let category = CareCategory(rawValue: String(name.dropFirst(Self.careWord.count))) else { return nil }
      self = .record(category, memo: "")
    default: return nil
    }
  }

  /// Whether "undo" right after it is about it, and so about nothing that was recorded before.
  var isNewest: Bool {
    switch self {
    case .record, .give, .done, .snooze, .skip: true
    case .undo, .daily: false
    }
  }

  /// Whether it is about the reminders that are due.
  var isAboutReminders: Bool { [.done, .snooze, .skip].contains(self) }

  /// Whether it answers a reminder.
  func answers(_ reminder: DueReminder) -> Bool { self == .skip ? reminder.isOfPlan : self.isAboutReminders }

  /// The name of the command that records a category.
  static func name(of category: CareCategory) -> String { Self.careWord + category.rawValue }
  /// The name of the command that records an item of the plan.
  static func name(ofItem key: String) -> String { Self.planWord + key }
  /// The name of the command that records a memo.
  static var nameOfMemo: String { Self.memoName }
}

/// The payload of a command: when it was pressed, as Home Assistant writes it by ``template``, and a text.
///
/// MQTT tells no press from the same press delivered again, so each one says when it was. A client that sends a plain text can do so
/// too; then only its arrival tells.
struct Press: Sendable, Hashable {
  /// When it was pressed, as the sender writes it; nil = not told.
  let time: String?
  /// The text; empty for a button.
  let text: String

  /// What Home Assistant renders when a button is pressed, or a text is entered.
  static let (template, textTemplate) = (
    "{{ {'at': now().isoformat()} | tojson }}", "{{ {'at': now().isoformat(), 'text': value} | tojson }}"
  )

  private struct Payload: Decodable {
    var at: String?
    var text: String?
  }

  /// Reads a payload; nil if it is empty, no UTF-8, or longer than what Home Assistant sends. Who removes a retained message sends an
  /// empty one.
  init?(_ payload: [UInt8]) {
    guard (1...8192).contains(payload.count), let plain = String(validating: payload, as: UTF8.self) else { return nil }
    if let read = try? JSONDecoder().decode(Payload.self, from: Data(payload)), read.at != nil || read.text != nil {
      (self.time, self.text) = (read.at, read.text ?? "")
    } else {
      (self.time, self.text) = (nil, plain)
    }
  }

  /// The idempotency key of the command: the same for a press that is delivered again.
  ///
  /// - Parameter arrival: Tells presses apart that do not say when they were.
  func key(_ name: String, arrival: String) -> String {
    let told = "\(name)\u{0}\(self.time ?? arrival)\u{0}\(self.text)"
    return "homeassistant-" + Hex.encode(SHA256.digest(Array(told.utf8)).prefix(16))
  }
}

/// Takes two presses of one button within two seconds as one, which is what people mean by them, and each press once, however often it is
/// delivered. Of an item of the care plan two presses within a minute are one: nobody gives the same medicine twice in a minute.
struct PressFilter: Sendable {
  /// How close presses are that are one.
  static func together(_ name: String) -> Duration {
    name.hasPrefix(HouseCommand.name(ofItem: "")) ? .seconds(60) : .seconds(2)
  }
  /// How many presses are known again.
  private static let kept = 256

  private var known: [String] = []
  private var taken: [String: (press: Press, at: ContinuousClock.Instant)] = [:]

  /// Whether a press counts. One that was refused does not prolong the wait.
  mutating func take(_ name: String, _ press: Press, at now: ContinuousClock.Instant) -> Bool {
    if let last = self.taken[name], last.press.text == press.text, now - last.at < Self.together(name) { return false }
    if let time = press.time {
      let told = "\(name)\u{0}\(time)\u{0}\(press.text)"
      guard !self.known.contains(told) else { return false }
      self.known = (self.known + [told]).suffix(Self.kept)
    }
    self.taken[name] = (press, now)
    return true
  }

  /// Lets the next press count at once, because the last one was not carried out.
  mutating func release(_ name: String) { self.taken[name] = nil }
}

/// A reminder that was due when a button was pressed.
struct DueReminder: Sendable, Hashable {
  let id: String
  /// Of the care plan.
  let isOfPlan: Bool

  init(_ reminder: Reminder) { (self.id, self.isOfPlan) = (reminder.id, reminder.knownKind == .plan) }
}
