import Storage
import Testing

@Suite struct SearchExcerptTests {
  /// The marked pieces of the text, by code points.
  private func marked(_ excerpt: SearchExcerpt) -> [String] {
    let scalars = Array(excerpt.text.unicodeScalars)
    return excerpt.marks.map { String(String.UnicodeScalarView(scalars[$0])) }
  }

  @Test(
    "words are marked as search finds them",
    arguments: [
      ("We met at the Café Zoë", "cafe zoe", ["Café", "Zoë"]),
      ("cafe\u{301} again", "CAFÉ", ["cafe\u{301}"]),
      ("about gardening, not ardent", "ard", ["ard", "ard"]),
      // Two letters must begin a word.
      ("no banana, an apple", "an", ["an"]),
      ("来週の旅行について", "旅行", ["旅行"]),
      ("カタカナとひらがな", "かたかな", ["カタカナ"]),
      ("ｶﾞｷﾞ", "がぎ", ["ｶﾞｷﾞ"]),
      ("ＡＢＣ abc", "abc", ["ＡＢＣ", "abc"]),
      ("Straße", "strasse", ["Straße"]),
      ("abcabc", "abc", ["abcabc"]),
      ("日本語とabc山", "abc山", ["abc山"]),
      ("👩🏽‍🌾 the farm", "farm", ["farm"]),
      ("nothing here", "word", []),
      ("", "word", []),
    ])
  func marks(_ text: String, _ query: String, _ expected: [String]) {
    let excerpt = SearchExcerpt(of: text, for: query)
    #expect(self.marked(excerpt) == expected)
    #expect(excerpt.text == text)
  }

  @Test("a long text is cut around the first match, and says so")
  func cut() throws {
    let text =
      String(repeating: "before ", count: 100) + "the garden\nis green " + String(repeating: "after ", count: 100)
    let excerpt = SearchExcerpt(of: text, for: "garden")
    #expect(excerpt.text.hasPrefix("…") && excerpt.text.hasSuffix("…"))
    #expect(excerpt.text.unicodeScalars.count == 162)
    #expect(excerpt.text.contains("the garden is green"))
    #expect(self.marked(excerpt) == ["garden"])
    let end = SearchExcerpt(of: String(repeating: "x ", count: 200) + "end", for: "end")
    #expect(end.text.hasSuffix("end") && end.text.unicodeScalars.count == 161)
    let none = SearchExcerpt(of: text, for: "missing")
    #expect(none.text.hasPrefix("before") && none.marks.isEmpty)
  }

  @Test("letters are not cut from their accents")
  func accents() {
    let excerpt = SearchExcerpt(of: String(repeating: "e\u{301}", count: 400) + "garden", for: "garden", length: 41)
    #expect(!excerpt.text.unicodeScalars.dropFirst().first.map { $0 == "\u{301}" }!)
    #expect(self.marked(excerpt).first?.hasPrefix("garden") == true)
  }
}
