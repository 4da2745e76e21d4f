/// The cards of a file in memory.
///
/// A card that cannot be parsed is an element with a fault and does not end the sequence. Input in UTF-16, with or
/// without a byte order mark, is converted to UTF-8 first.
///
/// ```swift
/// for reading in CardReader(bytes) {
///   switch reading.result {
///   case .success(let card): print(card.formattedName ?? "")
///   case .failure(let fault): print("line \(fault.line): \(fault.kind)")
///   }
/// }
/// ```
public struct CardReader: Sequence, IteratorProtocol, Sendable {
  private let bytes: [UInt8]
  private let limits: Limits
  private var scanner = CardScanner()

  /// Makes a reader of a file with any number of cards.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - limits: The limits of each card.
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

  /// Returns the next card; nil at the end of the input.
  public mutating func next() -> CardReading? {
    guard let extent = scanner.next(in: bytes, isFinal: true) else { return nil }
    return CardReading(byteRange: extent.range, lineNumber: extent.line, result: read(extent))
  }

  private func read(_ extent: CardExtent) -> Result<Card, CardFault> {
    guard extent.range.count <= limits.cardBytes else {
      return .failure(CardFault(.cardTooLarge, line: extent.line))
    }
    // The card of a file with one card shares its bytes; of several, each card gets a copy, so that none keeps the file
    // in memory.
    let source = extent.range.count == bytes.count ? bytes : Array(bytes[extent.range])
    return Result { () throws(CardFault) in try Card(source, lineNumber: extent.line, limits: limits) }
  }
}

/// One card of the input, or why it could not be parsed.
///
/// ```swift
/// let unreadable = CardReader(bytes).filter { (try? $0.result.get()) == nil }.map(\.lineNumber)
/// ```
public struct CardReading: Sendable {
  /// The range of the card in the input, or in the input's UTF-8 form if it is UTF-16.
  public var byteRange: Range<Int>
  /// The line the card starts on, counted from 1.
  public var lineNumber: Int
  /// The card, or its fault.
  public var result: Result<Card, CardFault>
}
