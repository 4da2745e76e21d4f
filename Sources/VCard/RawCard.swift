/// The bytes of one card, cut out of a stream.
public struct RawCard: Sendable {
  /// The card from BEGIN to END, in UTF-8 when the stream is UTF-16; empty when the card was too large to keep.
  public var bytes: [UInt8]
  /// Where the card lies in the stream; in its UTF-8 form when the stream is UTF-16.
  public var byteRange: Range<Int>
  /// The line the card starts on, counted from 1.
  public var lineNumber: Int
  /// The bounds that the splitter kept to.
  public var limits: Limits

  /// Reads the card.
  ///
  /// - Throws: ``CardFault`` when it cannot be read.
  public func card() throws(CardFault) -> Card {
    guard !bytes.isEmpty else { throw CardFault(.cardTooLarge, line: lineNumber) }
    return try Card(bytes, lineNumber: lineNumber, limits: limits)
  }
}
