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

  /// Letters to change, add, leave out or swap with their neighbour to make one word the other; nil when more than `limit`.
  static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar], limit: Int) -> Int? {
    guard abs(one.count - other.count) <= limit else { return nil }
    var earlier: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var current = [row + 1]
      current.reserveCapacity(other.count + 1)
      for (column, counterpart) in other.enumerated() {
        var cost = min(last[column] + (letter == counterpart ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == counterpart {
          cost = min(cost, earlier[column - 1] + 1)
        }
        current.append(cost)
      }
      guard current.contains(where: { $0 <= limit }) else { return nil }
      earlier = last
      last = current
    }
    return last[other.count] <= limit ? last[other.count] : nil
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
