internal import CExpat

/// expat, fed piece by piece as the bytes arrive.
///
/// No document types, hence no entities but the five of XML itself; names are expanded by their namespace; every bound of
/// ``XMLLimits`` holds while the document is read, not after. After a fault it takes nothing more.
@safe struct XMLParser: ~Copyable {
  private let parser: OpaquePointer
  private let events: UnsafeMutablePointer<XMLEvents>
  private let limits: XMLLimits
  private var fed = 0

  /// The most that is given to expat at once.
  private static let piece = 1 << 16

  /// Makes a parser.
  ///
  /// - Parameters:
  ///   - target: Gets the elements.
  ///   - limits: The bounds on the document.
  /// - Throws: ``XMLFault/outOfMemory``.
  init(target: any XMLTarget, limits: XMLLimits) throws(XMLFault) {
    // A space cannot be in the name of a namespace: expat refuses a document that tries (CVE-2022-25236).
    guard let parser = unsafe XML_ParserCreateNS(nil, XML_Char(UInt8(ascii: " "))) else { throw .outOfMemory }
    unsafe self.parser = unsafe parser
    self.limits = limits
    // A place of its own, because expat keeps its address.
    unsafe self.events = .allocate(capacity: 1)
    unsafe self.events.initialize(to: XMLEvents(target: target, limits: limits, parser: parser))
    unsafe XMLEvents.attach(self.events, to: parser)
  }

  deinit {
    // The only place that frees them, and the parser goes first.
    unsafe XML_ParserFree(self.parser)
    unsafe self.events.deinitialize(count: 1)
    unsafe self.events.deallocate()
  }

  /// Reads the next bytes.
  ///
  /// - Throws: The first fault found.
  mutating func read(_ bytes: RawSpan) throws(XMLFault) {
    var start = 0
    while start < bytes.byteCount {
      let end = min(start + Self.piece, bytes.byteCount)
      try self.parse(bytes.extracting(start..<end), isLast: false)
      start = end
    }
  }

  /// Says that there is no more.
  ///
  /// - Throws: Also when the document is not over.
  mutating func finish() throws(XMLFault) { try self.parse(RawSpan(), isLast: true) }

  private mutating func parse(_ bytes: RawSpan, isLast: Bool) throws(XMLFault) {
    let status = unsafe bytes.withUnsafeBytes { bytes in
      // The bytes are valid for the call, and their count is at most `piece`.
      unsafe XML_Parse(
        self.parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), isLast ? 1 : 0)
    }
    // Between calls of expat nobody else has the events.
    if let fault = unsafe self.events.pointee.fault { throw fault }
    guard status != XML_STATUS_ERROR else {
      let code = unsafe XML_GetErrorCode(self.parser)
      if code == XML_ERROR_NO_MEMORY { throw .outOfMemory }
      // A static string of expat, or null.
      let reason = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
      throw .notWellFormed(reason: reason, line: unsafe Int(XML_GetCurrentLineNumber(self.parser)))
    }
    self.fed += bytes.byteCount
    // expat keeps the bytes of a tag that is not over; without a bound that is all of a hostile document.
    let done = unsafe Int(XML_GetCurrentByteIndex(self.parser))
    guard done < 0 || self.fed - done <= self.limits.tokenBytes else {
      throw .tooLarge("\(self.limits.tokenBytes) bytes in one tag")
    }
  }
}

/// What takes the elements of a document as an ``XMLParser`` finds them.
protocol XMLTarget: AnyObject {
  /// An element begins.
  ///
  /// - Parameters:
  ///   - name: Namespace, a space, local name; the local name alone where there is no namespace.
  ///   - attributes: By name, in the same form.
  /// - Returns: Whether the text directly inside is wanted.
  func startElement(_ name: String, attributes: [String: String]) throws(XMLFault) -> Bool

  /// The element that began last, and has not ended, ends.
  ///
  /// - Parameter text: UTF-8 with the line ends of XML 1.0 section 2.11; empty when it was not wanted. Its room is used again.
  func endElement(text: ArraySlice<UInt8>) throws(XMLFault)
}

/// The bounds on a document that a server sends. What exceeds them ends the reading with an ``XMLFault``.
public struct XMLLimits: Sendable, Hashable {
  /// How deep elements may be nested. A multistatus needs 8.
  public var depth = 64
  /// Bytes of the text of one element that is kept.
  public var textBytes = 16 << 20
  /// Elements of the whole document.
  public var elements = 6_000_000
  /// Resources that the `<response>` elements of a multistatus are about.
  public var responses = 200_000
  /// Bytes of one tag, comment or instruction.
  public var tokenBytes = 1 << 20

  /// The bounds that hold unless somebody says otherwise.
  public init() {}
}

/// Why a document cannot be read.
public enum XMLFault: Error, Sendable, Hashable {
  /// Not well-formed, or cut off. `reason` is the parser's own word, `line` counts from 1.
  case notWellFormed(reason: String, line: Int)
  /// A document type declaration: the way to entities, which WebDAV has no use for.
  case documentType
  /// A bound of ``XMLLimits`` was exceeded; which one, in words.
  case tooLarge(String)
  /// Well-formed, but of another kind. The name of its root, with its namespace before it.
  case unexpectedRoot(String)
  /// There is no memory for a parser.
  case outOfMemory
}

extension XMLFault: CustomStringConvertible {
  /// A clause for people: "it ends too early".
  public var description: String {
    switch self {
    case .notWellFormed(let reason, let line): "it is not well-formed XML (line \(line): \(reason))"
    case .documentType: "it has a document type declaration, which is refused"
    case .tooLarge(let what): "it exceeds the limit of \(what)"
    case .unexpectedRoot(let name): "it is a '\(name.split(separator: " ").last ?? "")' document, not a WebDAV answer"
    case .outOfMemory: "there was no memory to read it"
    }
  }
}
