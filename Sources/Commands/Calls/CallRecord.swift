internal import ArgumentParser
internal import KithMessages

extension Call: OwnedRecord, ShownRecord, RestorableRecord {
  typealias Creation = LogCallRequest
  typealias Change = UpdateCallRequest
  typealias Deletion = DeleteCallRequest
  typealias Lookup = GetCallRequest
  typealias Restoration = RestoreCallRequest

  static let noun = Noun(
    command: "call", singular: "call", plural: "calls", japanese: "電話", creation: "log",
    newExample: "ann --duration 25",
    changeExample: "--emotion happy")
  static let headings: [Column] = [
    Column("WHEN", "いつ"), Column("AT", "日時", drops: 1), Column("TOOK", "長さ", .right, drops: 4),
    Column("FELT", "気分", drops: 3),
    Column("NOTE", "メモ", wraps: true),
    Column("TAGS", "タグ", drops: 2),
  ]

  var knownNames: [String: String] { self.personName.isEmpty ? [:] : [self.personID: self.personName] }

  func headline(_ names: PersonNames, _ say: Language) -> String {
    say("Call with \(names[self.personID])", "\(names[self.personID])との電話")
  }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    let attachments = self.attachments.enumerated().map { index, blob in
      (say("Attachment \(index + 1)", "添付 \(index + 1)"), "\(blob.mediaType), \(Count.bytes(blob.size))")
    }
    return [
      (say("When", "いつ"), session.moment(self.calledAt)),
      (say("Took", "長さ"), self.isRunning ? say("still running", "通話中") : self.duration(say)),
      (say("Called by", "かけた人"), self.theyCalled ? names[self.personID] : say("you", "自分")),
      (say("Felt", "気分"), CallEmotion.text(self.emotion, say)),
      (say("Tags", "タグ"), self.tags.joined(separator: ", ")),
    ] + attachments
  }

  func prose(_ names: PersonNames, _ session: Session) -> [String] { Printable.lines(self.note) }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    [
      session.ago(self.calledAt), session.zone.text(self.calledAt),
      self.isRunning ? session.language("running", "通話中") : self.duration(session.language),
      CallEmotion.face(self.emotion),
      self.note, self.tags.joined(separator: ", "),
    ]
  }

  /// `25 minutes`; empty if it was not recorded.
  func duration(_ say: Language) -> String {
    let minutes = Int(self.durationMinutes)
    return minutes == 0 ? "" : say(Count.of(minutes, "minute"), "\(minutes)分")
  }

  /// The call in a few words, without the person.
  func summary(_ say: Language) -> String {
    [CallEmotion.face(self.emotion), self.duration(say), self.note].filter { !$0.isEmpty }.joined(separator: " ")
  }
}
