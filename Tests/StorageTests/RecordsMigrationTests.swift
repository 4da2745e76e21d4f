import Bus
import GRDB
import KithMessages
import Testing

@testable import Storage

@Suite struct RecordsMigrationTests {
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
            INSERT INTO contact (uuid, source, sort_key, source_identifier, uid, formatted_name, name_prefix, middle, family,
              suffix, phonetic_given, phonetic_family, phonetic_middle, nickname, organization, phonetic_organization,
              department, title, role, kind, birthday, photo_size, photo_media_type, photo_uri, revision, etag, stale, note)
            VALUES ('a', 1, 'ann', 'a.vcf', 'a', 'Anneliese', '', '', '', '', '', 'やまだ', '', '', '', '', '', '', '', '', '', 0, '',
              '', '', '', 0, '');
            INSERT INTO contact_search (contact, sort_key, names, words) VALUES (1, 'ann', '', '')
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
    var storage = try temporary.open(migrations: Array(Migration.all.prefix { $0.name != "japanese_names" }))
    let made = try await storage.write { transaction throws(Failure) in
      var made: [String] = []
      for (first, last) in [("花子", "佐藤"), ("Ann", "Lee")] {
        var person = Person(first: first)
        person.lastName = last
        made.append(try transaction.records.create(person, now: 1).id)
      }
      // As the version of then stored them.
      try transaction.attempt { database in
        try database.execute(sql: "UPDATE record SET name = '花子 佐藤' WHERE name = '佐藤 花子'")
      }
      return made
    }
    await storage.close()
    storage = try temporary.open(migrations: Migration.all)
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
