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
      try database.execute(sql: Migration.names.sql)
      try Migration.names.rewrite?(database)
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
      try index.insert(Self.ann("Lee"), of: NameOwner(contact: 1))
      try index.insert(Self.ann("Berg"), of: NameOwner(person: 1))
    }
    #expect(try self.owners("an") == [2, 3])
    #expect(try self.words().count(where: { $0 == "an" }) == 1)
    #expect(try self.owners("berg") == [3])
  }

  @Test func `a word of which the last owner is removed is removed`() throws {
    try self.database.write { database in
      let index = NameIndex(database: database)
      try index.insert(Self.ann("Lee"), of: NameOwner(contact: 1))
      try index.insert(Self.ann("Berg"), of: NameOwner(contact: 2))
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
    try self.database.write { try NameIndex(database: $0).insert(words, of: NameOwner(contact: 1)) }
    #expect(try self.words().count == words.entries.count)
  }

  @Test(arguments: [
    ("O'Brien", ["o", "brien", "obrien"]), ("Jean-Luc", ["jean", "luc", "jeanluc"]), ("Ann", ["ann"]),
  ])
  func `a name with joints is stored in parts and as a whole`(name: String, words: [String]) {
    let entries = NameWords(names: ["Mary", name], pairs: []).entries
    for word in words { #expect(entries.contains(NameKey.make(word) ?? ""), "\(word)") }
  }
}
