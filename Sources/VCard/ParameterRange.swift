/// Where one parameter lies in the bytes of its card.
struct ParameterRange {
  /// Empty for a bare word of vCard 2.1 (`TEL;HOME:`).
  var name: Range<Int>
  /// The value with its quotes.
  var value: Range<Int>
}

/// Cuts the bytes between the name and the value of a property into parameters.
struct ParameterScanner: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private var rest: Range<Int>

  init(_ line: ContentLine, in bytes: [UInt8]) {
    self.bytes = bytes
    rest = line.parameters
  }

  mutating func next() -> ParameterRange? {
    while !rest.isEmpty {
      var isQuoted = false
      var equals: Int?
      // Android writes a label as a bare word, `X-CUSTOM(CHARSET=...)`, whose equals signs are its own.
      var isNamed = true
      var index = rest.lowerBound
      while index < rest.upperBound, isQuoted || bytes[index] != ASCII.semicolon {
        if bytes[index] == ASCII.quote { isQuoted.toggle() }
        if bytes[index] == UInt8(ascii: "("), equals == nil { isNamed = false }
        if bytes[index] == ASCII.equals, isNamed, !isQuoted, equals == nil { equals = index }
        index += 1
      }
      let piece = rest.lowerBound..<index
      rest = Swift.min(index + 1, rest.upperBound)..<rest.upperBound
      if let equals {
        return ParameterRange(
          name: bytes.trimmingBlanks(piece.lowerBound..<equals),
          value: bytes.trimmingBlanks(equals + 1..<piece.upperBound))
      }
      let word = bytes.trimmingBlanks(piece)
      if !word.isEmpty { return ParameterRange(name: word.lowerBound..<word.lowerBound, value: word) }
    }
    return nil
  }
}
