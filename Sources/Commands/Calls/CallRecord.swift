internal import ArgumentParser
internal import KithMessages

extension Call: OwnedRecord, ShownRecord, RestorableRecord {
  typealias Creation = LogCallRequest
  typealias Change = UpdateCallRequest
  typealias Deletion = DeleteCallRequest
  typealias Lookup = GetCallRequest
  typealias Restoration = RestoreCallRequest

  static let noun = Noun(
    command: "call", singular: "call", plural: "calls", creation: "log", newExample: "ann --duration 25",
    changeExample: "--emotion happy")
  static let headings: [Column] = [
    Column("WHEN"), Column("AT", drops: 1), Column("TOOK", .right, drops: 4), Column("FELT", drops: 3),
    Column("NOTE", wraps: true),
    Column("TAGS", drops: 2),
  ]

  var knownNames: [String: String] { self.personName.isEmpty ? [:] : [self.personID: self.personName] }

  func headline(_ names: PersonNames) -> String { "Call with \(names[self.personID])" }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let attachments = self.attachments.enumerated().map { index, blob in
      ("Attachment \(index + 1)", "\(blob.mediaType), \(Count.bytes(blob.size))")
    }
    return [
      ("When", session.moment(self.calledAt)), ("Took", self.isRunning ? "still running" : self.duration),
      ("Called by", self.theyCalled ? names[self.personID] : "you"), ("Felt", Emotion.words(self.emotion)),
      ("Tags", self.tags.joined(separator: ", ")),
    ] + attachments
  }

  func prose(_ names: PersonNames, _ session: Session) -> [String] { Printable.lines(self.note) }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    [
      session.ago(self.calledAt), session.zone.text(self.calledAt), self.isRunning ? "running" : self.duration,
      Emotion.face(self.emotion),
      self.note, self.tags.joined(separator: ", "),
    ]
  }

  /// `25 minutes`; empty if it was not recorded.
  var duration: String { self.durationMinutes == 0 ? "" : Count.of(Int(self.durationMinutes), "minute") }

  /// The call in a few words, without the person.
  var summary: String {
    [Emotion.face(self.emotion), self.duration, self.note].filter { !$0.isEmpty }.joined(separator: " ")
  }
}

/// How a call felt.
enum Emotion: String, ExpressibleByArgument, Worded, Sendable {
  case happy, neutral, sad, frustrated, excited
  /// Clears an earlier emotion.
  case unset = "none"

  static let help: ArgumentHelp = "How it felt."

  /// Japanese and faces are taken too.
  init?(argument: String) {
    let face = Self.allCases.first { $0 != .unset && Self.face($0.rawValue) == argument }
    self.init(rawValue: face?.rawValue ?? Self.name(typed: argument))
  }

  func words(_ say: Language) -> String {
    switch self {
    case .happy: say("happy", "うれしい")
    case .neutral: say("neutral", "ふつう")
    case .sad: say("sad", "かなしい")
    case .frustrated: say("frustrated", "いらいら")
    case .excited: say("excited", "わくわく")
    case .unset: say("none", "なし")
    }
  }

  /// The face of an emotion; an unknown name, from a newer kithd, unchanged.
  static func face(_ text: String) -> String {
    switch Emotion(rawValue: text) {
    case .happy: "😊"
    case .neutral: "😐"
    case .sad: "😢"
    case .frustrated: "😤"
    case .excited: "🤩"
    case .unset, nil: text
    }
  }

  /// The face with its name.
  static func words(_ text: String) -> String {
    let face = self.face(text)
    return face == text ? text : "\(face) \(text)"
  }

  /// The value of the field.
  var field: String { self == .unset ? "" : self.rawValue }
}
