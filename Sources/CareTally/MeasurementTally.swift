internal import Bus
public import CivilTime
internal import Fields
public import KithMessages

/// The measurements of one kind in some days: least, greatest and mean.
public struct MeasurementTally: Sendable {
  /// A value in thousandths of ``unit``.
  public struct Value: Sendable {
    /// What was recorded.
    public let record: MeasurementRecord
    /// Of blood pressure: the upper one.
    public let amount: Int64
    /// Of blood pressure; nil for others.
    public let lower: Int64?

    /// Nanoseconds since 1970.
    public var instant: Int64 { self.record.occurredAt.nanosecondsSince1970 }
  }

  /// What is measured.
  public let kind: MeasurementKind
  /// Of a kind of one's own: what is measured.
  public let name: String
  /// Of all values: that in which all were entered, else that of the kind; empty = they have none.
  public let unit: String
  /// By time; at least one.
  public let values: [Value]

  /// Groups measurements by kind, in the order of the kinds, and those of one's own by name and unit.
  ///
  /// - Parameter records: By time.
  public static func all(of records: [MeasurementRecord]) -> [MeasurementTally] {
    var found: [Key: [MeasurementRecord]] = [:]
    for record in records {
      let isOwn = (record.knownKind ?? .other) == .other
      let key = Key(
        kind: record.knownKind ?? .other, name: isOwn ? (record.name.isEmpty ? record.kind : record.name) : "",
        unit: isOwn ? record.unit : "")
      found[key, default: []].append(record)
    }
    return found.map { MeasurementTally($0, $1) }.filter { !$0.values.isEmpty }
      .sorted { ($0.order, $0.name, $0.unit) < ($1.order, $1.name, $1.unit) }
  }

  /// Values of one unit stay as they were entered; those of several become values of the unit of the kind.
  private init(_ key: Key, _ records: [MeasurementRecord]) {
    let rules = MeasurementRules(key.kind)
    let units = Set(records.map { rules.written($0.unit) })
    let shown = key.kind == .other ? key.unit : units.count == 1 ? units.first ?? "" : rules.written("")
    func amount(_ text: String, _ unit: String) -> Int64? {
      if rules.written(unit) == shown, let quantity = Quantity(text) { return quantity.hundredths * 10 }
      // What this version does not know, another one has stored.
      return try? rules.thousandths(text, in: unit, field: "value")
    }
    (self.kind, self.name, self.unit) = (key.kind, key.name, shown)
    self.values = records.compactMap { record in
      amount(record.value, record.unit).map {
        Value(record: record, amount: $0, lower: record.lower.isEmpty ? nil : amount(record.lower, record.unit))
      }
    }
  }

  private struct Key: Hashable {
    let kind: MeasurementKind
    let name: String
    let unit: String
  }

  private var order: Int { MeasurementKind.allCases.firstIndex(of: self.kind) ?? 0 }

  /// The sum of each day that has a value, in thousandths, by day.
  public func sums(in zone: Zone) -> [(day: Day, sum: Int64)] {
    var sums: [(day: Day, sum: Int64)] = []
    for value in self.values {
      let day = zone.day(at: value.instant)
      if sums.last?.day == day { sums[sums.count - 1].sum += value.amount } else { sums.append((day, value.amount)) }
    }
    return sums
  }

  /// A value in as few digits as say it, at most two after the point.
  public static func text(_ thousandths: Int64) -> String {
    Quantity(hundredths: (thousandths + (thousandths < 0 ? -5 : 5)) / 10).description
  }

  /// The mean in thousandths, rounded to a tenth; of a kind of one's own, whose values may be small, to a hundredth.
  ///
  /// - Parameter values: At least one.
  func mean(of values: [Int64]) -> Int64 {
    let step: Int64 = self.kind == .other ? 10 : 100
    let (sum, count) = (values.reduce(0, +), Int64(max(values.count, 1)))
    return (sum * 2 + step * count) / (2 * step * count) * step
  }
}
