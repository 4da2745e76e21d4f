/// A day that the card remembers, with its label.
public struct LabeledDate: Sendable, Hashable {
  /// The date; nil when the text is none of the known forms, or counts in another calendar.
  public var date: PartialDate?
  /// The value as written.
  public var text: String
  /// The calendar the card names (CALSCALE), such as `chinese`; nil for the Gregorian one.
  public var calendar: String?
  /// What it is: `birthday`, `anniversary`, or another.
  public var label: Label
  /// The line of its property, counted from 1 in the whole input.
  public var lineNumber: Int
}
