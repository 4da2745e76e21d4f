/// What a person typed, as words to find: all of them, in any order.
struct SearchQuery {
  /// How many trigrams choose the candidates. More would narrow them little, and each costs a walk through its list.
  private static let trigramLimit = 8
  /// Bytes of a text that count.
  private static let textLimit = 1024

  /// Each once, the longest first.
  let words: [String]
  /// Words of which a text has to have one each, such as that of the only source to search.
  private let marks: [[String]]

  /// Reads what was typed.
  ///
  /// - Parameter marks: Lists of words; a match has one of each list.
  init(_ words: [String], marks: [[String]]) {
    var seen: Set<String> = []
    self.words = words.filter { seen.insert($0).inserted }.sorted { $0.unicodeScalars.count > $1.unicodeScalars.count }
    self.marks = marks
  }

  /// A text as the words that it has; nil when it has none.
  ///
  /// Of a long text the beginning counts: nobody types more, and each word is looked for in every candidate.
  static func words(of text: String, marks: [[String]]) -> SearchQuery? {
    let words = SearchText.words(of: text.beginning(Self.textLimit))
    return words.isEmpty ? nil : SearchQuery(words, marks: marks)
  }

  /// The ways to read a text: as words, and first as a phone number where it may be one.
  static func readings(of text: String, marks: [[String]]) -> [SearchQuery] {
    guard let asWords = self.words(of: text, marks: marks) else { return [] }
    let words = SearchText.words(of: text.beginning(Self.textLimit))
    let digits = words.joined()
    let mayBePhone =
      words.count > 1 && digits.utf8.count > 2 && digits.unicodeScalars.allSatisfy { ("0"..."9").contains($0) }
    return mayBePhone ? [SearchQuery([digits], marks: marks), asWords] : [asWords]
  }

  /// The full-text expression that every match fulfils; quoted, so that nothing in it is syntax.
  var expression: String {
    var lists = self.words.prefix(Self.trigramLimit).map(Self.trigrams(of:))
    var chosen: [String] = []
    while chosen.count < Self.trigramLimit, !lists.allSatisfy(\.isEmpty) {
      for index in lists.indices where !lists[index].isEmpty && chosen.count < Self.trigramLimit {
        chosen.append(lists[index].removeFirst())
      }
    }
    let restrictions = self.marks.map { words in
      "(\(words.map { "\"\(SearchText.mark)\(SearchText.mark)\($0)\"" }.joined(separator: " OR ")))"
    }
    return (restrictions + chosen.map { "\"\($0)\"" }).joined(separator: " AND ")
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
