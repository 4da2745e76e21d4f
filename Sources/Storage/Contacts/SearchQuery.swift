/// What a person typed, as words to find: all of them, in any order.
struct SearchQuery {
  /// How many trigrams choose the candidates. More would narrow them little, and each costs a walk through its list.
  private static let trigramLimit = 8

  /// Each once, the longest first.
  let words: [[Unicode.Scalar]]
  /// The source word, when only one source is searched.
  private let sourceWord: [Unicode.Scalar]?

  /// Reads what was typed.
  ///
  /// - Parameter source: The row of the only source to search.
  init(_ words: [[Unicode.Scalar]], source: Int64?) {
    var seen: Set<[Unicode.Scalar]> = []
    self.words = words.filter { seen.insert($0).inserted }.sorted { $0.count > $1.count }
    self.sourceWord = source.map(SearchText.word(ofSource:))
  }

  /// The ways to read a text: as words, and first as a phone number where it may be one.
  static func readings(of text: String, source: Int64?) -> [SearchQuery] {
    let words = SearchText.words(of: text)
    guard !words.isEmpty else { return [] }
    let asWords = SearchQuery(words, source: source)
    let digits = Array(words.joined())
    let mayBePhone = words.count > 1 && digits.count > 2 && digits.allSatisfy { ("0"..."9").contains($0) }
    return mayBePhone ? [SearchQuery([digits], source: source), asWords] : [asWords]
  }

  /// The full-text expression that every match fulfils; quoted, so that nothing in it is syntax.
  var expression: String {
    var lists = self.words.map(Self.trigrams(of:))
    var chosen: [[Unicode.Scalar]] = self.sourceWord.map { [[SearchText.mark, SearchText.mark] + $0] } ?? []
    while chosen.count < Self.trigramLimit, !lists.allSatisfy(\.isEmpty) {
      for index in lists.indices where !lists[index].isEmpty && chosen.count < Self.trigramLimit {
        chosen.append(lists[index].removeFirst())
      }
    }
    return chosen.map { "\"\(Self.text($0))\"" }.joined(separator: " AND ")
  }

  /// The words that the expression may match without their being there.
  ///
  /// A word of up to three characters is a trigram itself, if it is among the chosen ones.
  var wordsToCheck: [String] {
    let areAllChosen = self.words.count < Self.trigramLimit
    return self.words.filter { $0.count > 3 || !areAllChosen }.map { Self.text(Self.needle(of: $0)) }
  }

  /// Stands in the names of a contact one of whose names begins with the longest word.
  var beginning: String { Self.text([SearchText.mark] + (self.words.first ?? [])) }

  /// What stands in the text of a contact that has the word.
  private static func needle(of word: [Unicode.Scalar]) -> [Unicode.Scalar] {
    switch word.count {
    case 1: [SearchText.mark, SearchText.mark] + word
    case 2: [SearchText.mark] + word
    default: word
    }
  }

  /// The trigrams of a word, those that overlap least first.
  private static func trigrams(of word: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
    let needle = self.needle(of: word)
    let starts = Array(0...(needle.count - 3))
    let apart = starts.filter { $0.isMultiple(of: 3) } + starts.filter { !$0.isMultiple(of: 3) }
    return apart.prefix(self.trigramLimit).map { Array(needle[$0..<($0 + 3)]) }
  }

  private static func text(_ scalars: [Unicode.Scalar]) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
