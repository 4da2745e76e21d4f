/// One vCard: its bytes, its properties in order, and typed views over them.
///
/// Reading a card finds where its properties are; texts, numbers and pictures are made when a view is read, so views that are
/// not read cost nothing. All texts come without white space at their ends.
public struct Card: Sendable {
  let storage: [UInt8]
  let lines: [ContentLine]
  let byteCount: Int
  let limits: Limits
  private let versionLine: ContentLine?
  private let names: NameFilter

  /// The repairs made while the card was read; ``valueWarnings()`` has those of its values.
  public let warnings: [Warning]
  /// The line the card starts on, counted from 1 in the whole input.
  public let lineNumber: Int

  /// Reads one card.
  ///
  /// - Parameters:
  ///   - bytes: The card from BEGIN to END, in UTF-8 or with CHARSET parameters.
  ///   - lineNumber: The line it starts on in the whole input.
  ///   - limits: The bounds on its parts.
  /// - Throws: ``CardFault`` when the bytes hold no card or exceed a limit.
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

  /// The version; 3.0 when it is missing or unknown, since that reads the other two best.
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

  /// The first text of a property named `name` that is not empty.
  func firstText(_ name: String) -> String? {
    guard names.mayHave(name) else { return nil }
    for line in lines where storage.matches(name, in: line.name) {
      let text = Property(line, in: storage).text.trimmed
      if !text.isEmpty { return text }
    }
    return nil
  }

  /// The properties that share the group of `property`.
  func companions(of property: Property, named name: String) -> Property? {
    guard !property.line.group.isEmpty, names.mayHave(name) else { return nil }
    return lines.first {
      storage.matches(name, in: $0.name) && storage.matches($0.group, property.line.group)
    }.map { Property($0, in: storage) }
  }
}
