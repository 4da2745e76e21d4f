/// One line of the input, without its line break.
struct PhysicalLine {
  /// The bytes of the line.
  var range: Range<Int>
  /// Where the following line starts.
  var next: Int
}

/// Cuts bytes into lines that end in CRLF, LF, or CR alone.
///
/// It remembers how far it has searched for each byte, so that input with one kind of line break, or input that grows, is
/// searched once.
struct LineScanner {
  private(set) var position: Int
  private var feed = Candidate()
  private var carriage = Candidate()

  /// Where a byte was found, or how far it was looked for in vain.
  private struct Candidate {
    var searched = 0
    var isFound = false

    mutating func locate(_ byte: UInt8, in bytes: [UInt8], from position: Int, to end: Int) -> Int? {
      if isFound, searched >= position { return searched < end ? searched : nil }
      let start = max(position, searched)
      guard start < end else { return nil }
      if let index = bytes.firstIndex(of: byte, in: start..<end) {
        (searched, isFound) = (index, true)
        return index
      }
      (searched, isFound) = (end, false)
      return nil
    }
  }

  init(position: Int = 0) {
    self.position = position
  }

  /// The next line before `end`; nil at the end, and, unless `isFinal`, when the line is not complete yet.
  mutating func next(in bytes: [UInt8], end: Int, isFinal: Bool) -> PhysicalLine? {
    guard position < end else { return nil }
    let feedIndex = feed.locate(ASCII.lineFeed, in: bytes, from: position, to: end)
    let carriageIndex = carriage.locate(ASCII.carriageReturn, in: bytes, from: position, to: feedIndex ?? end)
    let lineEnd: Int
    var next: Int
    if let carriageIndex {
      lineEnd = carriageIndex
      next = carriageIndex + 1
      // Some exports double the CR: CR CR LF is one line break.
      var after = next
      while after < end, bytes[after] == ASCII.carriageReturn { after += 1 }
      if after == end, !isFinal { return nil }
      if after < end, bytes[after] == ASCII.lineFeed { next = after + 1 }
    } else if let feedIndex {
      lineEnd = feedIndex
      next = feedIndex + 1
    } else {
      guard isFinal else { return nil }
      lineEnd = end
      next = end
    }
    let line = PhysicalLine(range: position..<lineEnd, next: next)
    position = next
    return line
  }

  /// Follows the removal of the first `count` bytes of the input.
  mutating func shift(by count: Int) {
    position -= count
    feed.searched = max(0, feed.searched - count)
    carriage.searched = max(0, carriage.searched - count)
  }
}
