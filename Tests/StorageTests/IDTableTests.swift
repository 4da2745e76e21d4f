import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

/// Ids by their ends.
@Suite struct IDTableTests {
  private let fixture: ContactsFixture

  init() throws { self.fixture = try ContactsFixture() }

  private func find(_ kind: String, _ piece: String = "", deleted: Bool = false) throws -> [String] {
    let request = FindIdsRequest.with { ($0.kind, $0.piece, $0.deleted) = (kind, piece, deleted) }
    return try self.fixture.read { try $0.ids.find(request).ids }
  }

  @Test func `an id is found by its end, its beginning and as the last`() throws {
    let ann = try self.fixture.addPerson("Ann")
    let bob = try self.fixture.addPerson("Bob")
    #expect(try self.find("person", String(ann.id.suffix(8)).uppercased()) == [ann.id])
    #expect(try self.find("person", String(bob.id.prefix(20))).contains(bob.id))
    #expect(try self.find("person") == [bob.id])
    #expect(try self.find("record", String(ann.id.suffix(12))) == [ann.id])
    #expect(try self.find("call", String(ann.id.suffix(8))) == [])
    _ = try self.fixture.write { try $0.records.delete(Person.self, bob.id, now: 5) }
    #expect(try self.find("person") == [ann.id])
    #expect(try self.find("person", deleted: true) == [bob.id])
    #expect(try self.find("person", bob.id) == [bob.id])
  }

  @Test func `an unknown kind and a short piece are refused`() throws {
    for (kind, piece) in [("dog", "0197"), ("person", "97")] {
      let failure = #expect(throws: Failure.self) { try self.find(kind, piece) }
      #expect(failure?.reason == "FIELD_INVALID")
    }
  }

  @Test func `every shortened id is found again, and it alone`() throws {
    let people = try (0..<300).map { try self.fixture.addPerson("P\($0)").id }
    let request = ShortenIdsRequest.with { $0.ids = people + ["no such id"] }
    let ends = try self.fixture.read { try $0.ids.shorten(request).ends }
    #expect(ends.count == 301 && ends.last == "no such id")
    for (id, end) in zip(people, ends) {
      #expect(end.count >= 4 && id.hasSuffix(end))
      #expect(try self.find("person", end) == [id])
    }
  }

  /// Ids of the same weeks begin alike, and one in some thousands ends with these four characters too.
  @Test func `an end is found alone although other ids begin with it`() throws {
    let ann = try self.fixture.addPerson("Ann")
    let beginning = String(ann.id.prefix(4))
    for number in 0..<30 { _ = try self.fixture.addPerson("P\(number)") }
    #expect(try self.find("person", beginning).count == 20)
    let twin = String(ann.id.dropLast(4)) + beginning
    try self.fixture.write { view in
      try view.attempt { try $0.run("UPDATE record SET uuid = ? WHERE uuid = ?", .text(twin), .text(ann.id)) }
    }
    #expect(try self.find("person", beginning) == [twin])
  }

  @Test(arguments: [
    (["0197-9d10", "0198-9d10"], ["7-9d10", "8-9d10"]), (["aaaa"], ["aaaa"]),
    (["1bcdef", "2bcdef", "xxxxxx"], ["1bcdef", "2bcdef", "xxxx"]),
  ])
  func `ends are as short as can be`(texts: [String], ends: [String]) {
    #expect(ShortEnds(of: texts, atLeast: 4).ends(of: texts) == ends)
  }
}
