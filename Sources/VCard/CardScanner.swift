/// The range of a card in the input.
struct CardExtent {
  var range: Range<Int>
  /// The line the card starts on, counted from 1.
  var line: Int
}

/// Finds cards in lines, from BEGIN:VCARD to END:VCARD, and repairs a missing BEGIN or END.
///
/// A card nested in an AGENT property (vCard 2.1) belongs to the card around it. Any other card inside a 2.1 card is a
/// card of its own, placed after the card around it, if properties follow its end; if none do, the outer card had lost
/// its END. Lines outside of any card that look like properties make a card whose BEGIN is missing.
struct CardScanner {
  private(set) var lines: LineScanner
  /// The open cards, the outermost first.
  private var open: [CardStart] = []
  /// Completed cards inside the outermost one.
  private var inner: [CardExtent] = []
  /// Cards that are found and not returned yet.
  private var found: [CardExtent] = []
  private var lineNumber = 0
  /// The number of open cards in AGENT properties.
  private var depth = 0
  private var agentIsOpen = false
  /// True if an inner card has just ended and no property of the card around it has followed.
  private var isAfterInner = false

  private struct CardStart {
    var start: Int
    var line: Int
  }

  /// A deeper nesting is treated as cards without END.
  private static let nesting = 4

  init(position: Int = 0) {
    lines = LineScanner(position: position)
  }

  /// Returns the next card that is complete in `bytes`; with `isFinal` the end of the bytes also completes a card.
  mutating func next(in bytes: [UInt8], isFinal: Bool) -> CardExtent? {
    while found.isEmpty, let line = lines.next(in: bytes, end: bytes.count, isFinal: isFinal) {
      lineNumber += 1
      take(line, in: bytes)
    }
    if found.isEmpty, isFinal { closeAll(at: bytes.count) }
    return found.isEmpty ? nil : found.removeFirst()
  }

  /// The start of the outermost open card; nil outside of all cards.
  var openStart: Int? { open.first?.start }

  /// The first byte that a card may still need; nil outside of all cards.
  var neededStart: Int? { found.first?.range.lowerBound ?? openStart }

  /// True if there are cards inside the outermost one.
  var hasInner: Bool { open.count > 1 || !inner.isEmpty }

  /// Treats the cards around the innermost one as cards without END: they are too long to wait for it.
  mutating func abandonNesting() {
    let innermost = isAfterInner || open.count < 2 ? nil : open.last
    closeAll(at: lines.position)
    guard let innermost else { return }
    found.removeAll { $0.range.lowerBound == innermost.start }
    open = [innermost]
  }

  /// Adjusts positions after the first `count` bytes of the input were removed.
  mutating func shift(by count: Int) {
    lines.shift(by: count)
    func shift(_ range: Range<Int>) -> Range<Int> { range.lowerBound - count..<range.upperBound - count }
    for index in open.indices { open[index].start -= count }
    for index in inner.indices { inner[index].range = shift(inner[index].range) }
    for index in found.indices { found[index].range = shift(found[index].range) }
  }

  /// Forgets how far the search got, after the bytes behind the last complete line changed.
  mutating func forgetSearch() {
    lines = LineScanner(position: lines.position)
  }

  private mutating func take(_ line: PhysicalLine, in bytes: [UInt8]) {
    guard let outermost = open.first else {
      if let marker = Marker(of: bytes.trimmingBlanks(bytes.skippingByteOrderMark(line.range)), in: bytes) {
        if marker == .begin { begin(at: line) }
      } else if bytes.looksLikeProperty(line.range) {
        begin(at: line)
      }
      return
    }
    let afterAgent = agentIsOpen
    agentIsOpen = afterAgent && bytes.trimmingBlanks(line.range).isEmpty
    switch Marker(of: bytes.skippingByteOrderMark(line.range), in: bytes) {
    case .begin where afterAgent:
      depth += 1
    case .begin:
      // Nothing follows the end of an inner card: it was not an inner card.
      let mayNest =
        depth == 0 && open.count < Self.nesting && !isAfterInner && outermost.start >= 0
        && bytes.isLegacyCard(outermost.start..<line.range.lowerBound)
      if !mayNest { closeAll(at: line.range.lowerBound) }
      begin(at: line)
    case .end where depth > 0:
      depth -= 1
    case .end:
      close(at: line)
    case .agent:
      agentIsOpen = true
    case .agentWithCard:
      depth += 1
    case nil where isAfterInner:
      isAfterInner = bytes.trimmingBlanks(line.range).isEmpty
    case nil:
      break
    }
  }

  private mutating func begin(at line: PhysicalLine) {
    open.append(CardStart(start: line.range.lowerBound, line: lineNumber))
    depth = 0
    agentIsOpen = false
    isAfterInner = false
  }

  /// Ends the innermost card. If it is the outermost, the cards inside it follow it.
  private mutating func close(at line: PhysicalLine) {
    guard let last = open.popLast() else { return }
    let extent = CardExtent(range: last.start..<line.next, line: last.line)
    guard open.isEmpty else {
      inner.append(extent)
      isAfterInner = true
      return
    }
    found.append(extent)
    found += inner.sorted { $0.line < $1.line }
    inner = []
  }

  /// Ends cards whose END is missing: each extends to the next card that was taken for an inner one.
  private mutating func closeAll(at end: Int) {
    guard !open.isEmpty else { return }
    let last = isAfterInner ? inner.last : nil
    var starts = open
    if let last { starts.append(CardStart(start: last.range.lowerBound, line: last.line)) }
    for (index, card) in open.enumerated() {
      let next = index + 1 < starts.count ? starts[index + 1].start : end
      found.append(CardExtent(range: card.start..<next, line: card.line))
    }
    found = (found + inner).sorted { $0.line < $1.line }
    (open, inner, isAfterInner, depth) = ([], [], false, 0)
  }
}

/// A line that opens or closes a card.
enum Marker {
  case begin
  case end
  /// An AGENT property without a value; a card may follow on the next line.
  case agent
  /// An AGENT property whose value is BEGIN:VCARD.
  case agentWithCard

  init?(of line: Range<Int>, in bytes: [UInt8]) {
    guard let first = line.first.map({ bytes[$0].uppercasedASCII }) else { return nil }
    switch first {
    case UInt8(ascii: "B"):
      guard bytes.isMarker("BEGIN", line) else { return nil }
      self = .begin
    case UInt8(ascii: "E"):
      guard bytes.isMarker("END", line) else { return nil }
      self = .end
    case UInt8(ascii: "A"):
      guard line.count >= 6, bytes.matches("AGENT", in: line.lowerBound..<line.lowerBound + 5),
        bytes[line.lowerBound + 5] == ASCII.colon || bytes[line.lowerBound + 5] == ASCII.semicolon,
        let colon = bytes.firstIndex(of: ASCII.colon, in: line)
      else { return nil }
      let value = bytes.trimmingBlanks(colon + 1..<line.upperBound)
      if value.isEmpty {
        self = .agent
      } else if bytes.isMarker("BEGIN", value) {
        self = .agentWithCard
      } else {
        return nil
      }
    default:
      return nil
    }
  }
}

extension [UInt8] {
  /// True if a line is `keyword:VCARD`, ignoring case, with optional blanks after either part.
  fileprivate func isMarker(_ keyword: String, _ line: Range<Int>) -> Bool {
    guard let colon = firstIndex(of: ASCII.colon, in: line.prefix(16)) else { return false }
    return matches(keyword, in: trimmingBlanks(line.lowerBound..<colon))
      && matches("VCARD", in: trimmingBlanks(colon + 1..<line.upperBound))
  }

  func skippingByteOrderMark(_ line: Range<Int>) -> Range<Int> {
    guard line.count >= 3, self[line.lowerBound] == 0xEF, self[line.lowerBound + 1] == 0xBB,
      self[line.lowerBound + 2] == 0xBF
    else { return line }
    return line.lowerBound + 3..<line.upperBound
  }

  /// True if a line starts with a name and a colon or semicolon, and is not another object's BEGIN or END.
  fileprivate func looksLikeProperty(_ line: Range<Int>) -> Bool {
    let line = skippingByteOrderMark(line)
    guard let nameEnd = line.first(where: { !self[$0].isNameByte && self[$0] != ASCII.dot }), nameEnd > line.lowerBound
    else { return false }
    let name = line.lowerBound..<nameEnd
    return (self[nameEnd] == ASCII.colon || self[nameEnd] == ASCII.semicolon) && !matches("BEGIN", in: name)
      && !matches("END", in: name)
  }

  /// True if an open card declares version 2.1, which allows cards in cards (vCard 2.1, 2.1.4.3).
  fileprivate func isLegacyCard(_ range: Range<Int>) -> Bool {
    var lines = LineScanner(position: range.lowerBound)
    while let line = lines.next(in: self, end: range.upperBound, isFinal: true) {
      guard starts(with: "VERSION", at: line.range.lowerBound, before: line.range.upperBound),
        let colon = firstIndex(of: ASCII.colon, in: line.range)
      else { continue }
      return matches("2.1", in: trimmingBlanks(colon + 1..<line.range.upperBound))
    }
    return false
  }
}
