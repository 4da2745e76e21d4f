internal import Bus
public import CivilTime
public import KithMessages

/// What a plan and measurements say of some days, in words of one language. Texts of people are put on one line.
public struct CarePhrases: Sendable {
  private let say: CareLanguage
  private let zone: Zone
  /// Whether a time of day may come twice.
  private let saysOffset: Bool
  /// Whether a day of the month may come twice.
  private let saysMonth: Bool

  /// Makes phrases.
  ///
  /// - Parameters:
  ///   - zone: That of days and times.
  ///   - saysOffset: Whether times have their offset from UTC: a day on which the clock changes has some times twice.
  ///   - saysMonth: Whether days have their month.
  public init(_ language: CareLanguage, in zone: Zone, saysOffset: Bool = false, saysMonth: Bool = false) {
    self.say = language
    self.zone = zone
    self.saysOffset = saysOffset
    self.saysMonth = saysMonth
  }

  // MARK: - Times

  /// `20:00`, or `20:00(+0900)`.
  public func clock(_ instant: Int64) -> String {
    let time = self.zone.time(at: instant).description
    return self.saysOffset ? "\(time)(\(Self.text(ofOffset: self.zone.offset(at: instant))))" : time
  }

  /// `Tue 17`, or `Tue 17 Nov`.
  public func day(_ date: Day) -> String {
    let (weekday, (_, month, day)) = (Weekday.allCases[date.weekday], date.components)
    return self.saysMonth
      ? self.say("\(weekday.english) \(day) \(Self.months[month - 1])", "\(month)月\(day)日(\(weekday.japanese))")
      : self.say("\(weekday.english) \(day)", "\(day)日(\(weekday.japanese))")
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `Tue 17 20:00`.
  public func moment(_ instant: Int64) -> String { "\(self.day(self.zone.day(at: instant))) \(self.clock(instant))" }

  private static func text(ofOffset seconds: Int) -> String {
    let minutes = abs(seconds) / 60
    let digits = [minutes / 600, minutes / 60 % 10, minutes % 60 / 10, minutes % 10].map(String.init).joined()
    return (seconds < 0 ? "-" : "+") + digits
  }

  // MARK: - The plan

  /// `Aspirin 1 tablet`.
  public func item(_ name: String, _ amount: String, _ unit: String) -> String {
    [name.asName, amount, amount.isEmpty ? "" : unit.onOneLine].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// What became of a time: `given 08:10 by Taro (late)`.
  public func outcome(_ due: PlanDue) -> String {
    let day = self.zone.day(at: due.due.nanosecondsSince1970)
    let state =
      switch due.knownState {
      case .given, .partly, .skipped: self.outcome(due.dose, on: day) + (due.isLate ? self.say(" (late)", "(遅れ)") : "")
      case .missed: self.say("missed", "未実施")
      case .coming: self.say("coming", "これから")
      case .due, nil: self.say("not recorded yet", "未記録")
      }
    let doubles = due.doubles.map { self.say("again: ", "再度: ") + self.outcome($0, on: day) }
    return ([state] + doubles).joined(separator: self.say("; ", "、"))
  }

  /// `given 08:10 by Taro`; with the day if it is not the given one.
  public func outcome(_ dose: Dose, on day: Day?) -> String {
    let instant = dose.occurredAt.nanosecondsSince1970
    let time = self.zone.day(at: instant) == day ? self.clock(instant) : self.moment(instant)
    let (name, reason, note) = (dose.recorder.onOneLine, dose.reason.onOneLine, dose.note.onOneLine)
    let by = name.isEmpty ? "" : self.say(" by \(name)", " \(name)")
    let what =
      switch dose.knownOutcome {
      case .skipped: self.say("skipped\(by)", "スキップ\(by)") + (reason.isEmpty ? "" : ": \(reason)")
      case .partly:
        self.say("partly given \(time)\(by)", "\(time) 一部実施\(by)")
          + (dose.amount.isEmpty
            ? ""
            : self.say(" (\(self.item("", dose.amount, dose.unit)))", "(\(self.item("", dose.amount, dose.unit)))"))
      case .given, nil: self.say("given \(time)\(by)", "\(time) 実施\(by)")
      }
    return what + (note.isEmpty ? "" : self.say(" (memo: \(note))", "(メモ: \(note))"))
  }

  /// The outcomes of a day: `Given 3 (1 late), missed 1`; empty if no time has come.
  public func counts(of day: PlanDay) -> String {
    let dues = day.dues.filter { $0.knownState != .coming }
    guard !dues.isEmpty else { return "" }
    func count(_ state: DueState) -> Int { dues.count { $0.knownState == state } }
    let late = dues.count { $0.knownState == .given && $0.isLate }
    let others = [
      (self.say("partly", "一部"), count(.partly)), (self.say("skipped", "スキップ"), count(.skipped)),
      (self.say("missed", "未実施"), count(.missed)), (self.say("not recorded yet", "未記録"), count(.due)),
      (self.say("given again", "再度"), dues.reduce(0) { $0 + $1.doubles.count }),
    ].filter { $0.1 > 0 }.map { self.say("\($0) \($1)", "\($0) \($1)回") }
    let given = self.say("Given \(count(.given)) of \(dues.count)", "実施 \(dues.count)回中\(count(.given))回")
    let lateness = late == 0 ? "" : self.say(" (\(late) late)", "(うち遅れ\(late)回)")
    return ([given + lateness] + others).joined(separator: self.say(", ", "、"))
  }

  /// `Aspirin: given 12 of 14 (1 late), missed 1 (Tue 17 20:00)`.
  public func line(_ tally: PlanTally) -> String {
    let given = tally.dues(.given)
    var parts: [String] = []
    if !tally.dues.isEmpty {
      parts.append(
        self.say("given \(given.count) of \(tally.dues.count)", "実施 \(tally.dues.count)回中\(given.count)回")
          + (tally.late == 0 ? "" : self.say(" (\(tally.late) late)", "(うち遅れ\(tally.late)回)")))
    }
    parts += [
      self.part(self.say("partly", "一部"), tally.dues(.partly).map { self.at($0) }),
      self.part(
        self.say("skipped", "スキップ"),
        tally.dues(.skipped).map { self.at($0) + self.reason($0.dose) }
          + tally.others.filter { $0.knownOutcome == .skipped }
          .map { self.at($0) + self.reason($0) }),
      self.part(self.say("missed", "未実施"), tally.dues(.missed).map { self.at($0) }),
      self.part(self.say("not recorded yet", "未記録"), tally.dues(.due).map { self.at($0) }),
      self.part(self.say("given again", "再度"), tally.doubles.map { self.at($0) }),
      self.part(
        tally.dues.isEmpty ? self.say("given", "実施") : self.say("besides", "ほかに実施"),
        tally.others.filter { $0.knownOutcome != .skipped }.map { self.at($0) }),
    ].compactMap(\.self)
    return "\(tally.name.asName): \(parts.joined(separator: self.say(", ", "、")))"
  }

  /// The most moments that a line names.
  private static let mostMoments = 10

  /// `missed 2 (Tue 17 20:00, Wed 18 20:00)`; nil for none.
  private func part(_ name: String, _ moments: [String]) -> String? {
    guard !moments.isEmpty else { return nil }
    let rest = moments.count - Self.mostMoments
    let shown = moments.prefix(Self.mostMoments) + (rest > 0 ? [self.say("\(rest) more", "ほか\(rest)回")] : [])
    let list = shown.joined(separator: self.say(", ", "、"))
    return self.say("\(name) \(moments.count) (\(list))", "\(name)\(moments.count)回(\(list))")
  }

  private func at(_ due: PlanDue) -> String { self.moment(due.due.nanosecondsSince1970) }

  private func at(_ dose: Dose) -> String { self.moment(dose.occurredAt.nanosecondsSince1970) }

  private func reason(_ dose: Dose) -> String {
    let reason = dose.reason.onOneLine
    return reason.isEmpty ? "" : ": \(reason)"
  }

  // MARK: - Measurements

  /// `blood pressure`, or what a kind of one's own is called.
  public func name(_ kind: MeasurementKind, _ name: String) -> String {
    let name = name.asName
    return name.isEmpty ? self.say(kind.english, kind.japanese) : name
  }

  /// `130/80 mmHg`, as it was entered.
  public func value(_ one: MeasurementRecord) -> String { one.shownValue.onOneLine }

  /// `temperature: 37.2 °C (memo: after the meal)`.
  public func line(_ one: MeasurementRecord) -> String {
    let note = one.note.onOneLine
    return "\(self.name(one.knownKind ?? .other, one.name)): \(self.value(one))"
      + (note.isEmpty ? "" : self.say(" (memo: \(note))", "(メモ: \(note))"))
  }

  /// `temperature: 36.4–37.9 °C, mean 37.1 (14 values)`.
  public func line(_ tally: MeasurementTally) -> String {
    let (count, unit) = (tally.values.count, tally.unit.onOneLine)
    let values = self.say(count == 1 ? "1 value" : "\(count) values", "\(count)回")
    let name = self.name(tally.kind, tally.name)
    if tally.kind.isSummed {
      let sums = tally.sums(in: self.zone).map(\.sum)
      let days = self.say(sums.count == 1 ? "1 day" : "\(sums.count) days", "\(sums.count)日")
      let range = self.say("\(Self.range(sums)) \(unit) a day", "1日 \(Self.range(sums)) \(unit)")
      return "\(name): \(range)\(self.mean(tally, sums)) (\(values)\(self.say(", ", "、"))\(days))"
    }
    let (upper, lower) = (tally.values.map(\.amount), tally.values.compactMap(\.lower))
    let ranges = [upper, lower].filter { !$0.isEmpty }.map(Self.range)
    let range = ranges.joined(separator: ranges.contains { $0.contains("–") } ? " / " : "/")
    return "\(name): \(range)\(unit.isEmpty ? "" : " \(unit)")\(self.mean(tally, upper, lower)) (\(values))"
  }

  /// The sum of one day: `fluid in: 1250 ml in all`.
  public func sum(_ tally: MeasurementTally) -> String {
    let sum = MeasurementTally.text(tally.values.reduce(0) { $0 + $1.amount })
    return "\(self.name(tally.kind, tally.name)): \(self.say("\(sum) \(tally.unit) in all", "合計 \(sum) \(tally.unit)"))"
  }

  private func mean(_ tally: MeasurementTally, _ upper: [Int64], _ lower: [Int64] = []) -> String {
    // That of one value says nothing more.
    guard upper.count > 1 else { return "" }
    let means = [upper, lower].filter { !$0.isEmpty }.map { MeasurementTally.text(tally.mean(of: $0)) }
    let text = means.joined(separator: "/")
    return self.say(", mean \(text)", "、平均 \(text)")
  }

  private static func range(_ values: [Int64]) -> String {
    let (least, greatest) = (values.min() ?? 0, values.max() ?? 0)
    let texts = [MeasurementTally.text(least), MeasurementTally.text(greatest)]
    return texts[0] == texts[1] ? texts[0] : texts.joined(separator: "–")
  }
}
