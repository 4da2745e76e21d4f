/// A value with its label: a phone number, e-mail address, URL or the like.
public struct LabeledValue: Sendable, Hashable {
  /// The value as text.
  public var value: String
  /// What it is for.
  public var label: Label
  /// The line of its property, counted from 1 in the whole input.
  public var lineNumber: Int
}
