/// Reads a multistatus or an error document as its bytes arrive, and gives each response when its last tag is read.
///
/// Memory is bounded by one response and what the caller has not taken. Cards are copied once, as bytes.
public struct MultistatusReader: ~Copyable {
  private let decoder: MultistatusDecoder
  private var parser: XMLParser

  /// Makes a reader of one document.
  ///
  /// - Throws: ``XMLFault/outOfMemory``.
  public init(limits: XMLLimits = XMLLimits()) throws(XMLFault) {
    self.decoder = MultistatusDecoder(limits: limits)
    self.parser = try XMLParser(target: self.decoder, limits: limits)
  }

  /// Reads the next bytes.
  ///
  /// - Returns: The responses that are complete now.
  /// - Throws: The first fault; the responses before it, which ``rescued()`` gives, are good.
  public mutating func read(_ bytes: RawSpan) throws(XMLFault) -> [DAVResponse] {
    try self.parser.read(bytes)
    return self.decoder.takeResponses()
  }

  /// The responses that were complete when a fault ended the reading.
  public mutating func rescued() -> [DAVResponse] { self.decoder.takeResponses() }

  /// Says that there is no more.
  ///
  /// - Returns: The last responses, and what was said of the whole.
  /// - Throws: A fault, where the document is not over.
  public mutating func finish() throws(XMLFault) -> (responses: [DAVResponse], end: MultistatusEnd) {
    try self.parser.finish()
    return (self.decoder.takeResponses(), self.decoder.end)
  }
}
