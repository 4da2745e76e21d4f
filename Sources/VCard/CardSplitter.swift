/// Splits a stream of bytes into cards, for files too large to hold in memory.
///
/// It holds at most one card within ``Limits/cardBytes`` and the last chunk.
///
/// ```swift
/// var splitter = CardSplitter()
/// for chunk in chunks {
///   splitter.append(chunk)
///   while let raw = splitter.next() { try store(raw.card()) }
/// }
/// splitter.finish()
/// while let raw = splitter.next() { try store(raw.card()) }
/// ```
public struct CardSplitter: Sendable {
  private let limits: Limits
  private var buffer: [UInt8] = []
  private var scanner = CardScanner()
  private var transcoder: UTF16Transcoder?
  private var isStarted = false
  private var isFinished = false
  /// The number of bytes of the stream before the buffer.
  private var base = 0
  /// The start of an oversized card in the stream; its bytes are dropped as they arrive.
  private var droppedStart: Int?

  /// Makes a splitter at the start of a stream.
  ///
  /// - Parameter limits: The limits of each card.
  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Adds the next bytes of the stream; after ``finish()`` they are ignored.
  public mutating func append(_ chunk: some Collection<UInt8>) {
    guard !isFinished else { return }
    compact()
    if isStarted {
      take(chunk)
      return
    }
    buffer.append(contentsOf: chunk)
    if buffer.count >= 2 { start() }
  }

  /// Ends the stream.
  public mutating func finish() {
    guard !isFinished else { return }
    if !isStarted { start() }
    transcoder?.finish(to: &buffer)
    isFinished = true
  }

  /// Returns the next complete card; nil if more bytes are needed, or, after ``finish()``, if there are no more cards.
  public mutating func next() -> RawCard? {
    guard isStarted, let extent = scanner.next(in: buffer, isFinal: isFinished) else { return nil }
    let end = base + extent.range.upperBound
    if let start = droppedStart {
      droppedStart = nil
      return RawCard(bytes: [], byteRange: start..<end, lineNumber: extent.line, limits: limits)
    }
    let bytes = extent.range.count <= limits.cardBytes ? Array(buffer[extent.range]) : []
    return RawCard(
      bytes: bytes, byteRange: base + extent.range.lowerBound..<end, lineNumber: extent.line, limits: limits)
  }

  private mutating func start() {
    isStarted = true
    transcoder = UTF16Transcoder(startOf: buffer)
    guard transcoder != nil else { return }
    let head = buffer
    buffer = []
    take(head)
  }

  private mutating func take(_ chunk: some Collection<UInt8>) {
    if transcoder == nil {
      buffer.append(contentsOf: chunk)
    } else {
      transcoder?.append(chunk, to: &buffer)
    }
  }

  /// Drops the bytes that no card needs any more.
  private mutating func compact() {
    if let start = scanner.openStart, droppedStart == nil, buffer.count - start > limits.cardBytes {
      if scanner.hasInner { scanner.abandonNesting() } else { droppedStart = base + start }
    }
    let keep = droppedStart == nil ? scanner.neededStart ?? scanner.lines.position : scanner.lines.position
    drop(keep)
    // An oversized line keeps its start, by which it is recognised, and a CR at its end.
    let kept = 64
    if buffer.count > limits.cardBytes, droppedStart != nil || scanner.openStart == nil {
      let cut = buffer.count - kept
      buffer.removeSubrange(kept..<buffer.count - 1)
      base += cut - 1
      scanner.forgetSearch()
    }
  }

  private mutating func drop(_ count: Int) {
    guard count > 0 else { return }
    buffer.removeSubrange(..<count)
    base += count
    scanner.shift(by: count)
  }
}

/// The bytes of one card of a stream.
///
/// ```swift
/// while let raw = splitter.next() { print(raw.lineNumber, try raw.card().formattedName ?? "") }
/// ```
public struct RawCard: Sendable {
  /// The card from BEGIN to END, in UTF-8 if the stream is UTF-16; empty if the card was too large.
  public var bytes: [UInt8]
  /// The range of the card in the stream, or in the stream's UTF-8 form if it is UTF-16.
  public var byteRange: Range<Int>
  /// The line the card starts on, counted from 1.
  public var lineNumber: Int
  /// The limits of the splitter.
  public var limits: Limits

  /// Parses the card.
  ///
  /// - Throws: ``CardFault`` if it cannot be parsed.
  public func card() throws(CardFault) -> Card {
    guard !bytes.isEmpty else { throw CardFault(.cardTooLarge, line: lineNumber) }
    return try Card(bytes, lineNumber: lineNumber, limits: limits)
  }
}
