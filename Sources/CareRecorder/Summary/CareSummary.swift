internal import Bus
internal import CareTally
public import CivilTime
public import KithMessages

/// The summary of a day as plain text: events with times, counts, memos, and what the plan and the measurements say, if there are any.
///
/// The same entries give the same text on every machine: words and date formats are fixed, and the time of writing is
/// not in it.
public struct CareSummary: Sendable {
  private let entries: [Entry]
  private let day: Day
  private let words: CareWords
  private let phrases: CarePhrases
  private let recipient: String
  private let plan: PlanDay
  private let measurements: [MeasurementRecord]

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
  ///   - plan: The same day of the plan.
  ///   - measurements: Those of the day, by time.
  public init(
    of records: [CareRecord], on day: Day, zone: Zone, language: CareLanguage, recipient: String = "",
    honorific: String = "", plan: PlanDay = PlanDay(), measurements: [MeasurementRecord] = []
  ) {
    self.day = day
    self.words = CareWords(language)
    self.recipient = self.words.address(recipient.onOneLine, honorific: honorific.onOneLine)
    self.plan = plan
    self.measurements = measurements
    let ofDay = records.filter {
      !$0.hasDeletedAt && zone.day(at: $0.occurredAt.nanosecondsSince1970) == day
    }.sorted { $0.order < $1.order }
    let moments = ofDay.map(\.occurredAt) + plan.recorded.map(\.occurredAt) + measurements.map(\.occurredAt)
    let offsets = Set(moments.map { zone.offset(at: $0.nanosecondsSince1970) })
    let phrases = CarePhrases(language, in: zone, saysOffset: offsets.count > 1)
    self.phrases = phrases
    self.entries = ofDay.map { record in
      Entry(
        record: record, category: CareCategory(named: record.category) ?? .freeMemo,
        time: phrases.clock(record.occurredAt.nanosecondsSince1970), transcript: record.transcript.onOneLine,
        memo: record.memo.onOneLine)
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
    lines += self.planLines + self.measurementLines
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
    let all =
      self.entries.map(\.record.recorder) + self.plan.recorded.map(\.recorder) + self.measurements.map(\.recorder)
    var seen: Set<String> = []
    return all.map(\.onOneLine).filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  /// The times that have come, and what else was given; nothing without a plan.
  private var planLines: [String] {
    let dues = self.plan.dues.filter { $0.knownState != .coming }.map { due in
      let what = self.phrases.item(due.item.name, due.amount, due.item.unit)
      return (due.due, self.words.line(what, self.phrases.outcome(due)))
    }
    let others = self.plan.others.map { dose in
      let what = self.phrases.item(dose.itemName, dose.amount, dose.unit)
      return (dose.occurredAt, self.words.line(what, self.phrases.outcome(dose, on: self.day)))
    }
    let all = (dues + others).sorted { $0.0.nanosecondsSince1970 < $1.0.nanosecondsSince1970 }
    guard !all.isEmpty else { return [] }
    let lines = all.map { "\(self.phrases.clock($0.0.nanosecondsSince1970)) \($0.1)" }
    return ["", self.words.planHeading] + lines + [self.phrases.counts(of: self.plan)].filter { !$0.isEmpty }
  }

  /// What was measured, and the sums of the day; nothing if nothing was.
  private var measurementLines: [String] {
    guard !self.measurements.isEmpty else { return [] }
    let lines = self.measurements.map {
      "\(self.phrases.clock($0.occurredAt.nanosecondsSince1970)) \(self.phrases.line($0))"
    }
    let sums = MeasurementTally.all(of: self.measurements).filter(\.kind.isSummed).map(self.phrases.sum)
    return ["", self.words.measurementsHeading] + lines + sums
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
}

extension PlanDay {
  /// What was recorded on the day or for it.
  fileprivate var recorded: [Dose] {
    self.dues.filter(\.hasDose).map(\.dose) + self.dues.flatMap(\.doubles) + self.others
  }
}

extension CareRecord {
  /// The order: time of the event, then time of recording.
  fileprivate var order: (Int64, Int64, String) {
    (self.occurredAt.nanosecondsSince1970, self.createdAt.nanosecondsSince1970, self.id)
  }
}
