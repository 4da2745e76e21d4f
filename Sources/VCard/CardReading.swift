/// What the reader made of one card of its input.
public struct CardReading: Sendable {
  /// Where the card lies in the input; in its UTF-8 form when the input is UTF-16.
  public var byteRange: Range<Int>
  /// The line the card starts on, counted from 1.
  public var lineNumber: Int
  /// The card, or why there is none.
  public var result: Result<Card, CardFault>
}
