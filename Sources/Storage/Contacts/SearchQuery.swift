/// The words of a search text. All of them must match, in any order.
struct SearchQuery {
  /// How many trigrams select the candidates. More would narrow them little, and each costs an index scan.
  private static let trigramLimit = 8
  /// How many bytes of a search text are used.
  private static let textLimit = 1024

  /// Without duplicates, the longest first.
  let words: [String]
  /// Lists of marker words; a match has one of each list. A marker restricts the search, for example to a source.
  private let marks: [[String]]

  /// Creates a query.
  ///
  /// - Parameter marks: Lists of marker words; a match has one of each list.
  init(_ words: [String], marks: [[String]]) {
    var seen: Set<String> = []
    self.words = words.filter { seen.insert($0).inserted }.sorted { $0.unicodeScalars.count > $1.unicodeScalars.count }
    self.marks = marks
  }

  /// A query for the words of a text; nil if it has none.
  ///
  /// Only the beginning of a long text is used, because each word is checked in every candidate.
  static func words(of text: String, marks: [[String]]) -> SearchQuery? {
    let words = SearchText.words(of: text.beginning(Self.textLimit))
    return words.isEmpty ? nil : SearchQuery(words, marks: marks)
  }

  /// The queries for a text: its words, and before that a phone number if it may be one. Country and area codes are written in many
  /// ways, so a number is also looked for without its leading zeros, and a long one by its last eight digits.
  static func readings(of text: String, marks: [[String]]) -> [SearchQuery] {
    guard let asWords = self.words(of: text, marks: marks) else { return [] }
    let words = SearchText.words(of: text.beginning(Self.textLimit))
    let digits = words.joined()
    guard digits.utf8.count > 2, digits.unicodeScalars.allSatisfy({ ("0"..."9").contains($0) }) else {
      return [asWords]
    }
    var numbers = [digits, String(digits.drop { $0 == "0" })]
    if digits.utf8.count > 8 { numbers.append(String(digits.suffix(8))) }
    var queries: [SearchQuery] = []
    for (index, number) in numbers.enumerated() where number.utf8.count > 2 && !numbers[..<index].contains(number) {
      queries.append(SearchQuery([number], marks: marks))
    }
    return queries + (words.count > 1 ? [asWords] : [])
  }

  /// The full-text expression that every match fulfils; quoted, so that no part of it is syntax.
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

  /// The words that a candidate may lack although the expression matches.
  ///
  /// A word of up to three characters is a trigram itself if it was chosen.
  var wordsToCheck: [String] {
    let areAllChosen = self.words.count < Self.trigramLimit
    return self.words.filter { $0.unicodeScalars.count > 3 || !areAllChosen }.map(Self.needle(of:))
  }

  /// The texts that the search text of a contact contains if it has all words.
  var needles: [String] { self.words.map(Self.needle(of:)) }

  /// The text that the names of a contact contain if one of them begins with the longest word.
  var beginning: String { SearchText.mark + (self.words.first ?? "") }

  /// The text that a contact's search text contains if it has the word.
  private static func needle(of word: String) -> String {
    switch word.unicodeScalars.count {
    case 1: SearchText.mark + SearchText.mark + word
    case 2: SearchText.mark + word
    default: word
    }
  }

  /// The trigrams of a word, those with the least overlap first.
  private static func trigrams(of word: String) -> [String] {
    let scalars = Array(self.needle(of: word).unicodeScalars)
    let starts = 0...(scalars.count - 3)
    let apart = starts.lazy.filter { $0.isMultiple(of: 3) } + starts.lazy.filter { !$0.isMultiple(of: 3) }
    return apart.prefix(self.trigramLimit).map { start in
      String(String.UnicodeScalarView(scalars[start..<(start + 3)]))
    }
  }
}
