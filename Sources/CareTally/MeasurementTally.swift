internal import Bus
public import CivilTime
internal import Fields
public import KithMessages

/// The measurements of one kind in some days: least, greatest and mean.
public struct MeasurementTally: Sendable {
  /// A value in thousandths of the unit.
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
  /// Of all values; empty = they have none.
  public let unit: String
  /// By time; at least one.
  public let values: [Value]

  /// Groups measurements by kind, in the order of the kinds, and those of one's own by name and unit.
  ///
  /// - Parameter records: By time.
  public static func all(of records: [MeasurementRecord]) -> [MeasurementTally] {
    var found: [Key: [Value]] = [:]
    for record in records {
      let kind = record.knownKind ?? .other
      let rules = MeasurementRules(kind)
      // What this version does not know, another one has stored.
      guard let amount = try? rules.thousandths(record.value, in: record.unit, field: "value") else { continue }
      let lower =
        record.lower.isEmpty ? nil : try? rules.thousandths(record.lower, in: record.unit, field: "lower")
      let unit = kind == .other ? record.unit : rules.written("")
      let name = kind == .other ? (record.name.isEmpty ? record.kind : record.name) : ""
      found[Key(kind: kind, name: name, unit: unit), default: []].append(
        Value(record: record, amount: amount, lower: lower))
    }
    return found.map { MeasurementTally(kind: $0.kind, name: $0.name, unit: $0.unit, values: $1) }
      .sorted { ($0.order, $0.name, $0.unit) < ($1.order, $1.name, $1.unit) }
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
