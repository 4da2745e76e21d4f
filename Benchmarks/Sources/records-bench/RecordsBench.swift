import Bus
import Foundation
import KithMessages
import Logging
import Measuring
import Storage
import SwiftProtobuf

/// Times the records: calls that are logged, pulled and pushed, pages, and every class of search.
///
/// Usage: `records-bench [CALLS]`, 5,000 if not said; with 200 people, one of whom has 1,000 conversations.
@main struct RecordsBench {
  private static let people = 200
  private static let batch = 500

  static func main() async throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 5_000
    let directory = NSTemporaryDirectory() + "records-bench-" + UUIDv7.make().text
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let store = try StorageActor(
      directory: directory, logger: Logger(label: "bench", factory: { _ in SwiftLogNoOpLogHandler() }),
      publish: { _ in })
    print("\(count) calls")
    let person = try await self.fill(store, calls: count)
    try await self.pages(store, of: person)
    try await self.searches(store, of: person)
    try await self.outbox(store)
    await store.close()
  }

  // MARK: - Writing

  /// - Returns: The id of the person with the conversations.
  private static func fill(_ store: StorageActor, calls: Int) async throws -> String {
    var history = History(people: Self.people)
    let people = (0..<Self.people).map { history.person($0) }
    try await self.pull("person", people, into: store)
    try await self.pull("call", (0..<calls).map { history.call($0) }, into: store)
    try await self.pull("conversation", (0..<1_000).map { history.conversation($0) }, into: store)
    let person = try await store.read { view throws(Failure) in
      try view.records.searchPeople("first0").people.first?.id ?? ""
    }
    var call = Call()
    call.personID = person
    call.note = "talked about the garden and the new roof"
    try await Timing.run("log a call", rounds: 200) { _ in
      _ = try await store.write { [call] transaction throws(Failure) in
        try transaction.records.create(call, now: WallClock.nanoseconds())
      }
    }
    return person
  }

  private static func pull(_ kind: String, _ records: [RemoteRecord], into store: StorageActor) async throws {
    let clock = ContinuousClock()
    var total = Duration.zero
    for start in stride(from: 0, to: records.count, by: Self.batch) {
      let page = Array(records[start..<min(start + Self.batch, records.count)])
      total += try await clock.measure {
        _ = try await store.write { transaction throws(Failure) in
          try transaction.records.merge(page, now: 1) { _, _ in .take }
        }
      }
    }
    print("pull: \(Int(total / .microseconds(1)) / records.count) us a \(kind)")
  }

  // MARK: - Reading

  private static func pages(_ store: StorageActor, of person: String) async throws {
    let middle = History.moment(5) / 2 + History.newest / 2
    let queries: [(String, RecordQuery)] = [
      ("calls, first page", RecordQuery()), ("calls of a person", RecordQuery(person: person)),
      ("calls of a range", RecordQuery(from: middle, to: middle + 30 * 86_400 * 1_000_000_000)),
      ("calls with a feeling", RecordQuery(emotion: "frustrated")), ("calls with a tag", RecordQuery(tag: "family")),
      ("calls with a rare tag", RecordQuery(tag: "rare")),
      ("calls of a person with a feeling and a tag", RecordQuery(person: person, emotion: "sad", tag: "family")),
    ]
    for (name, query) in queries {
      try await self.time(name, store) { view throws(Failure) in try view.records.page(Call.self, query).records.count }
    }
    var query = RecordQuery(limit: 500)
    for _ in 0..<8 {
      let next = try await store.read { [query] view throws(Failure) in
        try view.records.page(Call.self, query).nextCursor
      }
      guard !next.isEmpty else { break }
      query.cursor = next
    }
    query.limit = 50
    try await self.time("calls, a later page", store) { [query] view throws(Failure) in
      try view.records.page(Call.self, query).records.count
    }
    try await self.time("conversations of a person", store) { view throws(Failure) in
      try view.records.page(Conversation.self, RecordQuery(person: person)).records.count
    }
    try await self.time("timeline of a person", store) { view throws(Failure) in
      try view.records.timeline(of: [.call, .conversation, .activity, .note], RecordQuery(person: person)).records.count
    }
    try await self.time("people", store) { view throws(Failure) in
      try view.records.page(Person.self, RecordQuery()).records.count
    }
    try await self.time("facts of all calls", store, rounds: 20) { view throws(Failure) in
      var count = 0
      try view.records.callFacts { _ in count += 1 }
      return count
    }
  }

  private static func searches(_ store: StorageActor, of person: String) async throws {
    let classes: [(String, String)] = [
      ("rare word", "quetzalcoatl"), ("common word", "garden"), ("common part", "arde"), ("two words", "garden roof"),
      ("three words", "garden roof doctor"), ("word of every call", "talked"), ("one letter", "g"),
      ("two letters", "ro"),
      ("no hit", "xylophone"), ("no hit, common parts", "gardenroof"), ("japanese", "京都"), ("one kanji", "都"),
      ("100 KB", String(repeating: "garden roof doctor ", count: 5_000)),
    ]
    for (name, text) in classes {
      try await self.time("search, " + name, store) { view throws(Failure) in
        try view.records.search(text, kinds: [.call]).records.count
      }
    }
    try await self.time("search, of a person", store) { view throws(Failure) in
      try view.records.search("garden", kinds: [.call], RecordQuery(person: person)).records.count
    }
    try await self.time("search, old calls", store) { view throws(Failure) in
      try view.records.search("garden", kinds: [.call], RecordQuery(to: History.moment(100))).records.count
    }
    for (name, text) in [
      ("beginning", "first1"), ("misspelled", "frist17"), ("two words", "last3 first3"), ("no hit", "qqqq"),
    ] {
      try await self.time("people, " + name, store) { view throws(Failure) in
        try view.records.searchPeople(text).people.count
      }
    }
  }

  private static func outbox(_ store: StorageActor) async throws {
    try await self.time("due changes", store) { view throws(Failure) in
      try view.outbox.due(now: .max, limit: 100).count
    }
    try await self.time("next due change", store) { view throws(Failure) in try view.outbox.nextDue() == nil ? 0 : 1 }
    try await self.time("ids of the server", store, rounds: 20) { view throws(Failure) in
      try view.records.serverIDs(.call).count
    }
  }

  // MARK: -

  private static func time(
    _ name: String, _ store: StorageActor, rounds: Int = 300,
    _ body: @escaping @Sendable (ReadView) throws(Failure) -> Int
  ) async throws {
    let results = try await store.read(body)
    try await Timing.run("\(name), \(results) results", rounds: rounds) { _ in _ = try await store.read(body) }
  }
}
