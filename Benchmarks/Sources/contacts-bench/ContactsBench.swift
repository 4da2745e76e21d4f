import Bus
import Foundation
import KithMessages
import Logging
import Measuring
import Storage

/// Times the contact tables: a first pass, pages, and every class of search, also over people and contacts at once.
///
/// Usage: `contacts-bench [CONTACTS [KIND]]`, 10,000 contacts if not said, and every kind of search. One contact in five has a picture of 20 KB; there is a person for each five.
@main struct ContactsBench {
  private static let batch = 500

  static func main() async throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 10_000
    let directory = NSTemporaryDirectory() + "contacts-bench-" + UUIDv7.make().text
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let store = try StorageActor(
      directory: directory, logger: Logger(label: "bench", factory: { _ in SwiftLogNoOpLogHandler() }),
      publish: { _ in })
    try await self.write(count, to: store)
    try await self.page(count, of: store)
    try await self.search(store)
    try await self.who(count / 5, store)
    await store.close()
  }

  private static func write(_ count: Int, to store: StorageActor) async throws {
    var source = Source()
    source.name = "home"
    source.vdir.path = "/srv/contacts"
    try await store.write { [source] transaction throws(Failure) in try transaction.sources.insert(source) }
    var household = Household()
    var cards: [CardRead] = []
    for number in 0..<count {
      var card = CardRead()
      card.contact = household.contact(number, id: UUIDv7.make().text, source: "home")
      card.href = card.contact.sourceIdentifier
      card.fingerprint = "\(number)"
      card.rawSha256 = Data(repeating: UInt8(truncatingIfNeeded: number), count: 32)
      card.semanticDigest = card.rawSha256
      card.raw = Data(repeating: 65, count: 700)
      if number.isMultiple(of: 5) {
        card.pictures = [household.picture()]
        card.contact.photo = card.pictures[0].ref
      }
      cards.append(card)
    }
    let clock = ContinuousClock()
    var total = Duration.zero
    let processorTime = Timing.processorTime()
    for start in stride(from: 0, to: count, by: Self.batch) {
      let some = Array(cards[start..<min(start + Self.batch, count)])
      total += try await clock.measure {
        try await store.write { transaction throws(Failure) in
          for card in some {
            for picture in card.pictures { try transaction.photos.put(picture) }
            try transaction.contacts.insert(card.contact)
            try transaction.cards.put(card, in: "home", contactID: card.contact.id)
          }
        }
      }
    }
    let processor = (Timing.processorTime() - processorTime) / count
    print("write: \(Int(total / .microseconds(1)) / count) us a contact, \(processor) us of processor")
  }

  private static func page(_ count: Int, of store: StorageActor) async throws {
    var cursors = [""]
    while let cursor = cursors.last, cursors.count < count / 50 {
      let next = try await store.read { view throws(Failure) in try view.contacts.page(cursor: cursor).nextCursor }
      guard !next.isEmpty else { break }
      cursors.append(next)
    }
    try await self.time("page of 50", store, rounds: 1_000) { [cursors] round, view throws(Failure) in
      try view.contacts.page(cursor: cursors[round * 7 % cursors.count]).contacts.count
    }
    try await self.time("known cards", store, rounds: 10) { _, view throws(Failure) in
      try view.cards.known(in: "home").count
    }
  }

  private static func search(_ store: StorageActor) async throws {
    let classes: [(String, String)] = [
      ("rare word", "quetzalcoatl"), ("common word", "germany"), ("common part", "erman"), ("every contact", "manager"),
      ("two words", "ann sen"), ("two common words", "germany street"), ("three words", "maria gmbh 49"),
      ("two kanji", "山田"), ("one kanji", "山"), ("kana", "やま"), ("katakana", "ヤマダ"), ("two letters", "an"),
      ("one letter", "m"), ("common letter", "g"), ("digits", "0312"), ("phone", "03-12"), ("two digits", "49"),
      ("no hit", "xylophone"), ("romaji", "yamada"), ("romaji, other system", "satou"), ("misspelt", "jonh"),
      ("two misspelt", "ulrikke karitmo"), ("initials", "j k"), ("number with country code", "+81 3 1234 5678"),
      ("no hit, common parts", "managergermany"), ("not in order", "gerstr manfen"),
      ("200 characters", String(repeating: "kari tomo senber lin ", count: 10)),
      ("200 characters, one word", String(repeating: "karitomo", count: 25)),
      ("three names, none together", "maria peter ann"), ("two words, no hit together", "maria xylophone"),
      ("three words, part in the middle", "maria mber gmb"), ("three words, misspelt", "marai karitmo gmhb"),
      ("four words", "maria karitomo gmbh 49"), ("five words", "maria gmbh manager germany 49"),
      ("six names", "maria peter ann hans emma olga"), ("letter and word", "m karitomo"),
      ("three letters of words", "m k g"), ("common prefix", "mar"), ("three words of Japanese", "山田 さくら 0312"),
      ("kanji and kana", "山田 やまだ"), ("mail address", "karitomo.5@mail.example"), ("one digit", "8"),
      ("100 KB", String(repeating: "manager germany street ", count: 4_500)),
    ]
    let only = CommandLine.arguments.dropFirst(2).first
    for (name, text) in classes where only == nil || only == name {
      try await self.time(name, store, rounds: 300) { _, view throws(Failure) in
        try view.contacts.search(text).contacts.count
      }
    }
    try await self.time("common word, of source", store, rounds: 300) { _, view throws(Failure) in
      try view.contacts.search("germany", source: "home").contacts.count
    }
  }

  /// Searches people and contacts at once; every second person is linked to a contact.
  private static func who(_ count: Int, _ store: StorageActor) async throws {
    var household = Household()
    let names = (0..<count).map { household.contact($0, id: "", source: "").name }
    let contacts = try await store.read { view throws(Failure) in try view.contacts.page(limit: 500).contacts.map(\.id)
    }
    try await store.write { transaction throws(Failure) in
      for (number, name) in names.enumerated() {
        var person = Person()
        (person.firstName, person.lastName) = (name.given, name.family)
        let made = try transaction.records.create(person, now: 1)
        guard number.isMultiple(of: 2), number / 2 < contacts.count else { continue }
        try transaction.links.link(person: made.id, contact: contacts[number / 2])
      }
    }
    for (name, text) in [
      ("common name", "maria"), ("rare name", "karitomo"), ("romaji", "yamada"), ("kana", "やまだ"), ("misspelt", "jonh"),
      ("two misspelt", "ulrikke karitmo"), ("initials", "j k"), ("number", "+49 30 1234567"), ("two letters", "an"),
      ("no hit", "xylophone"),
    ] {
      try await self.time("who: \(name)", store, rounds: 300) { _, view throws(Failure) in
        try view.acquaintances.search(text).hits.count
      }
    }
  }

  private static func time(
    _ name: String, _ store: StorageActor, rounds: Int,
    _ body: @escaping @Sendable (Int, ReadView) throws(Failure) -> Int
  ) async throws {
    let results = try await store.read { view throws(Failure) in try body(0, view) }
    try await Timing.run("\(name), \(results) results", rounds: rounds) { round in
      _ = try await store.read { view throws(Failure) in try body(round, view) }
    }
  }
}
