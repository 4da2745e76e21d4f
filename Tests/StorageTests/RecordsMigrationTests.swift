import Bus
import Foundation
import GRDB
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite struct RecordsMigrationTests {
  /// Inserts a contact of the first source, as all versions stored it.
  private static func contact(_ row: Int, _ name: String, reading: String = "") -> String {
    """
    INSERT INTO contact (id, uuid, source, sort_key, source_identifier, uid, formatted_name, name_prefix, middle, family,
      suffix, phonetic_given, phonetic_family, phonetic_middle, nickname, organization, phonetic_organization,
      department, title, role, kind, birthday, photo_size, photo_media_type, photo_uri, revision, etag, stale, note)
    VALUES (\(row), '\(row)', 1, '\(name)', '\(row).vcf', '\(row)', '\(name)', '', '', '', '', '', '\(reading)', '', '', '', '', '', '',
      '', '', '', 0, '', '', '', '', 0, '');
    INSERT INTO contact_search (contact, sort_key, names, words) VALUES (\(row), '\(name)', '', '')
    """
  }

  @Test func aStoreOfBeforeOpensWithWhatItHad() async throws {
    let temporary = TemporaryStore()
    let earlier = Array(Migration.all.prefix { $0.name != "records" })
    #expect(earlier.count < Migration.all.count)
    var storage = try temporary.open(migrations: earlier)
    try await storage.write { transaction throws(Failure) in
      var source = Source()
      source.name = "home"
      source.vdir.path = "/srv/home"
      try transaction.sources.insert(source)
      // As the version of then stored it.
      _ = try transaction.attempt { database in
        try database.execute(
          sql: """
            \(Self.contact(1, "Anneliese", reading: "やまだ"))
            """)
      }
    }
    await storage.close()
    storage = try temporary.open(migrations: Migration.all)
    let (contacts, account) = try await storage.read { view throws(Failure) in
      (
        [try view.contacts.search("annelise").contacts.count, try view.contacts.search("yamada").contacts.count],
        try view.accounts.current()
      )
    }
    #expect(contacts == [1, 1])
    #expect(account == AccountRecord())
    _ = try await storage.write { transaction throws(Failure) in
      try transaction.records.create(Person(first: "Bob"), now: 1)
    }
    await storage.checkIntegrity()
    #expect(await storage.status().integrity == .sound)
    await storage.close()
  }

  @Test func `people with Japanese names that were made before are shown family name first`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open(migrations: Migration.all)
    let made = try await storage.write { transaction throws(Failure) in
      var made: [String] = []
      for (first, last) in [("花子", "佐藤"), ("Ann", "Lee")] {
        var person = Person(first: first)
        person.lastName = last
        made.append(try transaction.records.create(person, now: 1).id)
      }
      // As the version of then stored them. The step is run alone: what it reads and writes is the same in all later stores.
      try transaction.attempt { database in
        try database.execute(sql: "UPDATE record SET name = '花子 佐藤' WHERE name = '佐藤 花子'")
        try Migration.japaneseNames.rewrite?(database)
      }
      return made
    }
    let names = try await storage.read { view throws(Failure) in
      var names: [String] = []
      for id in made { names.append(try view.records.require(Person.self, id).displayName) }
      return names
    }
    #expect(names == ["佐藤 花子", "Ann Lee"])
    await storage.checkIntegrity()
    #expect(await storage.status().integrity == .sound)
    await storage.close()
  }

  @Test func `people who were deleted before do not come back, and what is not on the server has no time of it`()
    async throws
  {
    let temporary = TemporaryStore()
    var storage = try temporary.open(migrations: Array(Migration.all.prefix { $0.name != "deleted_there" }))
    try await storage.write { transaction throws(Failure) in
      // As the version of then stored them: a deleted person, and a note that was restored.
      try transaction.attempt { database in
        try database.execute(
          sql: """
            INSERT INTO record (id, uuid, account, kind, state, sort_key, rank, at, name, duration, emotion, they_called,
              created_at, updated_at, deleted_at, body, remote_made)
            VALUES (1, 'p', 1, 1, 0, 'lee', 0, 0, 'Ann Lee', 0, 0, 0, 1, 1, 2, x'', NULL),
              (2, 'n', 1, \(RecordKind.note.rawValue), 1, NULL, 0, 0, NULL, 0, 0, 0, 1, 1, NULL, x'', 5)
            """)
      }
    }
    await storage.close()
    storage = try temporary.open(migrations: Migration.all)
    let stored = try await storage.read { view throws(Failure) in
      try view.attempt { try RecordWriter(database: $0).read([1, 2]) }
    }
    #expect(stored.map(\.wasOnServer) == [true, false] && stored.map(\.remoteMadeAt) == [nil, nil])
    await storage.close()
  }

  @Test func `names that an earlier version indexed are found by their spelling and by their sound`() async throws {
    let temporary = TemporaryStore()
    var storage = try temporary.open(migrations: Array(Migration.all.prefix { $0.name != "name_sounds" }))
    try await storage.write { transaction throws(Failure) in
      var source = Source()
      source.name = "home"
      source.vdir.path = "/srv/home"
      try transaction.sources.insert(source)
      // As the version of then stored them.
      try transaction.attempt { database in
        var ulrike = Person(first: "Ulrike")
        ulrike.lastName = "Karitomo"
        let person: Data = try ulrike.serializedBytes()
        try database.execute(
          sql: """
            \(Self.contact(1, "Philip Ng")); \(Self.contact(2, "Ann Lee"));
            INSERT INTO name_word (word, backwards) VALUES ('filip', 'pilif'), (char(3) || 'flp', ''), ('ng', 'gn');
            INSERT INTO name_use (word, owner) VALUES (1, 2), (2, 2), (3, 2);
            INSERT INTO person_search (person, account, sort_key, names, words) VALUES (1, 1, 'karitomo', 'old', 'old');
            INSERT INTO person_words (rowid, words) VALUES (1, 'old')
            """)
        try database.execute(
          sql: """
            INSERT INTO record (id, uuid, account, kind, state, sort_key, rank, at, name, duration, emotion, they_called,
              created_at, updated_at, body)
            VALUES (1, 'p', 1, 1, 1, 'karitomo', 0, 0, 'Ulrike Karitomo', 0, 0, 0, 1, 1, ?)
            """, arguments: [person])
      }
    }
    await storage.close()
    storage = try temporary.open(migrations: Migration.all)
    let found = try await storage.read { view throws(Failure) in
      var found: [[String]] = []
      for text in ["fillip", "felap", "ann"] {
        found.append(try view.contacts.search(text).contacts.map(\.formattedName))
      }
      return found + [try view.records.searchPeople("karitmo").people.map(\.firstName)]
    }
    // felap is not spelled like filip, and sounds like it.
    #expect(found == [["Philip Ng"], ["Philip Ng"], ["Ann Lee"], ["Ulrike"]])
    let sounds = try await storage.read { view throws(Failure) in
      try view.attempt { try $0.all("SELECT sound FROM name_entry WHERE word = 'filip'") { $0.text(0) } }
    }
    #expect(sounds == ["flp"])
    await storage.checkIntegrity()
    #expect(await storage.status().integrity == .sound)
    await storage.close()
  }

  @Test func `nobody is reminded of what a plan had before there were reminders of it`() async throws {
    let temporary = TemporaryStore()
    var storage = try temporary.open(migrations: Array(Migration.all.prefix { $0.name != "plan_reminders" }))
    try await storage.write { transaction throws(Failure) in
      for name in ["aspirin", "paracetamol"] {
        var item = PlanItem()
        (item.id, item.name, item.asNeeded) = (name, name, name == "paracetamol")
        item.knownState = .active
        try transaction.plan.put(item, validFrom: 1)
      }
    }
    await storage.close()
    storage = try temporary.open(migrations: Migration.all)
    let (quiet, before) = try await storage.read { view throws(Failure) in
      (try view.plan.all(withEnded: true).map(\.item.quiet), try view.plan.versions(of: "aspirin").map(\.item.quiet))
    }
    #expect(quiet == [true, false] && before == [true])
    await storage.checkIntegrity()
    #expect(await storage.status().integrity == .sound)
    await storage.close()
  }

  @Test func everyTableIsStrict() throws {
    let fixture = try ContactsFixture()
    let loose = try fixture.read { view in
      try view.attempt { database in
        try String.fetchAll(
          database, sql: "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict")
      }
    }
    #expect(loose == ["sqlite_schema"])
  }
}
