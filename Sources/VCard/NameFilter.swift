/// Which names the properties of a card may have: a look at a few bits instead of one at every line.
///
/// The views of a card ask for some sixty names, of which a card has ten.
struct NameFilter: Sendable {
  private var bits: UInt64 = 0

  init(_ lines: [ContentLine], in bytes: [UInt8]) {
    for line in lines {
      let (first, last) = (bytes[line.name.lowerBound], bytes[line.name.upperBound - 1])
      bits |= Self.bit(line.name.count, first.uppercasedASCII, last.uppercasedASCII)
    }
  }

  /// False when no property is named `name`, which is ASCII in upper case; true when one may be.
  func mayHave(_ name: String) -> Bool {
    let text = name.utf8
    guard let first = text.first, let last = text.last else { return false }
    return bits & Self.bit(text.count, first, last) != 0
  }

  private static func bit(_ count: Int, _ first: UInt8, _ last: UInt8) -> UInt64 {
    1 << UInt64((count &+ 7 &* Int(first) &+ 13 &* Int(last)) & 63)
  }
}
