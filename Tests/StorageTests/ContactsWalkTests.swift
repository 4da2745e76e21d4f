import Bus
import Foundation
import KithMessages
import TestKit
import Testing

@testable import Storage

/// Makes random changes; after each, the tables must equal a dictionary.
@Suite struct ContactsWalkTests {
  @Test(arguments: testSeeds(short: 2, full: 60)) func tablesFollowTheModel(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try ContactsFixture()
    var model = ContactsModel()
    for source in ["home", "work"] { try fixture.addSource(source) }
    for step in 0..<150 {
      try fixture.write { try model.change($0, at: Int64(step + 1), &random) }
      try fixture.read { try Self.compare($0, model, &random) }
    }
    #expect(try fixture.check() == "ok")
    let removed = try fixture.write { try $0.sources.remove("home") }
    #expect(Set(removed) == Set(model.contacts.values.filter { $0.source == "home" }.map(\.id)))
    model.contacts = model.contacts.filter { $0.value.source != "home" }
    try fixture.read { try Self.compare($0, model, &random, sources: ["work"]) }
    #expect(try fixture.check() == "ok")
  }

  private static func compare(
    _ view: ReadView, _ model: ContactsModel, _ random: inout SeededGenerator, sources: [String] = ["home", "work"]
  ) throws {
    let live = model.contacts.values.filter { !$0.hasDeletedAt }
    #expect(Set(try view.contacts.page(limit: 500).contacts) == Set(live))
    #expect(Set(try view.contacts.page(limit: 500, includeDeleted: true).contacts) == Set(model.contacts.values))
    for source in sources {
      #expect(try view.contacts.count(source: source) == live.count { $0.source == source })
      let known = Dictionary(uniqueKeysWithValues: try view.cards.known(in: source).map { ($0.contactID, $0) })
      let wanted = model.contacts.values.filter { $0.source == source }
      #expect(Set(known.keys) == Set(wanted.map(\.id)))
      for contact in wanted {
        #expect(known[contact.id]?.isDeleted == contact.hasDeletedAt)
        #expect(known[contact.id]?.isKept == model.kept.contains(contact.id))
      }
    }
    let word = ContactsModel.words.randomElement(using: &random) ?? ""
    for text in [
      word, String(word.prefix(2)), String(word.prefix(1)),
      word + " " + (ContactsModel.words.randomElement(using: &random) ?? ""),
    ] {
      let wanted = live.filter { ContactsModel.matches(text, $0) }
      // Names that are like the text are found too, after these.
      let found = try view.contacts.search(text, limit: 500).contacts.map(\.id)
      #expect(Set(found).isSuperset(of: wanted.map(\.id)), "\(text)")
      #expect(Set(found).isSubset(of: live.map(\.id)) && Set(found).count == found.count, "\(text)")
    }
  }
}

/// The expected content of the tables.
struct ContactsModel {
  static let words = [
    "Ann", "Anna", "Hannah", "Lee", "chess", "cheese", "山田", "山", "田中", "Äpfel", "apfelbaum", "0312", "12",
  ]

  var contacts: [String: Contact] = [:]
  var kept: Set<String> = []

  /// Makes the same random change to tables and model.
  mutating func change(_ transaction: Transaction, at now: Int64, _ random: inout SeededGenerator) throws {
    let chosen = self.contacts.values.sorted { $0.id < $1.id }.randomElement(using: &random)
    switch (Int.random(in: 0..<10, using: &random), chosen) {
    case (0...3, _), (_, nil):
      let source = Bool.random(using: &random) ? "home" : "work"
      let contact = Self.contact(id: UUIDv7.make().text, source: source, &random)
      try transaction.contacts.insert(contact)
      try transaction.cards.put(Self.card(of: contact), in: source, contactID: contact.id)
      self.contacts[contact.id] = contact
    case (4...5, let contact?):
      var changed = Self.contact(id: contact.id, source: contact.source, &random)
      if contact.hasDeletedAt { changed.deletedAt = contact.deletedAt }
      try transaction.contacts.update(changed)
      self.contacts[contact.id] = changed
      self.kept.remove(contact.id)
    case (6...7, let contact?):
      #expect(try transaction.contacts.softDelete([contact.id, "unknown"], at: now) == (contact.hasDeletedAt ? 0 : 1))
      guard !contact.hasDeletedAt else { return }
      self.contacts[contact.id]?.deletedAt = .init(nanosecondsSince1970: now)
      self.contacts[contact.id]?.updatedAt = .init(nanosecondsSince1970: now)
      self.kept.remove(contact.id)
    case (8, let contact?):
      _ = try transaction.contacts.restore(contact.id, at: now)
      guard contact.hasDeletedAt else { return }
      self.contacts[contact.id]?.clearDeletedAt()
      self.contacts[contact.id]?.updatedAt = .init(nanosecondsSince1970: now)
      self.kept.insert(contact.id)
    case (_, _?):
      let gone = Set(try transaction.contacts.purge(keptFor: 20, notice: 0, at: now))
      let wanted = self.contacts.values.filter { $0.hasDeletedAt && $0.deletedAt.nanosecondsSince1970 < now - 20 }
      #expect(gone == Set(wanted.map(\.id)))
      self.contacts = self.contacts.filter { !gone.contains($0.key) }
    }
  }

  /// Whether a plain scan finds every word of a text in a contact.
  static func matches(_ text: String, _ contact: Contact) -> Bool {
    let folded = Self.fold(contact.formattedName + " " + contact.note)
    return Self.fold(text).split(separator: " ").allSatisfy { word in
      if word.count > 2 || word.contains("山") || word.contains("田") { return folded.contains(word) }
      return folded.split(separator: " ").contains { $0.hasPrefix(word) }
    }
  }

  private static func fold(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
  }

  private static func contact(id: String, source: String, _ random: inout SeededGenerator) -> Contact {
    var contact = Contact(self.words.randomElement(using: &random) ?? "", id: id, source: source)
    contact.sourceIdentifier = id + ".vcf"
    contact.createdAt = .init(nanosecondsSince1970: 3)
    contact.note = (0..<Int.random(in: 0...3, using: &random))
      .map { _ in self.words.randomElement(using: &random) ?? "" }.joined(separator: " ")
    return contact
  }

  private static func card(of contact: Contact) -> CardRead {
    var card = CardRead()
    card.href = contact.sourceIdentifier
    card.contact = contact
    return card
  }
}
