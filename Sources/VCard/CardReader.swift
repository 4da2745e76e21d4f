/// The cards of a file that is in memory.
///
/// A card that cannot be read is an element like the others and never ends the sequence. Input in UTF-16, with or without a
/// byte order mark, is turned into UTF-8 first.
public struct CardReader: Sequence, IteratorProtocol, Sendable {
  private let bytes: [UInt8]
  private let limits: Limits
  private var scanner = CardScanner()

  /// Makes a reader of a file with any number of cards.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - limits: The bounds on each card.
  public init(_ bytes: [UInt8], limits: Limits = Limits()) {
    self.limits = limits
    guard var transcoder = UTF16Transcoder(startOf: bytes) else {
      self.bytes = bytes
      return
    }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    transcoder.append(bytes, to: &text)
    transcoder.finish(to: &text)
    self.bytes = text
  }

  /// The next card; nil at the end of the input.
  public mutating func next() -> CardReading? {
    guard let extent = scanner.next(in: bytes, isFinal: true) else { return nil }
    return CardReading(byteRange: extent.range, lineNumber: extent.line, result: read(extent))
  }

  private func read(_ extent: CardExtent) -> Result<Card, CardFault> {
    guard extent.range.count <= limits.cardBytes else {
      return .failure(CardFault(.cardTooLarge, line: extent.line))
    }
    // A file of one card shares its bytes with it; of several, each card takes a copy, so that none keeps the file alive.
    let source = extent.range.count == bytes.count ? bytes : Array(bytes[extent.range])
    return Result { () throws(CardFault) in try Card(source, lineNumber: extent.line, limits: limits) }
  }
}

/// What the reader made of one card of its input.
public struct CardReading: Sendable {
  /// Where the card lies in the input; in its UTF-8 form when the input is UTF-16.
  public var byteRange: Range<Int>
  /// The line the card starts on, counted from 1.
  public var lineNumber: Int
  /// The card, or why there is none.
  public var result: Result<Card, CardFault>
}
