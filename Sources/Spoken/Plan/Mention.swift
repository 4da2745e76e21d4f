public import KithMessages

/// What a sentence says was done of the care plan, or measured. It is offered to a person and recorded by nobody else.
public enum Mention: Sendable, Hashable {
  /// Something of the plan was given.
  case given(GivenMention)
  /// Something was measured.
  case measured(MeasuredMention)
}

/// That something of the plan was given.
public struct GivenMention: Sendable, Hashable {
  /// Which time of the plan is named: "the eight o'clock tablets", 朝の薬.
  public enum Due: Sendable, Hashable {
    /// What a clock shows; if it may be of the morning or of the evening, `isSure` is false.
    case clock(secondOfDay: Int, isSure: Bool)
    /// Seconds of a day.
    case part(ClosedRange<Int>)
  }

  /// The ids of the items that may be meant: those of one name, or all medicines for "her tablets".
  public let items: Set<String>
  /// Whether they are named; else every medicine of one time is meant.
  public let isNamed: Bool
  /// Whether one thing is meant: "her pill" is not all of those of a time.
  public let isOne: Bool
  /// nil = no time of the plan is named.
  public let due: Due?
  /// When it was given, in seconds since 1970; nil = now.
  public let at: Int64?
  /// How much, in the unit of the item; empty = as planned.
  public let amount: String
}

/// That something was measured.
public struct MeasuredMention: Sendable, Hashable {
  /// What was measured.
  public let kind: MeasurementKind
  /// Of blood pressure: the upper value.
  public let value: String
  /// Of blood pressure; empty for others.
  public let lower: String
  /// As measurements have it.
  public let unit: String
  /// When it was measured, in seconds since 1970; nil = now.
  public let at: Int64?
}

extension Listener {
  /// What a sentence says was given of the plan, or measured; none if it is not sure.
  ///
  /// - Parameter items: The items that may be given now.
  public func mentions(_ text: String, _ language: CareLanguage, of items: [PlanItem]) -> [Mention] {
    guard text.count <= Self.longestSentence else { return [] }
    let measured = MeasuredReader(listener: self, language: language).read(text)
    guard measured.isEmpty else { return measured.map(Mention.measured) }
    return GivenReader(listener: self, language: language, items: items).read(text).map { [.given($0)] } ?? []
  }
}
