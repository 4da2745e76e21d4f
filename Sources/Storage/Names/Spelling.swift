/// How far apart two spellings of a name are. Words are folded.
enum Spelling {
  /// How many letters may differ in a word of that many letters.
  static func tolerance(letters: Int) -> Int {
    switch letters {
    case ..<3: 0
    case 3..<8: 1
    default: 2
    }
  }

  /// How many letters may differ in a word of a text that is searched for.
  ///
  /// Two letters say too little to be misspelt, and three among other words. Of a word in Latin script, those count that were typed: the
  /// key of Anna has three, that of Xu as well. Kana have fewer letters than what is read.
  ///
  /// - Parameters:
  ///   - word: The folded word.
  ///   - letters: How many its ``NameKey`` has.
  ///   - isAlone: Whether it is the only word.
  static func faults(in word: String, letters: Int, isAlone: Bool) -> Int {
    let typed = word.unicodeScalars.count
    let said = typed == word.utf8.count ? typed : letters
    guard said > (isAlone ? 2 : 3) else { return 0 }
    return self.tolerance(letters: isAlone ? min(said, letters) : letters)
  }

  /// What a Latin name sounds like, roughly and in most of Europe: its consonants, and whether it begins with a vowel. Empty
  /// for other scripts and for words of fewer than two sounds.
  static func sound(of word: String) -> String {
    let letters = Array(word.utf8)
    guard letters.allSatisfy({ (0x61...0x7A).contains($0) }) else { return "" }
    var sounds: [UInt8] = []
    var index = 0
    while index < letters.count {
      let next = index + 1 < letters.count ? letters[index + 1] : 0
      let (sound, length) = self.sound(letters[index], next, isFirst: index == 0)
      index += length
      for letter in sound.utf8 where sounds.last != letter { sounds.append(letter) }
    }
    // Vowels were kept so far to tell doubled letters from repeated ones.
    let heard = sounds.enumerated().filter { $0.offset == 0 || $0.element != UInt8(ascii: "a") }.map(\.element)
    return heard.count < 2 ? "" : String(decoding: heard, as: UTF8.self)
  }

  /// - Returns: The sound of a letter, and how many letters it took.
  private static func sound(_ letter: UInt8, _ next: UInt8, isFirst: Bool) -> (sound: String, length: Int) {
    switch (Unicode.Scalar(letter), Unicode.Scalar(next)) {
    case ("p", "h"): ("f", 2)
    case ("t", "h"), ("d", "t"): ("t", 2)
    case ("s", "h"), ("c", "h"): ("s", 2)
    case ("c", "k"), ("g", "h"): ("k", 2)
    case ("c", "e"), ("c", "i"), ("c", "y"): ("s", 1)
    case ("c", _), ("q", _), ("g", _): ("k", 1)
    case ("x", _): (isFirst ? "s" : "ks", 1)
    case ("z", _): ("s", 1)
    case ("v", _), ("w", _): ("f", 1)
    case ("d", _): ("t", 1)
    case ("b", _): ("p", 1)
    case ("j", _): (isFirst ? "j" : "a", 1)
    case ("a", _), ("e", _), ("i", _), ("o", _), ("u", _), ("y", _): ("a", 1)
    // Rarely heard; at the beginning it does not tell Helena from Elena.
    case ("h", _): ("", 1)
    default: (String(Unicode.Scalar(letter)), 1)
    }
  }
}
