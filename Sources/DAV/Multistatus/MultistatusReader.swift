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

/// The reader of a reply that is under way, which the loop feeds.
///
/// `@unchecked` is sound: the loop calls `read` for one piece after another, and the caller of the request takes the rest
/// after its reply has come, which the loop orders after the last piece.
final class MultistatusReading: @unchecked Sendable {
  private var reader: MultistatusReader
  private var responses: [DAVResponse] = []
  /// What ended the reading.
  private(set) var fault: XMLFault?

  init(limits: XMLLimits) throws(XMLFault) { self.reader = try MultistatusReader(limits: limits) }

  /// Takes the next piece of the body.
  func read(_ piece: RawSpan) throws {
    do throws(XMLFault) { self.responses += try self.reader.read(piece) } catch {
      self.fault = error
      throw error
    }
  }

  /// Gives what was read, and what was said of the whole.
  func finish() throws(XMLFault) -> (responses: [DAVResponse], end: MultistatusEnd) {
    let (rest, end) = try self.reader.finish()
    return (self.responses + rest, end)
  }
}

/// Makes typed responses of the elements of a document.
///
/// What an element means follows from its parent, so that the same name elsewhere says nothing.
final class MultistatusDecoder: XMLTarget {
  private let limits: XMLLimits
  private(set) var end = MultistatusEnd()
  private var completed: [DAVResponse] = []
  private var open: [Element] = []
  private var count = 0

  // Of the response that is being read.
  private var hrefs: [String] = []
  private var response = DAVResponse(href: "")
  // Of its propstat.
  private var properties = DAVProperties()
  private var propertyStatus: Int?
  private var property: Element?

  init(limits: XMLLimits) { self.limits = limits }

  /// Gives the responses that were completed since the last time.
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
      // The first is counted with its response.
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

  /// A set that is given empty differs from one that is not given.
  private func begin(property: Element) {
    switch property {
    case .resourceType: self.properties.resourceType = []
    case .supportedReports: self.properties.reports = []
    case .supportedAddressData: self.properties.cardVersions = []
    case .privilegeSet: self.properties.privileges = []
    default: break
    }
  }

  /// Takes an element that is inside a property, at any depth. Returns whether its text is wanted.
  private func inside(_ property: Element, _ element: Element, _ name: String, _ attributes: [String: String]) -> Bool {
    switch (property, element) {
    case (.resourceType, .collection): self.properties.resourceType?.insert(.collection)
    case (.resourceType, .addressBook): self.properties.resourceType?.insert(.addressBook)
    case (.resourceType, .principal): self.properties.resourceType?.insert(.principal)
    case (.supportedReports, _): self.properties.reports?.insert(Self.localName(name))
    case (.privilegeSet, _): self.properties.privileges?.insert(Self.localName(name))
    case (.supportedAddressData, _):
      // The name of the element differs between servers, its attributes do not.
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

  /// A propstat without a status is taken for a good one: nothing else makes sense of it.
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

  /// The text without the blanks around it; expat gives valid UTF-8 only.
  private static func string(_ text: ArraySlice<UInt8>) -> String {
    var text = text
    while let first = text.first, first <= 0x20 { text.removeFirst() }
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }

  /// The code of a status line ("HTTP/1.1 404 Not Found"); 0 for what is none, which is no success either.
  private static func status(_ text: ArraySlice<UInt8>) -> Int {
    guard let code = text.split(separator: UInt8(ascii: " "), maxSplits: 2).dropFirst().first, code.count == 3 else {
      return 0
    }
    return code.allSatisfy { 0x30...0x39 ~= $0 } ? code.reduce(0) { $0 * 10 + Int($1 - 0x30) } : 0
  }
}
