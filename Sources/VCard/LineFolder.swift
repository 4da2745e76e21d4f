/// Folds lines at 75 octets without splitting a character (RFC 6350 3.2).
enum LineFolder {
  static let width = 75

  /// Appends `line` with CRLF at its end.
  static func append(_ line: [UInt8], to output: inout [UInt8]) {
    var start = 0
    var room = width
    while line.count - start > room {
      var end = start + room
      while end > start + room - 4, line[end] & 0xC0 == 0x80 { end -= 1 }
      output += line[start..<end]
      output += [ASCII.carriageReturn, ASCII.lineFeed, ASCII.space]
      start = end
      room = width - 1
    }
    output += line[start...]
    output += [ASCII.carriageReturn, ASCII.lineFeed]
  }
}
