/// Parses the bytes of one card into content lines, and records the repairs.
///
/// Lines are unfolded as bytes, because folds may split a character. They are not copied: a content line is a set of
/// ranges. Only a line with a fold before its value is copied, unfolded, behind the card's own bytes.
struct CardParser {
  private(set) var bytes: [UInt8]
  private(set) var properties: [ContentLine] = []
  private(set) var warnings: [Warning] = []
  private(set) var version: ContentLine?
  private let limits: Limits
  private let firstLine: Int
  private let end: Int
  private var scanner: LineScanner
  private var lineNumber: Int
  private var lookahead: PhysicalLine?

  init(_ bytes: [UInt8], firstLine: Int, limits: Limits) throws(CardFault) {
    guard bytes.count <= limits.cardBytes else { throw CardFault(.cardTooLarge, line: firstLine) }
    self.bytes = bytes
    self.limits = limits
    self.firstLine = firstLine
    end = bytes.count
    scanner = LineScanner()
    lineNumber = firstLine - 1
    properties.reserveCapacity(24)
    advance()
    try parse()
  }

  private mutating func parse() throws(CardFault) {
    var hasBegin = false
    var hasEnd = false
    while let line = lookahead, !hasEnd {
      let number = lineNumber
      advance()
      guard !bytes.trimmingBlanks(line.range).isEmpty else { continue }
      switch Marker(of: bytes.trimmingBlanks(bytes.skippingByteOrderMark(line.range)), in: bytes) {
      case .begin where hasBegin: skipInnerCard()
      case .begin: hasBegin = true
      case .end: hasEnd = true
      default: try read(line, number: number)
      }
    }
    if !hasBegin {
      guard properties.contains(where: { namesSomebody($0) }) else {
        throw CardFault(properties.isEmpty ? .empty : .textOutsideCard, line: firstLine)
      }
      warn(.missingBegin, firstLine)
    }
    decodeUndeclared()
    if !hasEnd {
      guard properties.contains(where: { saysSomething($0) }) else { throw CardFault(.cutOff, line: firstLine) }
      warn(.missingEnd, lineNumber)
    }
    guard !properties.isEmpty || version != nil else { throw CardFault(.empty, line: firstLine) }
    if version == nil { warn(.missingVersion, firstLine) }
    if let version, bytes.matches("2.1", in: bytes.trimmingBlanks(version.value)) {
      for index in properties.indices { properties[index].traits.insert(.legacy) }
    }
  }

  /// Skips a card inside this one, which is read as a separate card.
  private mutating func skipInnerCard() {
    var depth = 1
    while depth > 0, let line = lookahead {
      switch Marker(of: bytes.trimmingBlanks(line.range), in: bytes) {
      case .begin, .agentWithCard: depth += 1
      case .end: depth -= 1
      default: break
      }
      advance()
    }
  }

  private mutating func advance() {
    lookahead = scanner.next(in: bytes, end: end, isFinal: true)
    lineNumber += 1
  }

  /// Reads the property that starts on `line`, with the lines that continue it.
  private mutating func read(_ line: PhysicalLine, number: Int) throws(CardFault) {
    var range = line.range
    var isFolded = false
    while let next = lookahead, continues(next) {
      range = range.lowerBound..<next.range.upperBound
      isFolded = true
      advance()
    }
    guard range.count <= limits.lineBytes else { throw CardFault(.lineTooLong, line: number) }
    guard var content = contentLine(range, number: number, isFolded: isFolded) else {
      return warn(.unreadableLine, number)
    }
    readEncoding(of: &content)
    if content.traits.contains(.quotedPrintable) {
      joinSoftBreaks(to: &content)
    } else if content.traits.contains(.base64) {
      joinUnindentedBase64(to: &content)
    } else if bytes.matches("AGENT", in: content.name) {
      joinNestedCard(to: &content)
    }
    guard content.value.count <= limits.lineBytes else { throw CardFault(.lineTooLong, line: number) }
    keep(content)
  }

  /// True if a line continues the previous one: it starts with a blank, or is empty and the next line does.
  private func continues(_ line: PhysicalLine) -> Bool {
    let first = line.range.first ?? line.next
    return first < end && bytes[first].isBlank
  }

  /// The ranges of a line. A fold before the value makes an unfolded copy.
  private mutating func contentLine(_ range: Range<Int>, number: Int, isFolded: Bool) -> ContentLine? {
    guard isFolded else { return header(range, number: number) }
    // None if the fold is within the group or the name, which have no line breaks.
    if var content = header(range, number: number) {
      let head = content.start..<content.value.lowerBound
      if (bytes.firstIndex(of: ASCII.lineFeed, in: head) ?? bytes.firstIndex(of: ASCII.carriageReturn, in: head)) == nil
      {
        content.traits.insert(.folded)
        return content
      }
    }
    let start = bytes.count
    bytes.append(contentsOf: bytes.unfolded(range))
    return header(start..<bytes.count, number: number)
  }

  private mutating func header(_ range: Range<Int>, number: Int) -> ContentLine? {
    if let content = ContentLine(range, in: bytes, number: number, honoursQuotes: true) { return content }
    guard bytes.firstIndex(of: ASCII.quote, in: range) != nil,
      let content = ContentLine(range, in: bytes, number: number, honoursQuotes: false)
    else { return nil }
    warn(.unbalancedQuotes, number)
    return content
  }

  private mutating func readEncoding(of content: inout ContentLine) {
    var count = 0
    for parameter in ParameterScanner(content, in: bytes) {
      count += 1
      if count > limits.parameters { return warn(.tooManyParameters, content.number) }
      if bytes.matches("CHARSET", in: parameter.name) {
        content.traits.insert(.hasCharset)
      } else if parameter.name.isEmpty || bytes.matches("ENCODING", in: parameter.name) {
        let value = bytes.unquoted(parameter.value)
        if bytes.matches("QUOTED-PRINTABLE", in: value) {
          content.traits.insert(.quotedPrintable)
        } else if bytes.matches("BASE64", in: value) || bytes.matches("B", in: value) || bytes.matches("B,B", in: value)
        {
          content.traits.insert(.base64)
        }
      }
    }
  }

  /// Adds the lines after a trailing `=` (RFC 2045 6.7 rule 5), even if they are not indented.
  private mutating func joinSoftBreaks(to content: inout ContentLine) {
    while let last = content.value.last, bytes[last] == ASCII.equals, let next = lookahead,
      Marker(of: next.range, in: bytes) != .end
    {
      extend(&content, to: next)
      while let fold = lookahead, continues(fold) { extend(&content, to: fold) }
    }
  }

  /// Adds lines of base64 that lack the blank of a fold, across blank lines too.
  private mutating func joinUnindentedBase64(to content: inout ContentLine) {
    while let next = lookahead, bytes.isBase64Text(next.range) { extend(&content, to: next) }
  }

  /// Adds the lines of a card nested in AGENT (vCard 2.1).
  private mutating func joinNestedCard(to content: inout ContentLine) {
    let value = bytes.trimmingBlanks(content.value)
    while value.isEmpty, let next = lookahead, bytes.trimmingBlanks(next.range).isEmpty { advance() }
    var depth = 0
    if value.isEmpty {
      guard let next = lookahead, Marker(of: next.range, in: bytes) == .begin else { return }
      content.value = next.range
      extend(&content, to: next)
      depth = 1
    } else if Marker(of: value, in: bytes) == .begin {
      depth = 1
    }
    guard depth > 0 else { return }
    content.traits.insert(.nested)
    var deepest = depth
    while depth > 0, let next = lookahead {
      switch Marker(of: next.range, in: bytes) {
      case .begin, .agentWithCard: depth += 1
      case .end: depth -= 1
      default: break
      }
      deepest = max(deepest, depth)
      extend(&content, to: next)
    }
    if deepest >= limits.nesting { warn(.nestedTooDeep, content.number) }
  }

  /// Adds a line to a value, even if its start was copied behind the card.
  private mutating func extend(_ content: inout ContentLine, to line: PhysicalLine) {
    if content.value.lowerBound < end {
      content.value = content.value.lowerBound..<line.range.upperBound
    } else {
      let text = bytes[line.range]
      bytes.append(ASCII.lineFeed)
      bytes.append(contentsOf: text)
      content.value = content.value.lowerBound..<bytes.count
    }
    content.traits.insert(.folded)
    advance()
  }

  private mutating func keep(_ content: ContentLine) {
    if bytes.matches("VERSION", in: content.name) {
      if version != nil { return warn(.duplicateVersion, content.number) }
      version = content
      return
    }
    guard properties.count < limits.properties else {
      if warnings.last?.kind != .tooManyProperties { warn(.tooManyProperties, content.number) }
      return
    }
    properties.append(content)
    guard !content.traits.contains(.hasCharset), !content.traits.contains(.base64) else { return }
    if content.traits.contains(.quotedPrintable) || !bytes.isASCII(in: content.value), !bytes.isUTF8(content) {
      properties[properties.count - 1].traits.insert(.undeclared)
      warn(.undeclaredCharset, content.number)
    }
  }

  /// Decodes values that are not UTF-8 and declare no character set, behind the card's own bytes.
  ///
  /// A character set declared by another property is tried first, then Windows-1252, which accepts nearly all bytes. A
  /// value that is mostly UTF-8 stays, and its invalid bytes are replaced when it is read.
  private mutating func decodeUndeclared() {
    guard properties.contains(where: { $0.traits.contains(.undeclared) }) else { return }
    // A card has one or two code pages; more are not worth trying.
    let declared = Array(
      properties.lazy.filter { $0.traits.contains(.hasCharset) }
        .compactMap { [bytes] in Property($0, in: bytes).value(ofParameter: "CHARSET") }
        .filter { !CharsetDecoder.isUTF8($0) }.prefix(3))
    for index in properties.indices where properties[index].traits.contains(.undeclared) {
      let content = Property(properties[index], in: bytes).content
      guard !content.isMostlyUTF8 else { continue }
      for name in declared + ["WINDOWS-1252"] {
        guard let decoder = CharsetDecoder(name) else { continue }
        let decoded = decoder.decode(content)
        guard decoded.isClean || name == "WINDOWS-1252" else { continue }
        properties[index].value = bytes.count..<bytes.count + decoded.text.count
        properties[index].traits.subtract([.folded, .quotedPrintable])
        bytes.append(contentsOf: decoded.text)
        break
      }
    }
  }

  private func namesSomebody(_ content: ContentLine) -> Bool {
    ["FN", "N", "TEL", "EMAIL", "ORG", "UID"].contains { bytes.matches($0, in: content.name) }
  }

  /// True if a property has a value and is not UID, REV, PRODID or KIND.
  private func saysSomething(_ content: ContentLine) -> Bool {
    bytes[content.value].contains { !$0.isBlank && $0 != ASCII.semicolon && $0 != ASCII.comma }
      && !["UID", "REV", "PRODID", "KIND"].contains { bytes.matches($0, in: content.name) }
  }

  private mutating func warn(_ kind: Warning.Kind, _ line: Int) {
    // If the input is hardly a card, the first warnings are enough; a missing end matters because it decides about
    // deletions.
    guard warnings.count < limits.warnings || kind == .missingEnd else { return }
    warnings.append(Warning(kind, line: line))
  }
}

extension [UInt8] {
  /// The bytes in `range` without line breaks and without the one blank that may follow each (RFC 6350 3.2).
  func unfolded(_ range: Range<Int>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = self[index]
      index += 1
      guard byte.isLineBreak else {
        result.append(byte)
        continue
      }
      while index < range.upperBound, self[index].isLineBreak { index += 1 }
      if index < range.upperBound, self[index].isBlank { index += 1 }
    }
    return result
  }

  /// `range` without surrounding double quotes.
  func unquoted(_ range: Range<Int>) -> Range<Int> {
    guard range.count >= 2, self[range.lowerBound] == ASCII.quote, self[range.upperBound - 1] == ASCII.quote
    else { return range }
    return range.lowerBound + 1..<range.upperBound - 1
  }

  /// True if the value of a line is UTF-8 after unfolding and decoding.
  fileprivate func isUTF8(_ content: ContentLine) -> Bool {
    guard !content.traits.isDisjoint(with: [.folded, .quotedPrintable]) else { return isUTF8(in: content.value) }
    let value = Array(Property(content, in: self).content)
    return value.isUTF8(in: 0..<value.count)
  }

  private func isUTF8(in range: Range<Int>) -> Bool {
    (try? UTF8Span(validating: span.extracting(range))) != nil
  }

  /// True if a line is blank or consists only of base64 digits.
  fileprivate func isBase64Text(_ range: Range<Int>) -> Bool {
    range.allSatisfy { Base64.isText(self[$0]) }
  }
}

extension ArraySlice<UInt8> {
  /// True if most of the bytes above 0x7F belong to UTF-8 characters.
  fileprivate var isMostlyUTF8: Bool {
    let text = String(decoding: self, as: UTF8.self)
    let bad = text.unicodeScalars.count { $0 == "\u{FFFD}" }
    let good = text.unicodeScalars.count { !$0.isASCII } - bad
    return good > bad
  }
}
