/// A card's bytes with the inline values of PHOTO, LOGO, SOUND and KEY replaced by references.
///
/// The decoded value is stored elsewhere, once. The reference records how the base64 was folded, so that the card can
/// be restored byte for byte. A value that base64 would not restore exactly is not replaced.
///
/// ```swift
/// let detached = DetachedCard.detach(card) { bytes in store.put(bytes) }
/// let restored = DetachedCard.attach(detached) { reference in store.get(reference) }
/// ```
public enum DetachedCard {
  private static let opening: UInt8 = 0x01
  private static let closing: UInt8 = 0x02
  private static let separator = UInt8(ascii: " ")

  /// Replaces the inline values of a card by references.
  ///
  /// - Parameters:
  ///   - card: A parsed card.
  ///   - reading: The result of ``Card/photo()``, so that its picture is not decoded again.
  ///   - reference: Stores decoded bytes and returns their name, such as `sha256:` with the digest, in printable ASCII
  ///     without blanks.
  /// - Returns: The bytes for ``attach(_:data:)``.
  public static func detach(
    _ card: Card, decoded reading: PhotoReading? = nil, reference: (_ data: [UInt8]) -> String
  ) -> [UInt8] {
    let source = card.storage
    var output: [UInt8] = []
    var position = 0
    for line in card.lines where line.value.upperBound <= card.byteCount && isData(line, in: source) {
      guard case .base64(let range)? = InlineContent(line, in: source), range.lowerBound >= position, !range.isEmpty,
        let data = reading?.bytes(at: range) ?? Base64.decode(source, in: range), !data.isEmpty
      else { continue }
      let shape = FoldShape(of: source[range])
      guard shape.fits(source, in: range, of: data) else { continue }
      let name = reference(data)
      guard name.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else { continue }
      append(source[position..<range.lowerBound], to: &output)
      output.append(opening)
      output += Array(name.utf8) + [separator] + shape.description
      output.append(closing)
      position = range.upperBound
    }
    append(source[position..<card.byteCount], to: &output)
    return output
  }

  /// Restores the inline values.
  ///
  /// - Parameters:
  ///   - detached: The result of ``detach(_:reference:)``.
  ///   - data: Returns the bytes of a reference.
  /// - Returns: The original card; nil if a value is missing or the bytes are not a detached card.
  public static func attach(_ detached: [UInt8], data: (_ reference: String) -> [UInt8]?) -> [UInt8]? {
    var output: [UInt8] = []
    var position = 0
    while let start = detached.firstIndex(of: opening, in: position..<detached.count) {
      output += detached[position..<start]
      guard start + 1 < detached.count else { return nil }
      if detached[start + 1] == opening {
        output.append(opening)
        position = start + 2
        continue
      }
      guard let end = detached.firstIndex(of: closing, in: start..<detached.count),
        let blank = detached.firstIndex(of: separator, in: start..<end),
        let shape = FoldShape(detached[blank + 1..<end]),
        let value = data(String(decoding: detached[start + 1..<blank], as: UTF8.self))
      else { return nil }
      output += shape.text(of: value)
      position = end + 1
    }
    return output + detached[position...]
  }

  private static func isData(_ line: ContentLine, in bytes: [UInt8]) -> Bool {
    ["PHOTO", "LOGO", "SOUND", "KEY"].contains { bytes.matches($0, in: line.name) }
  }

  /// Copies card text. The opening byte is doubled, so that text is never mistaken for a reference.
  private static func append(_ text: ArraySlice<UInt8>, to output: inout [UInt8]) {
    guard text.has(opening) else {
      output += text
      return
    }
    for byte in text { output += byte == opening ? [opening, opening] : [byte] }
  }
}

/// How a base64 text was folded.
private struct FoldShape {
  /// The number of digits before the first fold.
  var first: Int
  /// The number of digits between two folds.
  var width: Int
  /// The line break and blanks of a fold; empty without folds.
  var fold: [UInt8]
  var isPadded: Bool

  init(of text: ArraySlice<UInt8>) {
    func isBreak(_ byte: UInt8) -> Bool { byte.isLineBreak || byte.isBlank }
    isPadded = text.last == ASCII.equals
    guard let firstBreak = text.firstIndex(where: isBreak),
      let second = text[firstBreak...].firstIndex(where: { !isBreak($0) })
    else {
      (first, width, fold) = (text.count, 0, [])
      return
    }
    first = firstBreak - text.startIndex
    fold = Array(text[firstBreak..<second])
    width = (text[second...].firstIndex(where: isBreak) ?? text.endIndex) - second
  }

  /// Parses ``description``.
  init?(_ description: ArraySlice<UInt8>) {
    let fields = String(decoding: description, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count == 4, let first = Int(fields[0]), first >= 0, let width = Int(fields[1]), width >= 0,
      fields[2].utf8.count % 2 == 0
    else { return nil }
    (self.first, self.width, isPadded) = (first, width, fields[3] == "=")
    fold = []
    let digits = Array(fields[2].utf8)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index].hexadecimalValue, let low = digits[index + 1].hexadecimalValue else { return nil }
      fold.append(high << 4 | low)
    }
    guard fold.isEmpty || width > 0 else { return nil }
  }

  var description: [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    let hex = fold.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return Array("\(first) \(width) ".utf8) + hex + Array(isPadded ? " =".utf8 : " -".utf8)
  }

  /// True if ``text(of:)`` reproduces the text in `range`, which was decoded to `data`.
  ///
  /// Decoded digits equal those of the data except for their alphabet and the bits after the end. Only the positions of
  /// folds and padding remain to be compared, which needs no copy of the text.
  func fits(_ bytes: [UInt8], in range: Range<Int>, of data: [UInt8]) -> Bool {
    let padding = (3 - data.count % 3) % 3
    let digits = (data.count + 2) / 3 * 4 - (isPadded ? 0 : padding)
    let folds = fold.isEmpty || digits <= first ? 0 : (digits - first + width - 1) / width
    guard range.count == digits + folds * fold.count, !isPadded || padding > 0 else { return false }
    var position = range.lowerBound + first
    for _ in 0..<folds {
      guard bytes[position..<position + fold.count].elementsEqual(fold) else { return false }
      position += fold.count + width
    }
    let tail = data.count - (data.count + 2) % 3 - 1
    guard bytes.firstIndex(of: UInt8(ascii: "-"), in: range) == nil,
      bytes.firstIndex(of: UInt8(ascii: "_"), in: range) == nil
    else { return false }
    // Only the last group has bits after the data's end, and padding.
    let written = bytes[range].reversed().lazy.filter { !$0.isLineBreak && !$0.isBlank }
    var expected = Base64.encode(Array(data[tail...]))
    if !isPadded { expected.removeLast(padding) }
    return written.starts(with: expected.reversed())
  }

  /// The base64 text of `data`, folded.
  func text(of data: [UInt8]) -> ArraySlice<UInt8> {
    var digits = Base64.encode(data)
    if !isPadded { while digits.last == ASCII.equals { digits.removeLast() } }
    guard !fold.isEmpty else { return digits[...] }
    var output: [UInt8] = []
    output.reserveCapacity(digits.count + digits.count / width * fold.count + fold.count)
    var position = min(first, digits.count)
    output += digits[..<position]
    while position < digits.count {
      let end = min(position + width, digits.count)
      output += fold
      output += digits[position..<end]
      position = end
    }
    return output[...]
  }
}
