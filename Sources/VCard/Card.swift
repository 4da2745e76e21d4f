/// One vCard: its bytes, its properties in order, and typed views of them.
///
/// Parsing only locates the properties; a view decodes its texts, numbers and pictures each time it is read. All texts
/// are without white space at their ends.
///
/// ```swift
/// let card = try Card(Array("BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ann\r\nTEL:+1 555 0100\r\nEND:VCARD\r\n".utf8))
/// card.formattedName  // "Ann"
/// card.phones.map(\.value)  // ["+1 555 0100"]
/// ```
public struct Card: Sendable {
  let storage: [UInt8]
  let lines: [ContentLine]
  let byteCount: Int
  let limits: Limits
  private let versionLine: ContentLine?
  private let names: NameFilter

  /// Repairs made while parsing; ``valueWarnings()`` has those of values.
  public let warnings: [Warning]
  /// The line the card starts on, counted from 1 in the whole input.
  public let lineNumber: Int

  /// Parses one card.
  ///
  /// - Parameters:
  ///   - bytes: The card from BEGIN to END, in UTF-8 or with CHARSET parameters.
  ///   - lineNumber: The line it starts on in the whole input.
  ///   - limits: The limits of its parts.
  /// - Throws: ``CardFault`` if the bytes hold no card or exceed a limit.
  public init(_ bytes: [UInt8], lineNumber: Int = 1, limits: Limits = Limits()) throws(CardFault) {
    let parser = try CardParser(bytes, firstLine: lineNumber, limits: limits)
    var warnings = parser.warnings
    self.limits = limits
    self.lineNumber = lineNumber
    storage = parser.bytes
    byteCount = bytes.count
    lines = parser.properties
    names = NameFilter(lines, in: parser.bytes)
    versionLine = parser.version
    if let version = parser.version, Self.version(version, in: parser.bytes) == nil {
      warnings.append(Warning(.unknownVersion, line: version.number))
    }
    if !lines.contains(where: { parser.bytes.matches("FN", in: $0.name) && !$0.value.isEmpty }) {
      warnings.append(Warning(.missingFormattedName, line: lineNumber))
    }
    self.warnings = warnings
  }

  /// The bytes the card was read from.
  public var source: ArraySlice<UInt8> { storage[..<byteCount] }

  /// All properties except BEGIN, VERSION and END, in their order.
  public var properties: [Property] { lines.map { Property($0, in: storage) } }

  /// The version; 3.0 if it is missing or unknown, since the rules of 3.0 fit the other two best.
  public var version: Version {
    versionLine.flatMap { Self.version($0, in: storage) } ?? .v3_0
  }

  /// The value of VERSION as written.
  public var claimedVersion: String? {
    versionLine.map { Property($0, in: storage).text.trimmed }
  }

  /// The properties named `name`, which is ASCII in upper case, in their order.
  public func properties(named name: String) -> [Property] {
    var found: [Property] = []
    forEachLine(named: name) { found.append(Property($0, in: storage)) }
    return found
  }

  /// The first property named `name`, which is ASCII in upper case.
  public func property(named name: String) -> Property? {
    guard names.mayHave(name) else { return nil }
    return lines.first { storage.matches(name, in: $0.name) }.map { Property($0, in: storage) }
  }

  private static func version(_ line: ContentLine, in bytes: [UInt8]) -> Version? {
    let text = Property(line, in: bytes).text.trimmed
    return switch text {
    case "2", "2.1": .v2_1
    case "3", "3.0": .v3_0
    case "4", "4.0": .v4_0
    default: nil
    }
  }
}

extension Card {
  /// Calls `body` with each line named `name`, which is ASCII in upper case, in their order.
  func forEachLine(named name: String, _ body: (ContentLine) -> Void) {
    guard names.mayHave(name) else { return }
    for line in lines where storage.matches(name, in: line.name) { body(line) }
  }

  /// The first text that is not empty of a property named `name`.
  func firstText(_ name: String) -> String? {
    guard names.mayHave(name) else { return nil }
    for line in lines where storage.matches(name, in: line.name) {
      let text = Property(line, in: storage).text.trimmed
      if !text.isEmpty { return text }
    }
    return nil
  }

  /// The first property named `name` in the group of `property`.
  func companions(of property: Property, named name: String) -> Property? {
    guard !property.line.group.isEmpty, names.mayHave(name) else { return nil }
    return lines.first {
      storage.matches(name, in: $0.name) && storage.matches($0.group, property.line.group)
    }.map { Property($0, in: storage) }
  }
}

/// A version of the format.
///
/// ```swift
/// CardWriter(version: .v3_0).bytes(of: card)
/// ```
public enum Version: String, Sendable, CaseIterable {
  /// vCard 2.1 (versit consortium, 1996).
  case v2_1 = "2.1"
  /// vCard 3.0 (RFC 2426).
  case v3_0 = "3.0"
  /// vCard 4.0 (RFC 6350).
  case v4_0 = "4.0"
}

extension Card {
  /// Makes a card from properties.
  ///
  /// - Parameters:
  ///   - version: 3.0 or 4.0.
  ///   - properties: All properties except BEGIN, VERSION and END, in order.
  ///   - limits: The limits of its parts.
  /// - Throws: ``CardFault`` if the card exceeds a limit.
  public init(version: Version = .v4_0, properties: [Property], limits: Limits = Limits()) throws(CardFault) {
    var bytes: [UInt8] = []
    LineFolder.append(Array("BEGIN:VCARD".utf8), to: &bytes)
    LineFolder.append(Array("VERSION:\(version.rawValue)".utf8), to: &bytes)
    for property in properties { LineFolder.append(property.standalone, to: &bytes) }
    LineFolder.append(Array("END:VCARD".utf8), to: &bytes)
    try self.init(bytes, limits: limits)
  }
}

extension Property {
  /// The property as one unfolded line of UTF-8 without an encoding.
  fileprivate var standalone: [UInt8] {
    guard line.number > 0 else { return bytes }
    let parameters = parameters.filter {
      $0.name != "CHARSET" && ($0.name != "ENCODING" || line.traits.contains(.base64))
    }
    return Property(name, group: group, parameters: parameters, value: .raw(rawText)).bytes
  }
}

extension Card {
  /// The identifier as written (UID).
  public var uid: String? { firstText("UID") }

  /// The identifier without `urn:uuid:`, for comparison.
  public var bareUID: String? { uid.map(Self.withoutScheme) }

  /// The kind of the card, from KIND, X-ADDRESSBOOKSERVER-KIND, or X-ABShowAs.
  public var kind: CardKind {
    if let kind = firstText("KIND") ?? firstText("X-ADDRESSBOOKSERVER-KIND") {
      return switch kind.lowercased() {
      case "individual": .individual
      case "group": .group
      case "org", "organization": .organization
      case "location": .location
      case let other: .other(other)
      }
    }
    return firstText("X-ABSHOWAS")?.uppercasedASCII == "COMPANY" ? .organization : .individual
  }

  /// The members of a group, by identifier without `urn:uuid:` (MEMBER, X-ADDRESSBOOKSERVER-MEMBER).
  public var members: [String] {
    (properties(named: "MEMBER") + properties(named: "X-ADDRESSBOOKSERVER-MEMBER")).compactMap(\.text.nonEmpty)
      .map(Self.withoutScheme)
  }

  /// The categories of all CATEGORIES properties.
  public var categories: [String] { limited(properties(named: "CATEGORIES").flatMap(\.list)) }

  private static func withoutScheme(_ uid: String) -> String {
    uid.uppercasedASCII.hasPrefix("URN:UUID:") ? String(uid.dropFirst(9)) : uid
  }
}

/// What a card describes (KIND, RFC 6350 6.1.4).
///
/// ```swift
/// if card.kind == .group { print(card.members) }
/// ```
public enum CardKind: Sendable, Hashable {
  /// A person; also the default.
  case individual
  /// A group whose ``Card/members`` are other cards.
  case group
  /// An organisation.
  case organization
  /// A place.
  case location
  /// Another kind, in lower case.
  case other(String)
}

/// A Bloom filter of property names: tests a few bits instead of every line.
///
/// The views of a card look for some sixty names, of which a card has about ten.
struct NameFilter: Sendable {
  private var bits: UInt64 = 0

  init(_ lines: [ContentLine], in bytes: [UInt8]) {
    for line in lines {
      let (first, last) = (bytes[line.name.lowerBound], bytes[line.name.upperBound - 1])
      bits |= Self.bit(line.name.count, first.uppercasedASCII, last.uppercasedASCII)
    }
  }

  /// False if no property is named `name`, which is ASCII in upper case; true if one may be.
  func mayHave(_ name: String) -> Bool {
    let text = name.utf8
    guard let first = text.first, let last = text.last else { return false }
    return bits & Self.bit(text.count, first, last) != 0
  }

  private static func bit(_ count: Int, _ first: UInt8, _ last: UInt8) -> UInt64 {
    1 << UInt64((count &+ 7 &* Int(first) &+ 13 &* Int(last)) & 63)
  }
}
