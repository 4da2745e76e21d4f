/// A piece of a text around the first matched word of a search, with the positions of all matched words.
///
/// Matching is that of search: case, accents, character width and the kind of kana make no difference, and a short word
/// must begin a word of the text unless its script has no spaces.
public struct SearchExcerpt: Sendable, Equatable {
  /// The piece on one line; "…" where the text continues.
  public let text: String
  /// The positions of matched words in code points of ``text``, in order and disjoint.
  public let marks: [Range<Int>]

  /// A folded scalar and the code points of the text that it came from.
  private struct Letter {
    let scalar: Unicode.Scalar
    let range: Range<Int>
  }

  /// Creates an excerpt.
  ///
  /// - Parameters:
  ///   - text: Only its first 16 KiB are searched.
  ///   - query: The search text.
  ///   - length: The most code points of the piece, without "…".
  public init(of text: String, for query: String, length: Int = 160) {
    let source = Array(text.beginning(SearchText.fieldLimit).unicodeScalars)
    let found = Self.places(of: SearchText.words(of: query.beginning(1024)), in: source)
    let lead = length / 4
    let start = max(0, min((found.first?.lowerBound ?? 0) - lead, source.count - length))
    let begin = Self.boundary(start, in: source)
    let end = Self.boundary(min(source.count, start + length), in: source)
    var piece = String.UnicodeScalarView()
    if begin > 0 { piece.append("…") }
    for scalar in source[begin..<end] { piece.append(scalar.properties.isWhitespace ? " " : scalar) }
    if end < text.unicodeScalars.count { piece.append("…") }
    self.text = String(piece)
    let shift = (begin > 0 ? 1 : 0) - begin
    self.marks = found.compactMap { range in
      let part = range.clamped(to: begin..<end)
      return part.isEmpty ? nil : (part.lowerBound + shift)..<(part.upperBound + shift)
    }
  }

  /// The positions of words in code points. Adjacent and overlapping ones are joined.
  private static func places(of words: [String], in source: [Unicode.Scalar]) -> [Range<Int>] {
    let letters = self.letters(of: source)
    var places: [Range<Int>] = []
    for word in Set(words) {
      let wanted = Array(word.unicodeScalars)
      guard let first = wanted.first, wanted.count <= letters.count else { continue }
      for start in 0...(letters.count - wanted.count) where letters[start].scalar == first {
        let end = start + wanted.count
        guard zip(wanted, letters[start..<end]).allSatisfy({ $0 == $1.scalar }),
          wanted.count > 2 || SearchText.isDense(first) || self.begins(at: start, letters)
        else { continue }
        places.append(letters[start].range.lowerBound..<letters[end - 1].range.upperBound)
      }
    }
    places.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    return places.reduce(into: []) { joined, place in
      if let last = joined.last, place.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, place.upperBound)
      } else {
        joined.append(place)
      }
    }
  }

  private static func begins(at index: Int, _ letters: [Letter]) -> Bool {
    guard index > 0 else { return true }
    let before = letters[index - 1].scalar
    return !SearchText.isInWord(before) || SearchText.isDense(before)
  }

  /// The folded text. Combining marks are folded together with the letter before them.
  private static func letters(of source: [Unicode.Scalar]) -> [Letter] {
    var letters: [Letter] = []
    letters.reserveCapacity(source.count)
    var index = 0
    while index < source.count {
      var end = index + 1
      while end < source.count, self.isMark(source[end]) { end += 1 }
      let scalar = source[index]
      if end == index + 1, scalar.value < 0x80 {
        letters.append(Letter(scalar: self.lower(scalar), range: index..<end))
      } else {
        for folded in Folding.fold(String(String.UnicodeScalarView(source[index..<end]))) {
          letters.append(Letter(scalar: folded, range: index..<end))
        }
      }
      index = end
    }
    return letters
  }

  private static func lower(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    (0x41...0x5A).contains(scalar.value) ? Unicode.Scalar(UInt8(scalar.value + 0x20)) : scalar
  }

  /// Whether it combines with the letter before it.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x300: false
    case 0x300...0x36F, 0x3099, 0x309A, 0xFF9E, 0xFF9F, 0xFE00...0xFE0F, 0x200B...0x200F, 0x1F3FB...0x1F3FF: true
    default: scalar.properties.generalCategory == .nonspacingMark
    }
  }

  /// The place itself, or the nearest one before it that does not separate a letter from its marks.
  private static func boundary(_ place: Int, in source: [Unicode.Scalar]) -> Int {
    var place = place
    while place > 0, place < source.count, self.isMark(source[place]) { place -= 1 }
    return place
  }
}
