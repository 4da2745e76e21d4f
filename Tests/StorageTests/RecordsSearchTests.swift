import Bus
import GRDB
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Storage

@Suite struct RecordsSearchTests {
  @Test(
    arguments: [
      ("garden", ["3", "1"]), ("GÄRTEN", []), ("gardén", ["3", "1"]), ("arde", ["3", "1"]), ("ga", ["3", "1"]),
      ("ar", []),
      ("garden plans", ["1"]), ("plans garden", ["1"]), ("berlin", ["2"]), ("京都", ["4"]), ("都", ["4"]),
      ("とうきょう", ["5"]),
      ("トウキョウ", ["5"]), ("birthday", ["3"]), ("nobody", []), ("\"", []), ("garden OR berlin", []), ("0171 23", ["2"]),
    ] as [(String, [String])])
  func callsAreFoundByTheirWords(text: String, found: [String]) throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    let notes = ["", "the Garden and its plans", "from Berlin: 0171 234", "gardens", "京都に行く", "トウキョウ"]
    for (index, note) in notes.enumerated() {
      try fixture.addCall(ann, at: Int64(index) * 1_000_000_000, note) { call in
        call.durationMinutes = UInt32(index)
        call.tags = index == 3 ? ["birthday"] : []
      }
    }
    let result = try fixture.read { try $0.records.search(text, kinds: [.call]) }
    #expect(result.records.compactMap { Call($0) }.map { "\($0.durationMinutes)" } == found)
    #expect(!result.more)
  }

  @Test func everyKindThatHasTextIsFoundNewestFirst() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    try fixture.write { transaction in
      var conversation = Conversation()
      conversation.personID = ann.id
      conversation.happenedAt = .init(nanosecondsSince1970: 30)
      var message = ConversationMessage()
      message.content = "about whales"
      conversation.messages = [message]
      var activity = Activity()
      activity.participants = [ann.id]
      activity.happenedOn = "2024-01-01"
      activity.summary = "whales at sea"
      _ = try transaction.records.create(Note(of: ann, "a whale"), now: 20)
      _ = try transaction.records.create(Call(with: ann, at: 10, "whale"), now: 50)
      _ = try transaction.records.create(conversation, now: 50)
      _ = try transaction.records.create(activity, now: 50)
    }
    func kinds(_ kinds: [RecordKind], _ query: RecordQuery = RecordQuery()) throws -> [RecordKind] {
      try fixture.read { try $0.records.search("whale", kinds: kinds, query) }.records.map(\.kind)
    }
    #expect(try kinds(RecordKind.allCases) == [.activity, .conversation, .note, .call])
    #expect(try kinds([.note, .call]) == [.note, .call])
    #expect(try kinds(RecordKind.allCases, RecordQuery(from: 15, to: 31)) == [.conversation, .note])
    #expect(try kinds(RecordKind.allCases, RecordQuery(limit: 1)) == [.activity])
    #expect(try kinds([.task]).isEmpty)
  }

  /// As after an import, when all records have the same time.
  @Test func manyOfOneMomentLieSideBySide() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    try fixture.write { transaction in
      for _ in 0..<300 { _ = try transaction.records.create(Note(of: ann, "whale"), now: 1_000_000_000) }
      _ = try transaction.records.create(Note(of: ann, "whale"), now: 1_500_000_000)
    }
    let places = try fixture.read { view throws(Failure) in
      try view.attempt { try Int64.fetchAll($0, sql: "SELECT id FROM record_search ORDER BY id") }
    }
    #expect(places == Array(4..<305))
    #expect(
      try fixture.read { try $0.records.search("whale", kinds: [.note], RecordQuery(limit: 500)) }.records.count == 301)
  }

  /// Compares search with a filter over all records, with edits and deletions in between.
  @Test func whatIsFoundIsWhatHasTheWord() throws {
    let fixture = try ContactsFixture()
    var random = SeededGenerator(seed: 11)
    let people = try ["Ann", "Bob"].map { try fixture.addPerson($0) }
    let words = ["apple", "pear", "plum", "quince"]
    var calls: [Call] = []
    for step in 0..<150 {
      let now = Int64(step) * 1_000_000_000
      if step.isMultiple(of: 5), let index = calls.indices.randomElement(using: &random) {
        if Bool.random(using: &random) {
          let call = calls.remove(at: index)
          _ = try fixture.write { try $0.records.delete(Call.self, call.id, now: now) }
        } else {
          calls[index].note = words.randomElement(using: &random) ?? ""
          calls[index] = try fixture.write { [call = calls[index]] in try $0.records.update(call, now: now) }
        }
      } else {
        let person = people[step % 2]
        // Several at one moment.
        calls.append(
          try fixture.addCall(person, at: Int64(step / 7) * 1_000_000_000, words.randomElement(using: &random) ?? "") {
            $0.emotion = step.isMultiple(of: 2) ? "happy" : "sad"
            $0.tags = step.isMultiple(of: 3) ? ["Fruit"] : []
          })
      }
    }
    for word in words {
      for query in [
        RecordQuery(limit: 500), RecordQuery(limit: 500, person: people[0].id),
        RecordQuery(limit: 500, from: 5_000_000_000, to: 15_000_000_000), RecordQuery(limit: 500, emotion: "sad"),
        RecordQuery(limit: 500, tag: "fruit"),
      ] {
        let found = try fixture.read { try $0.records.search(word, kinds: [.call], query) }.records.compactMap {
          Call($0)
        }
        let wanted = calls.filter { call in
          call.note == word && (query.person == nil || call.personID == query.person)
            && (query.from == nil || (5..<15).contains(call.calledAt.seconds))
            && (query.emotion == nil || call.emotion == query.emotion) && (query.tag == nil || !call.tags.isEmpty)
        }
        #expect(Set(found.map(\.id)) == Set(wanted.map(\.id)))
        #expect(found.map(\.calledAt.seconds) == wanted.map(\.calledAt.seconds).sorted(by: >))
      }
    }
    #expect(try fixture.check() == "ok")
  }

  @Test(
    arguments: [
      ("john", ["John Smith", "Jon Meyer"]), ("jon", ["Jon Meyer", "John Smith"]),
      ("Jöhn", ["John Smith", "Jon Meyer"]),
      ("katherine", ["Catharine Ōe"]), ("Kathrin", ["Catharine Ōe"]), ("stephen", ["Steven Muller"]),
      ("müller", ["Steven Muller"]), ("mueller", ["Steven Muller"]), ("johny smit", ["John Smith"]),
      ("smith john", ["John Smith"]),
      ("smtih", ["John Smith"]), ("acme", ["Jon Meyer"]), ("bunny", ["Catharine Ōe"]), ("js@mail.ex", ["John Smith"]),
      ("やまだ", ["太郎 やまだ"]), ("ヤマダ", ["太郎 やまだ"]), ("太", ["太郎 やまだ"]), ("やまだ太郎", ["太郎 やまだ"]), ("zz", []), ("xaver", []),
      ("j", ["Jon Meyer", "John Smith"]),
    ] as [(String, [String])])
  func peopleAreFoundAsTheyAreSpelled(text: String, names: [String]) throws {
    let fixture = try ContactsFixture()
    let john = try fixture.addPerson("John", "Smith")
    try fixture.addPerson("Jon", "Meyer") { $0.company = "Acme" }
    try fixture.addPerson("Catharine", "Ōe") { $0.nickname = "Bunny" }
    try fixture.addPerson("Steven", "Muller")
    try fixture.addPerson("やまだ", "太郎") { $0.middleName = "" }
    var field = ContactField()
    field.personID = john.id
    field.type = "email"
    field.data = "js@mail.example"
    _ = try fixture.write { [field] in try $0.records.create(field, now: 1) }
    #expect(try fixture.read { try $0.records.searchPeople(text) }.people.map(\.displayName) == names)
  }

  @Test func aPersonIsFoundByWhatIsSaidNow() throws {
    let fixture = try ContactsFixture()
    var ann = try fixture.addPerson("Ann")
    var field = ContactField()
    field.personID = ann.id
    field.type = "email"
    field.data = "old@mail.example"
    field = try fixture.write { [field] in try $0.records.create(field, now: 1) }
    func finds(_ text: String) throws -> Bool { try fixture.read { try !$0.records.searchPeople(text).people.isEmpty } }
    #expect(try finds("old@mail"))
    field.data = "new@mail.example"
    _ = try fixture.write { [field] in try $0.records.update(field, now: 2) }
    #expect(try finds("new@mail") && !finds("old@mail"))
    _ = try fixture.write { [field] in try $0.records.delete(ContactField.self, field.id, now: 3) }
    #expect(try !finds("new@mail"))
    ann.company = "Acme"
    _ = try fixture.write { [ann] in try $0.records.update(ann, now: 4) }
    #expect(try finds("acme"))
    #expect(try fixture.check() == "ok")
  }

  @Test func theNearestSpellingComesFirst() throws {
    let fixture = try ContactsFixture()
    for name in ["Joan", "Jona", "John", "Jonathan", "Jon", "Bob"] { try fixture.addPerson(name) }
    let found = try fixture.read { try $0.records.searchPeople("jon", limit: 3) }
    #expect(found.people.map(\.displayName) == ["Jon", "Jona", "Jonathan"])
    #expect(found.more)
    #expect(
      try fixture.read { try $0.records.searchPeople("jon") }.people.map(\.displayName)
        == ["Jon", "Jona", "Jonathan", "John", "Joan"])
  }

  @Test(arguments: [
    ("katherine", "catharine"), ("stephen", "steven"), ("philip", "filip"), ("jon", "john"), ("claus", "klaus"),
    ("matthew", "mathew"),
  ]) func namesThatSoundAlike(one: String, other: String) {
    #expect(Spelling.sound(of: one) == Spelling.sound(of: other))
    #expect(!Spelling.sound(of: one).isEmpty)
  }

  @Test(arguments: [
    ("jon", "john", 1), ("ab", "ba", 1), ("kitten", "sitting", 3), ("", "abc", 3), ("same", "same", 0),
    ("abcd", "badc", 2),
    ("さいとう", "さとう", 1),
  ]) func distancesAreCounted(one: String, other: String, distance: Int) {
    let word = SpelledWord(one.unicodeScalars)
    #expect(word.distance(to: other, limit: 3) == distance)
    #expect(SpelledWord(other.unicodeScalars).distance(to: one, limit: 3) == distance)
    if distance > 0 { #expect(word.distance(to: other, limit: distance - 1) == nil) }
  }
}
