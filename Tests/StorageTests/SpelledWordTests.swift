import TestKit
import Testing

@testable import Storage

@Suite struct SpelledWordTests {
  @Test func `random words are as far apart as the table of all beginnings says`() {
    var random = SeededGenerator(seed: 7)
    func word() -> [Unicode.Scalar] {
      (0..<Int.random(in: 0...12, using: &random)).map { _ in
        "abcさ".unicodeScalars.randomElement(using: &random) ?? "a"
      }
    }
    for _ in 0..<5_000 {
      let (one, other) = (word(), word())
      let distance = Self.distance(one, other)
      let text = String(String.UnicodeScalarView(other))
      for limit in 0...4 {
        #expect(
          SpelledWord(one).distance(to: text, limit: limit) == (distance <= limit ? distance : nil),
          "\(one) \(other) \(limit)")
      }
    }
  }

  @Test func `words of 64 letters are compared to the last`() {
    let word = String(repeating: "ab", count: 32)
    let spelled = SpelledWord(word.unicodeScalars)
    #expect(spelled.distance(to: word, limit: 2) == 0)
    #expect(spelled.distance(to: word.dropLast() + "c", limit: 2) == 1)
    #expect(spelled.distance(to: "c" + word.dropFirst(), limit: 2) == 1)
    #expect(spelled.distance(to: word + word, limit: 2) == nil)
  }

  /// Optimal string alignment as in textbooks.
  private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var table = Array(repeating: Array(repeating: 0, count: other.count + 1), count: one.count + 1)
    for row in 0...one.count {
      for column in 0...other.count {
        if row == 0 || column == 0 {
          table[row][column] = row + column
          continue
        }
        let changed = table[row - 1][column - 1] + (one[row - 1] == other[column - 1] ? 0 : 1)
        var least = min(changed, table[row - 1][column] + 1, table[row][column - 1] + 1)
        if row > 1, column > 1, one[row - 1] == other[column - 2], one[row - 2] == other[column - 1] {
          least = min(least, table[row - 2][column - 2] + 1)
        }
        table[row][column] = least
      }
    }
    return table[one.count][other.count]
  }
}
