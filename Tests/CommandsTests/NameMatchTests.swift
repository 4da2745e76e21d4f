import Bus
import KithMessages
import Testing

@testable import Commands

@Suite("The person or contact that a name means")
struct NameMatchTests {
  private func match(_ name: String, _ candidates: [(id: String, names: [String])]) throws(Failure) -> String {
    try NameMatch(
      noun: "person", candidates: candidates.map { .init(id: $0.id, shown: $0.names.first ?? "", names: $0.names) },
      list: "kith who", say: .english
    ).id(of: name)
  }

  private let lees = [(id: "1", names: ["Ann Lee", "Ann"]), (id: "2", names: ["Joanna Lee", "Joanna", "Jo"])]

  @Test(
    "The only exact name counts, in any case and spacing", arguments: [("ann", "1"), (" ANN  lee ", "1"), ("jo", "2")])
  func exact(name: String, id: String) throws { #expect(try self.match(name, self.lees) == id) }

  @Test("A single result is the one that is meant")
  func only() throws { #expect(try self.match("jon", [(id: "7", names: ["John"])]) == "7") }

  @Test("A destructive command needs the exact name")
  func exactOnly() throws {
    let john = NameMatch(
      noun: "person", candidates: [.init(id: "7", shown: "John", names: ["John"])], list: "kith who", say: .english)
    #expect(try john.exactID(of: "john") == "7")
    let failure = #expect(throws: Failure.self) { try john.exactID(of: "jon") }
    #expect(
      failure?.reason == "RECORD_UNKNOWN" && failure?.message.hasSuffix("the one that you mean:\n  7  John") == true)
  }

  @Test("Several matches are an error that lists them with their ids; exact matches only if there are any")
  func several() {
    let failure = #expect(throws: Failure.self) { try self.match("lee", self.lees) }
    #expect(failure?.reason == "NAME_AMBIGUOUS")
    #expect(failure?.status.details == ["1": "Ann Lee", "2": "Joanna Lee"])
    let two = #expect(throws: Failure.self) {
      try self.match("ann", self.lees + [(id: "3", names: ["Ann Ott", "Ann"])])
    }
    #expect(two?.status.details.keys.sorted() == ["1", "3"])
  }

  @Test("No match is an error")
  func nobody() {
    let failure = #expect(throws: Failure.self) { try self.match("zoe", []) }
    #expect(failure?.code == .notFound)
    #expect(failure?.message == "No person is called \"zoe\". To see all: kith who")
  }

  @Test(
    "What has the form of an id is one",
    arguments: [
      ("0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10", true), ("0197F3C2-5B1E-7D3A-9C41-2F6E8A7B9D10", true),
      ("0197f3c2", false), ("Anne-Mary-Jane-Lucy-Zoe", false), ("g197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10", false),
    ])
  func ids(text: String, isID: Bool) { #expect(UUIDv7.isID(text) == isID) }
}
