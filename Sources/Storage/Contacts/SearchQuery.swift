/// What a person typed, as words to find: all of them, in any order.
struct SearchQuery {
  /// How many trigrams choose the candidates. More would narrow them little, and each costs a walk through its list.
  private static let trigramLimit = 8
  /// Bytes of a text that count.
  private static let textLimit = 1024

  /// Each once, the longest first.
  let words: [String]
  /// The source word, when only one source is searched.
  private let sourceWord: String?

  /// Reads what was typed.
  ///
  /// - Parameter source: The row of the only source to search.
  init(_ words: [String], source: Int64?) {
    var seen: Set<String> = []
    self.words = words.filter { seen.insert($0).inserted }.sorted { $0.unicodeScalars.count > $1.unicodeScalars.count }
    self.sourceWord = source.map(SearchText.word(ofSource:))
  }

  /// The ways to read a text: as words, and first as a phone number where it may be one.
  ///
  /// Of a long text the beginning counts: nobody types more, and each word is looked for in every candidate.
  static func readings(of text: String, source: Int64?) -> [SearchQuery] {
    let words = SearchText.words(of: text.beginning(Self.textLimit))
    guard !words.isEmpty else { return [] }
    let asWords = SearchQuery(words, source: source)
    let digits = words.joined()
    let mayBePhone =
      words.count > 1 && digits.utf8.count > 2 && digits.unicodeScalars.allSatisfy { ("0"..."9").contains($0) }
    return mayBePhone ? [SearchQuery([digits], source: source), asWords] : [asWords]
  }

  /// The full-text expression that every match fulfils; quoted, so that nothing in it is syntax.
  var expression: String {
    var lists = self.words.prefix(Self.trigramLimit).map(Self.trigrams(of:))
    var chosen = self.sourceWord.map { [SearchText.mark + SearchText.mark + $0] } ?? []
    while chosen.count < Self.trigramLimit, !lists.allSatisfy(\.isEmpty) {
      for index in lists.indices where !lists[index].isEmpty && chosen.count < Self.trigramLimit {
        chosen.append(lists[index].removeFirst())
      }
    }
    return chosen.map { "\"\($0)\"" }.joined(separator: " AND ")
  }

  /// The words that the expression may match without their being there.
  ///
  /// A word of up to three characters is a trigram itself, if it is among the chosen ones.
  var wordsToCheck: [String] {
    let areAllChosen = self.words.count < Self.trigramLimit
    return self.words.filter { $0.unicodeScalars.count > 3 || !areAllChosen }.map(Self.needle(of:))
  }

  /// Stands in the names of a contact one of whose names begins with the longest word.
  var beginning: String { SearchText.mark + (self.words.first ?? "") }

  /// What stands in the text of a contact that has the word.
  private static func needle(of word: String) -> String {
    switch word.unicodeScalars.count {
    case 1: SearchText.mark + SearchText.mark + word
    case 2: SearchText.mark + word
    default: word
    }
  }

  /// The trigrams of a word, those that overlap least first.
  private static func trigrams(of word: String) -> [String] {
    let scalars = Array(self.needle(of: word).unicodeScalars)
    let starts = 0...(scalars.count - 3)
    let apart = starts.lazy.filter { $0.isMultiple(of: 3) } + starts.lazy.filter { !$0.isMultiple(of: 3) }
    return apart.prefix(self.trigramLimit).map { start in
      String(String.UnicodeScalarView(scalars[start..<(start + 3)]))
    }
  }
}
