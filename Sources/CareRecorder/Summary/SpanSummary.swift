internal import Bus
internal import CareTally
internal import CivilTime
internal import KithMessages

/// The summary of a week, a month or another span as plain text: counts of each day, what became of the plan, and least, greatest and mean of
/// what was measured.
struct SpanSummary: Sendable {
  private let days: ClosedRange<Day>
  private let records: [CareRecord]
  private let plan: [PlanDay]
  private let measurements: [MeasurementRecord]
  private let zone: Zone
  private let words: CareWords
  private let phrases: CarePhrases
  private let recipient: String

  /// Makes a summary.
  ///
  /// - Parameters:
  ///   - records: The entries of these days, by time.
  ///   - plan: These days of the plan.
  ///   - measurements: Those of these days, by time.
  ///   - recipient: The name of the person who is cared for; empty if unknown.
  ///   - honorific: Added after the name in Japanese.
  init(
    of days: ClosedRange<Day>, _ records: [CareRecord], plan: [PlanDay], measurements: [MeasurementRecord], zone: Zone,
    language: CareLanguage, recipient: String, honorific: String
  ) {
    self.days = days
    self.records = records
    self.plan = plan
    self.measurements = measurements
    self.zone = zone
    self.words = CareWords(language)
    self.phrases = CarePhrases(language, in: zone)
    self.recipient = self.words.address(recipient.onOneLine, honorific: honorific.onOneLine)
  }

  /// The number of entries.
  var count: Int { self.records.count }

  /// The number of entries with a transcript that is not confirmed yet.
  var unreviewed: Int { self.records.count { $0.knownReview == .needed } }

  /// The text, with a line feed after each line.
  var text: String {
    var lines = [self.words.title(self.days.lowerBound, self.days.upperBound)]
    if !self.recipient.isEmpty { lines.append(self.words.recipient(self.recipient)) }
    lines += ["", self.words.daysHeading]
    let days = self.dayLines
    lines += days.isEmpty ? [self.words.noEntries] : days
    lines += ["", self.words.countsHeading] + self.words.counts(Self.counts(self.records))
    let items = PlanTally.all(of: self.plan)
    if !items.isEmpty { lines += ["", self.words.planHeading] + items.map(self.phrases.line) }
    let kinds = MeasurementTally.all(of: self.measurements)
    if !kinds.isEmpty { lines += ["", self.words.measurementsHeading] + kinds.map(self.phrases.line) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The days with entries.
  private var dayLines: [String] {
    let byDay = Dictionary(grouping: self.records) { self.zone.day(at: $0.occurredAt.nanosecondsSince1970) }
    return byDay.sorted { $0.key < $1.key }.map { day, records in
      self.words.day(self.phrases.day(day), Self.counts(records))
    }
  }

  private static func counts(_ records: [CareRecord]) -> [(CareCategory, Int)] {
    let categories = records.map { CareCategory(named: $0.category) ?? .freeMemo }
    return CareCategory.allCases.map { category in (category, categories.count { $0 == category }) }
  }
}
