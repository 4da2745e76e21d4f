import Testing

@testable import MonicaAPI

struct FactsTests {
  private static func facts(_ values: [String: String]) -> Facts {
    var facts = Facts()
    for (name, text) in values { facts.set(name, text) }
    return facts
  }

  @Test func emptyIsTheSameAsAbsent() {
    var facts = Self.facts(["a": "", "b": " \r\n"])
    facts.set("c", false)
    facts.set("d", 0)
    facts.set("e", decimal: "0.00")
    #expect(facts == Facts())
  }

  @Test func numbersHaveManyForms() {
    var (left, right) = (Facts(), Facts())
    left.set("amount", decimal: "12")
    right.set("amount", decimal: "12.00")
    #expect(left == right)
    right.set("amount", decimal: "12.01")
    #expect(left != right)
  }

  @Test func whatIsNotSaidIsNotCompared() {
    let have = Self.facts(["note": "x"])
    var want = Self.facts(["note": "x", "emotion": "sad"])
    want.set("tags", anyOrder: ["b", "a"])
    #expect(!have.agree(with: want, except: []))
    #expect(have.agree(with: want, except: ["emotion", "tags"]))
    #expect(!have.agree(with: want, except: ["emotion", "tag"]))
    // An unchanged value need not be returned. A new value has to be written.
    #expect(have.isDone(want, base: want, except: ["emotion", "tags"]))
    #expect(!have.isDone(want, base: have, except: ["emotion", "tags"]))
    #expect(have.isDone(want, base: nil, except: ["emotion", "tags"]))
  }

  @Test(
    "only strangers' changes count as such",
    arguments: [
      (["a": "1", "b": "1"], true), (["a": "2", "b": "1"], true), (["a": "2", "b": "2"], true),
      (["a": "3", "b": "1"], false), (["a": "1", "b": "1", "c": "1"], false), (["b": "1"], false),
    ])
  func untouched(_ have: [String: String], _ expected: Bool) {
    let (base, want) = (Self.facts(["a": "1", "b": "1"]), Self.facts(["a": "2", "b": "2"]))
    #expect(Self.facts(have).isUntouched(since: base, onTheWayTo: want, except: []) == expected)
  }
}
