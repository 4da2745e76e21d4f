internal import Bus
public import CivilTime
internal import Foundation
public import KithMessages

/// The summary of a day as plain text: events with times, counts, and memos.
///
/// The same entries give the same text on every machine: words and date formats are fixed, and the time of writing is
/// not in it.
public struct CareSummary: Sendable {
  private let entries: [Entry]
  private let day: Day
  private let words: CareWords
  private let recipient: String

  private struct Entry {
    let record: CareRecord
    let category: CareCategory
    let time: String
    let transcript: String
    let memo: String
    var isUnreviewed: Bool { self.record.knownReview == .needed }
  }

  /// Selects the entries of a day.
  ///
  /// - Parameters:
  ///   - records: Entries of any days; deleted ones are ignored.
  ///   - zone: The time zone of days and times.
  ///   - recipient: The name of the person who is cared for; empty if unknown.
  ///   - honorific: Added after the name in Japanese.
  public init(
    of records: [CareRecord], on day: Day, zone: Zone, language: CareLanguage, recipient: String = "",
    honorific: String = ""
  ) {
    self.day = day
    self.words = CareWords(language)
    let name = Self.oneLine(recipient)
    self.recipient = name.isEmpty ? "" : self.words.address(name, honorific: Self.oneLine(honorific))
    let ofDay = records.filter {
      !$0.hasDeletedAt && zone.day(at: $0.occurredAt.nanosecondsSince1970) == day
    }.sorted { $0.order < $1.order }
    let offsets = ofDay.map { zone.offset(at: $0.occurredAt.nanosecondsSince1970) }
    let saysOffset = Set(offsets).count > 1
    self.entries = zip(ofDay, offsets).map { record, offset in
      let time = zone.time(at: record.occurredAt.nanosecondsSince1970).description
      return Entry(
        record: record, category: CareCategory(named: record.category) ?? .freeMemo,
        time: saysOffset ? "\(time)(\(Self.text(ofOffset: offset)))" : time,
        transcript: Self.oneLine(record.transcript), memo: Self.oneLine(record.memo))
    }
  }

  /// The number of entries of the day.
  public var count: Int { self.entries.count }

  /// The number of entries with a transcript that is not confirmed yet.
  public var unreviewed: Int { self.entries.count(where: \.isUnreviewed) }

  /// The text, with a line feed after each line.
  public var text: String { self.text(isShort: false) }

  /// The text, with a line feed after each line.
  ///
  /// - Parameter isShort: Whether the list of memos is left out: the timeline has each of them.
  public func text(isShort: Bool) -> String {
    var lines = [self.words.title(self.day)]
    if !self.recipient.isEmpty { lines.append(self.words.recipient(self.recipient)) }
    let recorders = self.recorders
    if !recorders.isEmpty { lines.append(self.words.recorders(recorders)) }
    lines += ["", self.words.timelineHeading]
    lines += self.entries.isEmpty ? [self.words.noEntries] : self.entries.map(self.line)
    lines += ["", self.words.countsHeading]
    lines += self.words.counts(
      CareCategory.allCases.map { category in (category, self.entries.count { $0.category == category }) })
    if !isShort {
      lines += ["", self.words.memosHeading]
      let memos = self.entries.compactMap(self.memo)
      lines += memos.isEmpty ? [self.words.noMemos] : memos
    }
    if self.unreviewed > 0 { lines += ["", self.words.footer] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The recorders, each once, in the order of their first entries.
  private var recorders: [String] {
    var seen: Set<String> = []
    return self.entries.map { Self.oneLine($0.record.recorder) }.filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  private func line(_ entry: Entry) -> String {
    self.words.line(time: entry.time, category: entry.category, text: self.content(entry))
  }

  private func content(_ entry: Entry) -> String {
    let text =
      switch (entry.transcript.isEmpty, entry.memo.isEmpty) {
      case (true, true): self.isPending(entry) ? self.words.pending : self.words.empty
      case (true, false): entry.memo
      case (false, true): entry.transcript
      case (false, false): entry.transcript + self.words.attached(entry.memo)
      }
    return entry.isUnreviewed ? text + self.words.unreviewed : text
  }

  /// The text of a free memo, or the note of another entry.
  private func memo(_ entry: Entry) -> String? {
    guard entry.category != .freeMemo else {
      return entry.transcript.isEmpty && entry.memo.isEmpty
        ? nil : self.words.memo(time: entry.time, text: self.content(entry))
    }
    return entry.memo.isEmpty ? nil : self.words.memo(time: entry.time, text: entry.memo)
  }

  private func isPending(_ entry: Entry) -> Bool {
    [.recording, .pendingTranscription].contains(entry.record.knownState)
  }

  /// A text on one line: composed (NFC), without control and format characters, with single blanks.
  private static func oneLine(_ text: String) -> String {
    // ASCII is always composed.
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    var line = String.UnicodeScalarView()
    var owesBlank = false
    for scalar in (isASCII ? text : text.precomposedStringWithCanonicalMapping).unicodeScalars {
      if Self.isBlank(scalar) {
        owesBlank = !line.isEmpty
      } else if Self.isVisible(scalar) {
        if owesBlank { line.append(" ") }
        owesBlank = false
        line.append(scalar)
      }
    }
    return String(line)
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    guard !(0x21...0x7E).contains(scalar.value) else { return false }
    return switch scalar.properties.generalCategory {
    case .lineSeparator, .paragraphSeparator, .spaceSeparator: true
    case .control: scalar.properties.isWhitespace
    default: false
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    guard !(0x21...0x7E).contains(scalar.value) else { return true }
    return switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .unassigned: false
    default: true
    }
  }

  private static func text(ofOffset seconds: Int) -> String {
    let minutes = abs(seconds) / 60
    let digits = [minutes / 600, minutes / 60 % 10, minutes % 60 / 10, minutes % 10].map(String.init).joined()
    return (seconds < 0 ? "-" : "+") + digits
  }
}

extension CareRecord {
  /// The order: time of the event, then time of recording.
  fileprivate var order: (Int64, Int64, String) {
    (self.occurredAt.nanosecondsSince1970, self.createdAt.nanosecondsSince1970, self.id)
  }
}
