/// Where a card lies in the input.
struct CardExtent {
  var range: Range<Int>
  /// The line the card starts on, counted from 1.
  var line: Int
}

/// Finds cards in lines: from BEGIN:VCARD to its END:VCARD, with repairs for either one missing.
///
/// A card nested in an AGENT property (vCard 2.1) belongs to the card around it. Another card inside of a 2.1 card is a card of
/// its own, which comes after the one around it, where properties follow its end; where none do, the first card had lost its
/// END. Lines that look like properties outside of any card make a card whose BEGIN is missing.
struct CardScanner {
  private(set) var lines: LineScanner
  /// The cards that have begun, the outermost first.
  private var open: [CardStart] = []
  /// Cards inside of the outermost one that have ended.
  private var inner: [CardExtent] = []
  /// Cards that are found and not handed on yet.
  private var found: [CardExtent] = []
  private var lineNumber = 0
  /// AGENT properties whose card has begun.
  private var depth = 0
  private var agentIsOpen = false
  /// Whether an inner card has just ended, and the card around it has said nothing since.
  private var isAfterInner = false

  private struct CardStart {
    var start: Int
    var line: Int
  }

  /// More cards inside of each other are taken for cards without END.
  private static let nesting = 4

  init(position: Int = 0) {
    lines = LineScanner(position: position)
  }

  /// The next card that is complete in `bytes`; with `isFinal` the end of the bytes completes a card too.
  mutating func next(in bytes: [UInt8], isFinal: Bool) -> CardExtent? {
    while found.isEmpty, let line = lines.next(in: bytes, end: bytes.count, isFinal: isFinal) {
      lineNumber += 1
      take(line, in: bytes)
    }
    if found.isEmpty, isFinal { closeAll(at: bytes.count) }
    return found.isEmpty ? nil : found.removeFirst()
  }

  /// Where the outermost card begins that has not ended; nil outside of all cards.
  var openStart: Int? { open.first?.start }

  /// Where the first byte is that a card may still need; nil outside of all cards.
  var neededStart: Int? { found.first?.range.lowerBound ?? openStart }

  /// Whether there are cards inside of the outermost one.
  var hasInner: Bool { open.count > 1 || !inner.isEmpty }

  /// Takes the cards around the innermost one for cards without END: they are too long to wait for it.
  mutating func abandonNesting() {
    let innermost = isAfterInner || open.count < 2 ? nil : open.last
    closeAll(at: lines.position)
    guard let innermost else { return }
    found.removeAll { $0.range.lowerBound == innermost.start }
    open = [innermost]
  }

  /// Follows the removal of the first `count` bytes of the input.
  mutating func shift(by count: Int) {
    lines.shift(by: count)
    func shift(_ range: Range<Int>) -> Range<Int> { range.lowerBound - count..<range.upperBound - count }
    for index in open.indices { open[index].start -= count }
    for index in inner.indices { inner[index].range = shift(inner[index].range) }
    for index in found.indices { found[index].range = shift(found[index].range) }
  }

  /// Follows a change of the bytes after the last complete line.
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
      // Nothing between the end of an inner card and this: no inner card then.
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

  /// Ends the innermost card; when it is the outermost, the cards inside of it follow it.
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

  /// Ends cards whose END is missing: each goes as far as the next one that was taken for one inside of it.
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
  /// An AGENT property without a value: a card may follow on the next line.
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
  /// Whether a line is `keyword:VCARD`, in any case and with blanks after either part.
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

  /// Whether a line starts with a name and a colon or semicolon, and is no BEGIN or END of something else.
  fileprivate func looksLikeProperty(_ line: Range<Int>) -> Bool {
    let line = skippingByteOrderMark(line)
    guard let nameEnd = line.first(where: { !self[$0].isNameByte && self[$0] != ASCII.dot }), nameEnd > line.lowerBound
    else { return false }
    let name = line.lowerBound..<nameEnd
    return (self[nameEnd] == ASCII.colon || self[nameEnd] == ASCII.semicolon) && !matches("BEGIN", in: name)
      && !matches("END", in: name)
  }

  /// Whether a card that has begun says that it is a 2.1 one, whose specification has cards in cards (vCard 2.1, 2.1.4.3).
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
