internal import CExpat

/// An incremental XML parser on expat.
///
/// It refuses document types, so the only entities are the five of XML itself; it expands names by their namespace and
/// enforces every limit of ``XMLLimits`` while it reads. After a fault it reads nothing more.
@safe struct XMLParser: ~Copyable {
  private let parser: OpaquePointer
  private let events: UnsafeMutablePointer<XMLEvents>
  private let limits: XMLLimits
  private var fed = 0

  /// The largest piece passed to expat at once.
  private static let piece = 1 << 16

  /// Makes a parser.
  ///
  /// - Parameters:
  ///   - target: Receives the elements.
  ///   - limits: The limits of the document.
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

  /// Parses the next bytes.
  ///
  /// - Throws: The first fault.
  mutating func read(_ bytes: RawSpan) throws(XMLFault) {
    var start = 0
    while start < bytes.byteCount {
      let end = min(start + Self.piece, bytes.byteCount)
      try self.parse(bytes.extracting(start..<end), isLast: false)
      start = end
    }
  }

  /// Ends the document.
  ///
  /// - Throws: Also if the document is incomplete.
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
    // expat keeps the bytes of an incomplete tag; without a limit a hostile document could make it keep everything.
    let done = unsafe Int(XML_GetCurrentByteIndex(self.parser))
    guard done < 0 || self.fed - done <= self.limits.tokenBytes else {
      throw .tooLarge("\(self.limits.tokenBytes) bytes in one tag")
    }
  }
}

/// Receives the elements of a document from an ``XMLParser``.
protocol XMLTarget: AnyObject {
  /// Called at the start of an element.
  ///
  /// - Parameters:
  ///   - name: Namespace, a space, local name; only the local name without a namespace.
  ///   - attributes: By name, in the same form.
  /// - Returns: True if the text directly inside is wanted.
  func startElement(_ name: String, attributes: [String: String]) throws(XMLFault) -> Bool

  /// Called at the end of the innermost open element.
  ///
  /// - Parameter text: UTF-8 with the line ends of XML 1.0 section 2.11; empty if it was not wanted. Its storage is
  ///   reused.
  func endElement(text: ArraySlice<UInt8>) throws(XMLFault)
}

/// Limits for a document from a server. Exceeding one ends the document with an ``XMLFault``.
///
/// ```swift
/// var limits = XMLLimits()
/// limits.responses = 10_000
/// let reader = try MultistatusReader(limits: limits)
/// ```
public struct XMLLimits: Sendable, Hashable {
  /// The deepest nesting of elements. A multistatus needs 8.
  public var depth = 64
  /// Bytes of text kept of one element.
  public var textBytes = 16 << 20
  /// Elements in the whole document.
  public var elements = 6_000_000
  /// Resources named by the `<response>` elements of a multistatus.
  public var responses = 200_000
  /// Bytes of one tag, comment or instruction.
  public var tokenBytes = 1 << 20

  /// The default limits.
  public init() {}
}

/// Why a document cannot be read.
///
/// ```swift
/// do { try reader.finish() } catch { print("The answer cannot be used: \(error).") }
/// ```
public enum XMLFault: Error, Sendable, Hashable {
  /// Not well-formed, or truncated. `reason` is the parser's own text, `line` counts from 1.
  case notWellFormed(reason: String, line: Int)
  /// A document type declaration, which could define entities; WebDAV uses none.
  case documentType
  /// A limit of ``XMLLimits`` was exceeded; the text names it.
  case tooLarge(String)
  /// A well-formed document of another kind. The name of its root, with its namespace before it.
  case unexpectedRoot(String)
  /// No memory for a parser.
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
