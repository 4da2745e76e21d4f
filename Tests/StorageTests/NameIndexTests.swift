import GRDB
import KithMessages
import Testing

@testable import Storage

@Suite struct NameIndexTests {
  private let database: DatabaseQueue

  init() throws {
    self.database = try DatabaseQueue()
    try self.database.write { database in
      // The step that makes the index reads these.
      try database.execute(
        sql: """
          CREATE TABLE contact (id, formatted_name, given, family, middle, phonetic_given, phonetic_family, phonetic_middle,
            nickname, organization, phonetic_organization, deleted_at);
          CREATE TABLE record (id, kind, deleted_at);
          CREATE TABLE person_spelling (x);
          """)
      try database.execute(sql: Migration.names.sql + ";" + Migration.nameSounds.sql)
      try Migration.nameSounds.rewrite?(database)
    }
  }

  private func words() throws -> [String] {
    try self.database.read { try String.fetchAll($0, sql: "SELECT word FROM name_word ORDER BY word") }
  }

  private func owners(_ word: String) throws -> [Int64] {
    try self.database.read {
      try Int64.fetchAll($0, sql: "SELECT owner FROM name_entry WHERE word = ? ORDER BY owner", arguments: [word])
    }
  }

  private static func ann(_ family: String) -> NameWords {
    NameWords(names: ["Ann \(family)"], pairs: [(family, "Ann")])
  }

  @Test func `a word is stored once, and given to each of its owners`() throws {
    try self.database.write { database in
      let index = NameIndex(database: database)
      try index.insert([(NameOwner(contact: 1), Self.ann("Lee"))])
      try index.insert([(NameOwner(person: 1), Self.ann("Berg"))])
    }
    #expect(try self.owners("an") == [2, 3])
    #expect(try self.words().count(where: { $0 == "an" }) == 1)
    #expect(try self.owners("berg") == [3])
  }

  @Test func `words that are levelled alike and sound otherwise are stored each`() throws {
    // Xavier and Ksavier are ksavier, and sound otherwise at their beginning.
    let (one, other) = (NameWords(names: ["Xavier"], pairs: []), NameWords(names: ["Ksavier"], pairs: []))
    try #require(one.entries.map(\.text) == other.entries.map(\.text) && one != other)
    try self.database.write { database in
      let names = [
        (owner: NameOwner(contact: 1), words: one), (NameOwner(contact: 2), other), (NameOwner(contact: 3), one),
      ]
      try NameIndex(database: database).insert(names)
    }
    let text = try #require(one.entries.first?.text)
    #expect(try self.owners(text) == [2, 4, 6])
    #expect(try self.words() == [text, text])
  }

  @Test func `a word of which the last owner is removed is removed`() throws {
    try self.database.write { database in
      let index = NameIndex(database: database)
      try index.insert([(NameOwner(contact: 1), Self.ann("Lee"))])
      try index.insert([(NameOwner(contact: 2), Self.ann("Berg"))])
      try index.set(NameWords(names: ["Bob"], pairs: []), of: NameOwner(contact: 2))
    }
    #expect(try self.owners("an") == [2])
    #expect(try !self.words().contains { $0.contains("berg") })
    try self.database.write { database in
      try NameIndex(database: database).remove(NameOwner(contact: 1))
      try NameIndex(database: database).remove(NameOwner(contact: 2))
    }
    #expect(try self.words().isEmpty)
  }

  @Test func `names whose initials are the same as written and as read are stored`() throws {
    let words = NameWords(
      names: ["Sato Taro", "さとう", "たろう"], pairs: [("Sato", "Taro"), ("Saitou", "Tarou"), ("Taro", "Tanaka")])
    #expect(Set(words.entries).count == words.entries.count)
    try self.database.write { try NameIndex(database: $0).insert([(NameOwner(contact: 1), words)]) }
    #expect(try self.words().count == words.entries.count)
  }

  @Test(arguments: [
    ("O'Brien", ["o", "brien", "obrien"]), ("Jean-Luc", ["jean", "luc", "jeanluc"]), ("Ann", ["ann"]),
  ])
  func `a name with joints is stored in parts and as a whole`(name: String, words: [String]) {
    let entries = NameWords(names: ["Mary", name], pairs: []).entries.map(\.text)
    for word in words { #expect(entries.contains(NameKey.make(word) ?? ""), "\(word)") }
  }
}
