internal import Bus
internal import Foundation
internal import KithMessages

/// Entries of care as rows.
struct CareTable {
  private let reply: ListCareReply

  init(_ reply: ListCareReply) { self.reply = reply }

  func lines(_ session: Session) -> [String] {
    guard !self.reply.records.isEmpty else { return ["No care records found."] }
    var table = Table(("WHEN", .left), ("CATEGORY", .left), ("WHAT", .left), ("", .left), ("ID", .left))
    for record in self.reply.records {
      table.add(record.clock, record.categoryInWords, record.content, record.remark(session), record.id)
    }
    let more = self.reply.nextCursor.isEmpty ? [] : ["", "There are more: --cursor \(self.reply.nextCursor)"]
    return table.lines(session.console.style) + more
  }
}

/// One entry in full.
struct CareCard {
  private let record: CareRecord

  init(_ record: CareRecord) { self.record = record }

  func lines(_ session: Session) -> [String] {
    let record = self.record
    var rows: [(String, String)] = [
      ("When", "\(record.clock) (\(RelativeTime.words(record.occurredAt, now: session.now)))"),
      ("Heard", record.transcript), ("Memo", record.memo), ("State", record.remark(session)),
      ("Recorded by", record.recorder), ("Engine", [record.engine, record.language].joined(separator: " ")),
      ("Maybe", record.suggestedCategory.replacing("_", with: " ")), ("Id", record.id),
    ]
    rows += record.versions.map { version in
      let author = version.replacedBy.isEmpty ? "" : " by \(version.replacedBy)"
      return (
        "Before",
        "\([version.transcript, version.memo].filter { !$0.isEmpty }.joined(separator: " / "))"
          + " (corrected \(RelativeTime.words(version.replacedAt, now: session.now))\(author))"
      )
    }
    return [session.console.style.bold(record.categoryInWords)]
      + rows.filter { !$0.1.trimmingCharacters(in: .whitespaces).isEmpty }.map {
        "  \(Printable.padded($0.0, to: 11, alignment: .left))  \(Printable.text($0.1))"
      }
  }
}

extension CareRecord {
  /// In the time zone of whoever looks.
  var clock: String {
    let time = Date(timeIntervalSince1970: Double(self.occurredAt.nanosecondsSince1970) / 1_000_000_000)
    return time.formatted(
      .verbatim(
        "\(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
        timeZone: .current, calendar: Calendar(identifier: .gregorian)))
  }

  var categoryInWords: String { self.category.isEmpty ? "-" : self.category.replacing("_", with: " ") }

  /// What was heard, and beside it what was written.
  var content: String {
    switch (self.transcript.isEmpty, self.memo.isEmpty) {
    case (false, false): "\(self.transcript) (memo: \(self.memo))"
    case (false, true): self.transcript
    default: self.memo
    }
  }

  /// What somebody still has to do with it, in words.
  func remark(_ session: Session) -> String {
    guard !self.hasDeletedAt else { return "deleted" }
    switch self.state {
    case "recording": return "being recorded"
    case "pending_transcription":
      guard self.hasNextAttemptAt else { return "being transcribed" }
      return "tried again \(RelativeTime.words(self.nextAttemptAt, now: session.now)): \(Self.words(for: self.reason))"
    case "needs_memo": return "needs a memo: \(Self.words(for: self.reason))"
    default: return self.review == "needed" ? "please check" : ""
    }
  }

  private static func words(for reason: String) -> String {
    switch reason {
    case "no_speech": "nothing was heard"
    case "no_sound": "nothing was recorded"
    case "interrupted": "recording was interrupted"
    case "discarded": "the sound was discarded"
    case "sound_expired": "the sound was kept for its time and is gone"
    case "no_engine": "no speech engine for this language"
    case "": "nothing was written"
    default: reason.replacing("_", with: " ")
    }
  }
}
