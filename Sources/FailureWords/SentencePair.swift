/// A sentence with gaps, in English and in Japanese.
///
/// In English, `#` is a number and `*` any text; in Japanese, `{1}` is the first of them.
///
/// ```swift
/// SentencePair("has # entries; at most # are", "{1}個あります。{2}個までにしてください。")
///   .japanese(of: "has 21 entries; at most 20 are kept.")  // "21個あります。20個までにしてください。"
/// ```
struct SentencePair {
  private let english: String
  private let japanese: String

  init(_ english: String, _ japanese: String) {
    self.english = english
    self.japanese = japanese
  }

  /// The Japanese of the first of some sentences with which a text begins; if there is none, of the first that begins at a later word.
  ///
  /// What a text quotes is in a person's own words, and no sentence of it is found.
  static func japanese(of text: String, among sentences: [SentencePair]) -> String? {
    if let sentence = sentences.lazy.compactMap({ $0.japanese(of: text[...]) }).first { return sentence }
    let words = Self.laterWords(of: text)
    return sentences.lazy.compactMap { pair in words.lazy.compactMap { pair.japanese(of: $0) }.first }.first
  }

  /// The rests of a text that begin after a space, without those that begin between its first single quote and its last.
  private static func laterWords(of text: String) -> [Substring] {
    func isWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
    // The quotes are no apostrophes: a word begins after the first, and ends at the last.
    let quotes = text.indices.filter { text[$0] == "'" }
    let first = quotes.first { !isWord(text[..<$0].last) }
    let last = quotes.last { !isWord(text[text.index(after: $0)...].first) }
    return text.indices.filter { text[$0] == " " }.filter { space in
      guard let first, let last else { return true }
      return space < first || space > last
    }.map { text[text.index(after: $0)...] }
  }

  /// The Japanese of a text that begins with the sentence; nil if it begins otherwise.
  private func japanese(of text: Substring) -> String? {
    guard let gaps = self.gaps(in: text) else { return nil }
    let pieces = self.japanese.split(separator: "{", omittingEmptySubsequences: false)
    return pieces.dropFirst().reduce(into: String(pieces.first ?? "")) { filled, piece in
      let number = piece.first?.wholeNumberValue ?? 0
      filled += gaps.indices.contains(number - 1) ? gaps[number - 1] + piece.dropFirst(2) : "{" + piece
    }
  }

  /// What a text that begins with the sentence has in its gaps; nil if it begins otherwise.
  private func gaps(in text: Substring) -> [String]? {
    var (gaps, rest, pattern) = ([String](), text, self.english[...])
    while let next = pattern.popFirst() {
      let gap: Substring
      switch next {
      case "#":
        let number = rest.prefix { $0.isASCII && ($0.isNumber || "-.,".contains($0)) }
        gap = number.prefix(upTo: number.lastIndex { $0.isNumber }.map(number.index(after:)) ?? number.startIndex)
        guard !gap.isEmpty else { return nil }
      case "*":
        let after = pattern.prefix { $0 != "#" && $0 != "*" }
        // The sentence ends with the text: the full stop is not part of it.
        let end =
          after.isEmpty ? rest.lastIndex { $0 != "." }.map(rest.index(after:)) : rest.firstRange(of: after)?.lowerBound
        guard let end else { return nil }
        gap = rest[..<end]
      default:
        guard rest.popFirst() == next else { return nil }
        continue
      }
      gaps.append(String(gap))
      rest = rest[gap.endIndex...]
    }
    return gaps
  }
}
