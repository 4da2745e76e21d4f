/// Where a card lies in the input.
struct CardExtent {
  var range: Range<Int>
  /// The line the card starts on, counted from 1.
  var line: Int
}

/// Finds cards in lines: from BEGIN:VCARD to its END:VCARD, with repairs for either one missing.
///
/// A card nested in an AGENT property (vCard 2.1) belongs to the card around it. Lines that look like properties outside of
/// any card make a card whose BEGIN is missing.
struct CardScanner {
  private(set) var lines: LineScanner
  private(set) var openStart: Int?
  private var openLine = 0
  private var lineNumber = 0
  private var depth = 0
  private var agentIsOpen = false

  init(position: Int = 0) {
    lines = LineScanner(position: position)
  }

  /// The next card that is complete in `bytes`; with `isFinal` the end of the bytes completes a card too.
  mutating func next(in bytes: [UInt8], isFinal: Bool) -> CardExtent? {
    while let line = lines.next(in: bytes, end: bytes.count, isFinal: isFinal) {
      lineNumber += 1
      if let extent = take(line, in: bytes) { return extent }
    }
    guard isFinal, let start = openStart else { return nil }
    openStart = nil
    return CardExtent(range: start..<bytes.count, line: openLine)
  }

  /// Follows the removal of the first `count` bytes of the input.
  mutating func shift(by count: Int) {
    lines.shift(by: count)
    openStart = openStart.map { $0 - count }
  }

  /// Follows a change of the bytes after the last complete line.
  mutating func forgetSearch() {
    lines = LineScanner(position: lines.position)
  }

  private mutating func take(_ line: PhysicalLine, in bytes: [UInt8]) -> CardExtent? {
    guard let start = openStart else {
      if let marker = Marker(of: bytes.trimmingBlanks(bytes.skippingByteOrderMark(line.range)), in: bytes) {
        if marker == .begin { open(at: line, depth: 1) }
      } else if bytes.looksLikeProperty(line.range) {
        open(at: line, depth: 1)
      }
      return nil
    }
    let afterAgent = agentIsOpen
    agentIsOpen = afterAgent && bytes.trimmingBlanks(line.range).isEmpty
    switch Marker(of: bytes.skippingByteOrderMark(line.range), in: bytes) {
    case .begin where afterAgent:
      depth += 1
    case .begin:
      let extent = CardExtent(range: start..<line.range.lowerBound, line: openLine)
      open(at: line, depth: 1)
      return extent
    case .end:
      depth -= 1
      guard depth == 0 else { return nil }
      openStart = nil
      return CardExtent(range: start..<line.next, line: openLine)
    case .agent:
      agentIsOpen = true
    case .agentWithCard:
      depth += 1
    case nil:
      break
    }
    return nil
  }

  private mutating func open(at line: PhysicalLine, depth: Int) {
    openStart = line.range.lowerBound
    openLine = lineNumber
    self.depth = depth
    agentIsOpen = false
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
}
