/// Parses a multistatus or an error document as its bytes arrive, and returns each response after its last tag.
///
/// Memory holds at most one incomplete response and the responses that the caller has not taken. Cards are copied once,
/// as bytes.
///
/// ```swift
/// var reader = try MultistatusReader()
/// for piece in pieces { responses += try reader.read(piece.span.bytes) }
/// let (rest, end) = try reader.finish()
/// ```
public struct MultistatusReader: ~Copyable {
  private let decoder: MultistatusDecoder
  private var parser: XMLParser

  /// Makes a reader for one document.
  ///
  /// - Throws: ``XMLFault/outOfMemory``.
  public init(limits: XMLLimits = XMLLimits()) throws(XMLFault) {
    self.decoder = MultistatusDecoder(limits: limits)
    self.parser = try XMLParser(target: self.decoder, limits: limits)
  }

  /// Reads the next bytes.
  ///
  /// - Returns: The responses that are now complete.
  /// - Throws: The first fault. Responses before it are valid; ``rescued()`` returns them.
  public mutating func read(_ bytes: RawSpan) throws(XMLFault) -> [DAVResponse] {
    try self.parser.read(bytes)
    return self.decoder.takeResponses()
  }

  /// Returns the responses that were complete when a fault ended the document.
  public mutating func rescued() -> [DAVResponse] { self.decoder.takeResponses() }

  /// Ends the document.
  ///
  /// - Returns: The last responses, and the end of the multistatus.
  /// - Throws: A fault if the document is incomplete.
  public mutating func finish() throws(XMLFault) -> (responses: [DAVResponse], end: MultistatusEnd) {
    try self.parser.finish()
    return (self.decoder.takeResponses(), self.decoder.end)
  }
}

/// Reads the body of a reply while it arrives; the loop passes each piece.
///
/// `@unchecked` is sound: the loop calls `read` for one piece after another, and the caller of the request calls
/// `finish` after its reply has arrived, which the loop orders after the last piece.
final class MultistatusReading: @unchecked Sendable {
  private var reader: MultistatusReader
  private var responses: [DAVResponse] = []
  /// The fault that ended the document.
  private(set) var fault: XMLFault?

  init(limits: XMLLimits) throws(XMLFault) { self.reader = try MultistatusReader(limits: limits) }

  /// Reads the next piece of the body.
  func read(_ piece: RawSpan) throws {
    do throws(XMLFault) { self.responses += try self.reader.read(piece) } catch {
      self.fault = error
      throw error
    }
  }

  /// Ends the body and returns everything that was read.
  func finish() throws(XMLFault) -> (responses: [DAVResponse], end: MultistatusEnd) {
    let (rest, end) = try self.reader.finish()
    return (self.responses + rest, end)
  }
}

/// Makes typed responses from the elements of a document.
///
/// The meaning of an element depends on its parent: the same name elsewhere is ignored.
final class MultistatusDecoder: XMLTarget {
  private let limits: XMLLimits
  private(set) var end = MultistatusEnd()
  private var completed: [DAVResponse] = []
  private var open: [Element] = []
  private var count = 0

  // The response that is being read.
  private var hrefs: [String] = []
  private var response = DAVResponse(href: "")
  // Its current propstat.
  private var properties = DAVProperties()
  private var propertyStatus: Int?
  private var property: Element?

  init(limits: XMLLimits) { self.limits = limits }

  /// Returns the responses completed since the last call.
  func takeResponses() -> [DAVResponse] {
    var taken: [DAVResponse] = []
    swap(&taken, &self.completed)
    return taken
  }

  func startElement(_ name: String, attributes: [String: String]) throws(XMLFault) -> Bool {
    let element = Element(name)
    let parent = self.open.last
    self.open.append(element)
    switch (parent, element) {
    case (nil, .multistatus): return false
    case (nil, .error):
      self.end.isError = true
      return false
    case (nil, _): throw .unexpectedRoot(name)
    case (.multistatus, .response):
      self.count += 1
      guard self.count <= self.limits.responses else { throw self.tooMany }
      self.hrefs = []
      self.response = DAVResponse(href: "")
      return false
    case (.multistatus, .syncToken), (.response, .href), (.response, .status), (.propstat, .status): return true
    case (.response, .propstat):
      self.properties = DAVProperties()
      self.propertyStatus = nil
      return false
    case (.prop, _):
      self.property = element
      self.begin(property: element)
      return element.isTextProperty
    case (.error, _):
      self.add(DAVCondition(Self.localName(name)))
      return false
    default: return self.property.map { self.inside($0, element, name, attributes) } ?? false
    }
  }

  func endElement(text: ArraySlice<UInt8>) throws(XMLFault) {
    guard let element = self.open.popLast() else { return }
    switch (self.open.last, element) {
    case (.multistatus, .response): self.completeResponse()
    case (.multistatus, .syncToken): self.end.syncToken = Self.string(text)
    case (.response, .href):
      self.hrefs.append(Self.string(text))
      // The first href is counted with its response.
      guard self.count + self.hrefs.count - 1 <= self.limits.responses else { throw self.tooMany }
    case (.response, .status): self.response.status = Self.status(text)
    case (.propstat, .status): self.propertyStatus = Self.status(text)
    case (.response, .propstat): self.completeProperties()
    case (.prop, _):
      self.property = nil
      if element == .addressData {
        self.properties.addressData = Array(text)
      } else if element.isTextProperty {
        self.set(element, Self.string(text))
      }
    case (_, .href): self.setReference(Self.string(text))
    default: break
    }
  }

  // MARK: Properties

  /// A set that was sent empty differs from one that was not sent.
  private func begin(property: Element) {
    switch property {
    case .resourceType: self.properties.resourceType = []
    case .supportedReports: self.properties.reports = []
    case .supportedAddressData: self.properties.cardVersions = []
    case .privilegeSet: self.properties.privileges = []
    default: break
    }
  }

  /// Handles an element inside a property, at any depth. Returns true if its text is wanted.
  private func inside(_ property: Element, _ element: Element, _ name: String, _ attributes: [String: String]) -> Bool {
    switch (property, element) {
    case (.resourceType, .collection): self.properties.resourceType?.insert(.collection)
    case (.resourceType, .addressBook): self.properties.resourceType?.insert(.addressBook)
    case (.resourceType, .principal): self.properties.resourceType?.insert(.principal)
    case (.supportedReports, _): self.properties.reports?.insert(Self.localName(name))
    case (.privilegeSet, _): self.properties.privileges?.insert(Self.localName(name))
    case (.supportedAddressData, _):
      // Servers name this element differently, but its attributes are the same.
      if attributes["content-type"]?.lowercased() == "text/vcard", let version = attributes["version"] {
        self.properties.cardVersions?.insert(version)
      }
    case (.currentUserPrincipal, .href), (.principalURL, .href), (.homeSet, .href): return true
    default: break
    }
    return false
  }

  private func set(_ property: Element, _ text: String) {
    switch property {
    case .entityTag: self.properties.entityTag = text
    case .contentType: self.properties.contentType = text
    case .displayName: self.properties.displayName = text
    case .description: self.properties.description = text
    case .syncToken: self.properties.syncToken = text
    case .collectionTag: self.properties.collectionTag = text
    default: break
    }
  }

  private func setReference(_ href: String) {
    guard !href.isEmpty else { return }
    switch self.property {
    case .currentUserPrincipal: self.properties.currentUserPrincipal = href
    case .principalURL: self.properties.principalURL = href
    case .homeSet: self.properties.homeSet.append(href)
    default: break
    }
  }

  // MARK: Responses

  private func add(_ condition: DAVCondition) {
    if self.open.contains(.response) {
      self.response.conditions.insert(condition)
    } else {
      self.end.conditions.insert(condition)
    }
  }

  /// Completes a propstat. One without a status counts as successful.
  private func completeProperties() {
    let status = self.propertyStatus ?? 200
    var taken = DAVProperties()
    swap(&taken, &self.properties)
    if 200..<300 ~= status {
      self.response.hasProperties = true
      self.response.properties.merge(taken)
    } else {
      self.response.refused.insert(status)
    }
  }

  private func completeResponse() {
    self.count += max(0, self.hrefs.count - 1)
    let says = self.response.status != nil || self.response.hasProperties || !self.response.refused.isEmpty
    guard says, !self.hrefs.isEmpty, !self.hrefs.contains("") else {
      self.end.unreadable += 1
      return
    }
    self.end.responses += 1
    for href in self.hrefs {
      self.response.href = href
      self.completed.append(self.response)
    }
    self.response = DAVResponse(href: "")
  }

  private var tooMany: XMLFault { .tooLarge("\(self.limits.responses) responses") }

  // MARK: Text

  private static func localName(_ name: String) -> String {
    name.utf8.lastIndex(of: UInt8(ascii: " ")).map { String(name[name.utf8.index(after: $0)...]) } ?? name
  }

  /// The text without surrounding blanks; expat produces only valid UTF-8.
  private static func string(_ text: ArraySlice<UInt8>) -> String {
    var text = text
    while let first = text.first, first <= 0x20 { text.removeFirst() }
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }

  /// The code in a status line ("HTTP/1.1 404 Not Found"); 0 if it is malformed, which is not a success either.
  private static func status(_ text: ArraySlice<UInt8>) -> Int {
    guard let code = text.split(separator: UInt8(ascii: " "), maxSplits: 2).dropFirst().first, code.count == 3 else {
      return 0
    }
    return code.allSatisfy { 0x30...0x39 ~= $0 } ? code.reduce(0) { $0 * 10 + Int($1 - 0x30) } : 0
  }
}
