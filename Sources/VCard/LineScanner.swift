/// One line of the input, without its line break.
struct PhysicalLine {
  /// The bytes of the line.
  var range: Range<Int>
  /// The start of the following line.
  var next: Int
}

/// Splits bytes into lines that end in CRLF, LF, or CR alone.
struct LineScanner {
  private(set) var position: Int
  /// No line break between the position and here; input that grows is not searched twice.
  private var searched: Int

  init(position: Int = 0) {
    self.position = position
    searched = position
  }

  /// Returns the next line before `end`; nil at the end, and, unless `isFinal`, if the line is incomplete.
  mutating func next(in bytes: [UInt8], end: Int, isFinal: Bool) -> PhysicalLine? {
    guard position < end else { return nil }
    var lineEnd = end
    var next = end
    if let index = bytes.firstLineBreak(in: searched..<end) {
      lineEnd = index
      next = index + 1
      if bytes[index] == ASCII.carriageReturn {
        // Some exports double the CR: CR CR LF is one line break.
        var after = next
        while after < end, bytes[after] == ASCII.carriageReturn { after += 1 }
        if after == end, !isFinal {
          searched = index
          return nil
        }
        if after < end, bytes[after] == ASCII.lineFeed { next = after + 1 }
      }
    } else if !isFinal {
      searched = end
      return nil
    }
    let line = PhysicalLine(range: position..<lineEnd, next: next)
    position = next
    searched = next
    return line
  }

  /// Adjusts positions after the first `count` bytes of the input were removed.
  mutating func shift(by count: Int) {
    position -= count
    searched -= count
  }
}
