public import Bus
internal import Fields
internal import Foundation
public import KithMessages

/// The units of a kind of measurement, and the values that are usual.
///
/// A value outside of the usual range is asked about once, because it is more often a slip of the finger than a measurement. The ranges are
/// wide on purpose: they say what a device can show of a living person, and nothing of health.
public struct MeasurementRules: Sendable {
  /// A unit in which values may be given.
  public struct Unit: Sendable {
    /// As it is written.
    public let name: String
    /// Makes the value in the unit of the kind.
    let convert: @Sendable (Double) -> Double

    init(_ name: String, _ convert: @escaping @Sendable (Double) -> Double = { $0 }) {
      self.name = name
      self.convert = convert
    }
  }

  /// The first is that of the kind; empty = any.
  public let units: [Unit]
  /// In the unit of the kind; nil = every value is usual.
  let usual: ClosedRange<Double>?
  /// Of the lower value of blood pressure; nil for others.
  let usualLower: ClosedRange<Double>?

  /// Those of a kind.
  public init(_ kind: MeasurementKind) {
    var lower: ClosedRange<Double>?
    switch kind {
    case .temperature: (self.units, self.usual) = ([Unit("°C"), Unit("°F") { ($0 - 32) / 1.8 }], 33...42)
    case .bloodPressure:
      (self.units, self.usual) = ([Unit("mmHg"), Unit("kPa") { $0 * 7.500_62 }], 60...250)
      lower = 30...150
    case .pulse: (self.units, self.usual) = ([Unit("/min")], 30...220)
    case .weight: (self.units, self.usual) = ([Unit("kg"), Unit("lb") { $0 * 0.453_592_37 }], 1...300)
    case .oxygen: (self.units, self.usual) = ([Unit("%")], 70...100)
    case .glucose: (self.units, self.usual) = ([Unit("mg/dL"), Unit("mmol/L") { $0 * 18.015_6 }], 20...600)
    case .pain: (self.units, self.usual) = ([Unit("")], 0...10)
    case .fluidIn, .fluidOut: (self.units, self.usual) = ([Unit("ml"), Unit("fl oz") { $0 * 29.573_53 }], 1...3000)
    case .other: (self.units, self.usual) = ([], nil)
    }
    self.usualLower = lower
  }

  /// The value in thousandths of the unit of the kind.
  ///
  /// - Throws: `FIELD_INVALID` for an unknown unit.
  public func thousandths(_ text: String, in name: String, field: String) throws(Failure) -> Int64 {
    guard let quantity = Quantity(text), quantity.hundredths <= Self.greatest else {
      throw .invalid(field: field, "must be a number such as 37.2, up to a million.")
    }
    let value = Double(quantity.hundredths) / 100
    guard !self.units.isEmpty else { return Int64((value * 1000).rounded()) }
    guard
      let unit = name.isEmpty ? self.units[0] : self.units.first(where: { $0.name.foldedUnit == name.foldedUnit })
    else {
      throw .invalid(
        field: "unit", "must be \(self.units.map { $0.name.isEmpty ? "empty" : $0.name }.joined(separator: " or ")).")
    }
    return Int64((unit.convert(value) * 1000).rounded())
  }

  /// The name of a unit as it is written.
  public func written(_ name: String) -> String {
    self.units.first { $0.name.foldedUnit == name.foldedUnit }?.name
      ?? (name.isEmpty ? self.units.first?.name ?? "" : name)
  }

  /// In hundredths: no sum of a day is too large.
  private static let greatest: Int64 = 100_000_000

  /// Whether a person should look at the value again.
  ///
  /// - Parameters:
  ///   - amount: In thousandths of the unit of the kind.
  ///   - lower: Of blood pressure.
  public func isUnlikely(_ amount: Int64, _ lower: Int64?) -> Bool {
    let isOutside = self.usual.map { !$0.contains(Double(amount) / 1000) } ?? false
    guard let lower else { return isOutside }
    return isOutside || lower >= amount || !(self.usualLower?.contains(Double(lower) / 1000) ?? true)
  }
}

extension String {
  /// Without case, and as one character where keyboards have two: ℃ and °C, ％ and %.
  fileprivate var foldedUnit: String { self.precomposedStringWithCompatibilityMapping.lowercased() }
}
