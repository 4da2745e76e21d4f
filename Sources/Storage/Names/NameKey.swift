/// What is left of a word of a name when ways to write it are levelled: `sato` for さとう, サトー, Sato, Satō and Satoh; `muler` for Müller,
/// Mueller and Muller.
///
/// Kana become romaji, and romaji of any system becomes the shortest one: kunrei without long vowels. The rules apply to Latin words of
/// every language alike, so they move no two spellings of a name apart.
enum NameKey {
  /// The key of a folded word; nil for a word in another script, such as kanji.
  static func make(_ word: String) -> String? {
    guard let latin = Self.latin(word) else { return nil }
    if latin.count == 1 { return Self.initial(latin[0]) }
    let key = Self.levelled(latin)
    return key.isEmpty ? nil : String(decoding: key, as: UTF8.self)
  }

  /// The word in Latin letters: as it is, or its kana as romaji; nil if it has other letters.
  private static func latin(_ word: String) -> [UInt8]? {
    var utf8 = word.utf8Span
    if utf8.checkForASCII() { return word.utf8.allSatisfy { (0x61...0x7A).contains($0) } ? Array(word.utf8) : nil }
    var latin: [UInt8] = []
    for scalar in word.unicodeScalars {
      switch scalar {
      case "っ", "ー": break
      case "ゃ", "ゅ", "ょ":
        // き and ゃ are kya.
        if latin.last == UInt8(ascii: "i") { latin.removeLast() }
        latin += scalar == "ゃ" ? "ya".utf8 : scalar == "ゅ" ? "yu".utf8 : "yo".utf8
      case "ぁ", "ぃ", "ぅ", "ぇ", "ぉ":
        // ふ and ぁ are fa.
        if let last = latin.last, Self.isVowel(last) { latin.removeLast() }
        latin += (Self.kana[scalar] ?? "").utf8
      default:
        guard let romaji = Self.kana[scalar] else { return nil }
        latin += romaji.utf8
      }
    }
    return latin
  }

  /// Romaji in the kunrei system, as the kana table of JIS has them in its order.
  private static let kana: [Unicode.Scalar: String] = {
    let rows = [
      ("あいうえお", ["a", "i", "u", "e", "o"]), ("ぁぃぅぇぉ", ["a", "i", "u", "e", "o"]),
      ("かきくけこ", ["ka", "ki", "ku", "ke", "ko"]), ("がぎぐげご", ["ga", "gi", "gu", "ge", "go"]),
      ("さしすせそ", ["sa", "si", "su", "se", "so"]), ("ざじずぜぞ", ["za", "zi", "zu", "ze", "zo"]),
      ("たちつてと", ["ta", "ti", "tu", "te", "to"]), ("だぢづでど", ["da", "zi", "zu", "de", "do"]),
      ("なにぬねの", ["na", "ni", "nu", "ne", "no"]), ("はひふへほ", ["ha", "hi", "hu", "he", "ho"]),
      ("ばびぶべぼ", ["ba", "bi", "bu", "be", "bo"]), ("ぱぴぷぺぽ", ["pa", "pi", "pu", "pe", "po"]),
      ("まみむめも", ["ma", "mi", "mu", "me", "mo"]), ("やゆよゎゔ", ["ya", "yu", "yo", "wa", "vu"]),
      ("らりるれろ", ["ra", "ri", "ru", "re", "ro"]), ("わゐゑをん", ["wa", "i", "e", "o", "n"]),
    ]
    var table: [Unicode.Scalar: String] = [:]
    for (letters, romaji) in rows {
      for (letter, sound) in zip(letters.unicodeScalars, romaji) { table[letter] = sound }
    }
    return table
  }()

  /// The keys of the initials that stand for a folded word: P. for Philip, whose key begins otherwise; H. and F. for ふみこ.
  ///
  /// Empty for a word without a key.
  static func initials(of word: String) -> [String] {
    guard let key = Self.make(word), let typed = word.utf8.first else { return [] }
    if typed < 0x80 { return [Self.initial(typed)] }
    let first = String(key.prefix(1))
    if key.hasPrefix("hu") { return [first, Self.initial(UInt8(ascii: "f"))] }
    return key.hasPrefix("ti") ? [first, Self.initial(UInt8(ascii: "c"))] : [first]
  }

  /// An initial, as most names that begin with it are levelled.
  private static func initial(_ letter: UInt8) -> String {
    switch letter {
    case UInt8(ascii: "j"): "z"
    case UInt8(ascii: "c"), UInt8(ascii: "q"), UInt8(ascii: "x"): "k"
    case UInt8(ascii: "y"): "i"
    case UInt8(ascii: "w"): "v"
    default: String(decoding: [letter], as: UTF8.self)
    }
  }

  private static func isVowel(_ letter: UInt8) -> Bool { "aeiou".utf8.contains(letter) }

  /// Applies the rules from left to right.
  private static func levelled(_ word: [UInt8]) -> [UInt8] {
    var key: [UInt8] = []
    var index = 0
    while index < word.count {
      let (sound, length) = Self.sound(word[index...])
      for letter in sound.utf8 where key.last != letter { key.append(letter) }
      index += length
    }
    return key
  }

  /// Clusters by their first letter, counted from a, and what is written for them, the longer ones first.
  private static let clusters: [[(from: [UInt8], to: String)]] = {
    let clusters = [
      ("tsu", "tu"), ("dzu", "zu"), ("shi", "si"), ("chi", "ti"), ("sch", "si"), ("tch", "ti"), ("sh", "si"),
      ("ch", "ti"),
      ("ck", "k"), ("ph", "f"), ("th", "t"), ("dt", "t"), ("gh", "g"), ("kh", "k"), ("rh", "r"), ("wh", "v"),
      ("qu", "kv"),
      ("fu", "hu"), ("ji", "zi"), ("ou", "o"), ("oo", "o"), ("oe", "o"), ("ae", "a"), ("ue", "u"), ("ce", "se"),
      ("ci", "si"),
      ("cy", "si"), ("mb", "nb"), ("mp", "np"), ("mm", "nm"),
    ].map { (from: Array($0.0.utf8), to: $0.1) }
    return (UInt8(ascii: "a")...UInt8(ascii: "z")).map { first in clusters.filter { $0.from[0] == first } }
  }()

  /// - Returns: What is written for the beginning of a word, and how many letters that took.
  private static func sound(_ rest: ArraySlice<UInt8>) -> (sound: String, length: Int) {
    guard let first = rest.first else { return ("", 1) }
    for cluster in Self.clusters[Int(first - UInt8(ascii: "a"))] where rest.starts(with: cluster.from) {
      return (cluster.to, cluster.from.count)
    }
    let next = rest.dropFirst().first
    switch first {
    case UInt8(ascii: "y"): return ("i", 1)
    case UInt8(ascii: "w"): return ("v", 1)
    case UInt8(ascii: "c"), UInt8(ascii: "q"): return ("k", 1)
    case UInt8(ascii: "x"): return ("ks", 1)
    // じゃ is ja and zya.
    case UInt8(ascii: "j"): return (next.map(Self.isVowel) ?? false ? "zi" : "i", 1)
    // Heard before vowels only: Ohno, Sarah, Johnson.
    case UInt8(ascii: "h"): return (next.map { Self.isVowel($0) || $0 == UInt8(ascii: "y") } ?? false ? "h" : "", 1)
    default: return (String(Unicode.Scalar(first)), 1)
    }
  }
}
