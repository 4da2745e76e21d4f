import Bus
import Foundation
import GRDB
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct CareTableTests {
  static func record(_ id: String, at time: Int64, memo: String = "", category: String = "meal") -> CareRecord {
    var record = CareRecord()
    record.id = id
    record.occurredAt = .init(nanosecondsSince1970: time)
    record.category = category
    record.memo = memo
    record.state = "transcribed"
    record.review = "none"
    return record
  }

  private static let moment = ClockReading(wall: 7, steady: 7, boot: "a")

  @Test func `entries come by time, in pages of any size`() async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    let storage = try temporary.open()
    let records = (0..<23).map { Self.record("r\($0)", at: Int64($0 / 3)) }
    try await storage.write { transaction throws(Failure) in
      for record in records.shuffled() { try transaction.care.insert(record) }
    }
    for limit in [1, 4, 50] as [UInt32] {
      for isAscending in [true, false] {
        let read = try await storage.read { view throws(Failure) in
          var query = CareQuery()
          query.limit = limit
          query.isAscending = isAscending
          var read: [CareRecord] = []
          repeat {
            let page = try view.care.page(query)
            #expect(page.records.count <= limit)
            read += page.records
            query.cursor = page.nextCursor
          } while !query.cursor.isEmpty
          return read
        }
        let times = read.map(\.occurredAt.nanosecondsSince1970)
        #expect(times == (isAscending ? times.sorted() : times.sorted(by: >)))
        #expect(Set(read.map(\.id)) == Set(records.map(\.id)))
        #expect(read.count == records.count)
      }
    }
    await storage.close()
  }

  @Test func `times that no calendar has are put right when a store is opened`() async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    var storage = try temporary.open(migrations: Array(Migration.all.prefix { $0.name != "care_times" }))
    // Seconds and nanoseconds as stored, and the same moment normalized.
    let times: [(Int64, Int32, Int64, Int32)] = [
      (100, 1_000_000_000, 101, 0), (200, -1, 199, 999_999_999), (300, .max, 302, 147_483_647), (400, 5, 400, 5),
    ]
    let context = CallContext(requestID: "kept")
    let ticket = CommandTicket(
      principal: "p", key: "kept", requestID: "kept", method: Methods.careRecord, fingerprint: [1])
    for (seconds, nanos, _, _) in times {
      var record = Self.record("at \(seconds)", at: 0)
      record.occurredAt = .init(seconds: seconds, nanos: nanos)
      var version = CareVersion()
      version.occurredAt = record.occurredAt
      var command = context
      if seconds == 200 { command.ticket = ticket }
      _ = try await storage.commit(RecordCareRequest.self, command) { [record, version] transaction throws(Failure) in
        try transaction.care.insert(record)
        try transaction.care.replace(record, keeping: version)
        var reply = CareReply()
        reply.record = record
        return reply
      }
    }
    await storage.close()
    storage = try temporary.open(migrations: Migration.all)
    for (sent, _, seconds, nanos) in times {
      let record = try await storage.read { view throws(Failure) in
        try view.care.get("at \(sent)", withVersions: true)
      }
      #expect(record?.occurredAt == .init(seconds: seconds, nanos: nanos))
      #expect(record?.versions.map(\.occurredAt) == [.init(seconds: seconds, nanos: nanos)])
    }
    let stored = try await storage.recall(ticket)
    let reply = try CareReply(serializedBytes: stored?.reply ?? [])
    #expect(reply.record.id == "at 200" && reply.record.occurredAt == .init(seconds: 199, nanos: 999_999_999))
    await storage.close()
  }

  @Test func `entries that a person wrote are told from those that were heard when a store is opened`() async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    var storage = try temporary.open(migrations: Array(Migration.all.prefix { $0.name != "care_written" }))
    var stored: [CareRecord] = (0..<1200).map { Self.record("r\($0)", at: Int64($0 / 3), memo: "memo \($0)") }
    for index in stored.indices where index % 3 == 0 {
      (stored[index].engine, stored[index].transcript) = ("e", "heard")
    }
    stored[1].state = "needs_memo"
    try await storage.write { [stored] transaction throws(Failure) in
      for record in stored { try transaction.care.insert(record) }
    }
    var query = CareQuery()
    query.limit = 100
    query.isAscending = true
    let first = try await storage.read { [query] view throws(Failure) in try view.care.page(query) }
    await storage.close()
    storage = try temporary.open(migrations: Migration.all)
    // A cursor of an earlier version still works.
    query.cursor = first.nextCursor
    var read = first.records.map(\.id)
    let (after, written, heard) = try await storage.read { [query] view throws(Failure) in
      var query = query
      var after: [CareRecord] = []
      repeat {
        let page = try view.care.page(query)
        after += page.records
        query.cursor = page.nextCursor
      } while !query.cursor.isEmpty
      query.limit = 500
      query.state = "written"
      let written = try view.care.page(query).records
      query.state = "transcribed"
      return (after, written, try view.care.page(query).records)
    }
    read += after.map(\.id)
    #expect(read == stored.map(\.id))
    #expect(written.count == 500 && written.allSatisfy { $0.state == "written" && $0.engine.isEmpty })
    #expect(heard.count == 400 && heard.allSatisfy { $0.state == "transcribed" && $0.transcript == "heard" })
    for (old, new) in zip(stored.dropFirst(100), after) {
      var expected = old
      if old.engine.isEmpty, old.state == "transcribed" { expected.state = "written" }
      #expect(new == expected)
    }
    await storage.close()
  }

  @Test func `a damaged entry does not keep a store of before shut`() async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    var storage = try temporary.open(migrations: Array(Migration.all.prefix { $0.name != "care_written" }))
    try await storage.write { transaction throws(Failure) in
      for id in ["damaged", "whole"] { try transaction.care.insert(Self.record(id, at: 1, memo: id)) }
      try transaction.attempt { try $0.execute(sql: "UPDATE care_record SET body = x'ff' WHERE uuid = 'damaged'") }
    }
    await storage.close()
    storage = try temporary.open(migrations: Migration.all)
    let written = try await storage.read { view throws(Failure) in
      var query = CareQuery()
      query.state = "written"
      return try view.care.page(query).records
    }
    #expect(written.map(\.id) == ["whole"])
    await storage.close()
  }

  @Test func `filters restrict`() async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    let storage = try temporary.open()
    try await storage.write { transaction throws(Failure) in
      try transaction.care.insert(Self.record("a", at: 10, memo: "お茶を200ml", category: "meal"))
      try transaction.care.insert(Self.record("b", at: 20, memo: "Café au lait", category: "free_memo"))
      var deleted = Self.record("c", at: 15)
      deleted.deletedAt = .init(nanosecondsSince1970: 30)
      try transaction.care.insert(deleted)
    }
    func ids(_ change: @Sendable @escaping (inout CareQuery) -> Void) async throws -> [String] {
      try await storage.read { view throws(Failure) in
        var query = CareQuery()
        change(&query)
        return try view.care.page(query).records.map(\.id)
      }
    }
    #expect(try await ids { _ in } == ["b", "a"])
    #expect(try await ids { $0.category = "meal" } == ["a"])
    #expect(try await ids { $0.to = 20 } == ["a"])
    #expect(try await ids { $0.from = 11 } == ["b"])
    #expect(try await ids { $0.isDeleted = true } == ["c"])
    #expect(try await ids { $0.text = "cafe LAIT" } == ["b"])
    #expect(try await ids { $0.text = "お茶" } == ["a"])
    #expect(try await ids { $0.text = "lait 200" } == [])
    let failure = await #expect(throws: Failure.self) { try await ids { $0.cursor = "x" } }
    #expect(failure?.reason == "FIELD_INVALID")
    await storage.close()
  }

  @Test func `a correction keeps what was said before`() async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    let storage = try temporary.open()
    try await storage.write { transaction throws(Failure) in
      var record = Self.record("a", at: 10, memo: "one")
      try transaction.care.insert(record)
      for memo in ["two", "three"] {
        var version = CareVersion()
        version.memo = record.memo
        record.memo = memo
        try transaction.care.replace(record, keeping: version)
      }
    }
    let record = try await storage.read { view throws(Failure) in try view.care.get("a", withVersions: true) }
    #expect(record?.memo == "three")
    #expect(record?.versions.map(\.memo) == ["two", "one"])
    let failure = await #expect(throws: Failure.self) {
      try await storage.write { transaction throws(Failure) in try transaction.care.replace(Self.record("b", at: 1)) }
    }
    #expect(failure?.reason == "RECORD_UNKNOWN")
    await storage.close()
  }

  @Test func `the newest versions that fit into a message come with an entry`() async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    let storage = try temporary.open()
    let found = try await storage.write { transaction throws(Failure) -> CareRecord? in
      var record = Self.record("a", at: 1, memo: String(repeating: "薬", count: 20_000))
      try transaction.care.insert(record)
      for number in 0..<9 {
        var version = CareVersion()
        version.replacedBy = "\(number)"
        version.transcript = record.memo
        record.category = "meal\(number)"
        try transaction.care.replace(record, keeping: version)
      }
      return try transaction.care.get("a", withVersions: true)
    }
    #expect(found?.versions.first?.replacedBy == "8")
    #expect(try Encoding.json.encode(found ?? CareRecord()).count < 250_000)
    await storage.close()
  }

  @Test func `sound keeps its time and goes with its row`() async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    let storage = try temporary.open()
    try await storage.write { transaction throws(Failure) in
      for (id, next) in [("a", 50), ("b", 40), ("c", nil)] as [(String, Int64?)] {
        try transaction.care.insert(Self.record(id, at: 1))
        try transaction.careAudio.put(
          CareAudio(
            record: id, name: "file-\(id)", state: .waiting, language: "en-US", nextAttemptAt: next, since: Self.moment)
        )
      }
    }
    try await storage.write { transaction throws(Failure) in
      #expect(try transaction.careAudio.all().map(\.nextAttemptAt) == [50, 40, nil])
      try transaction.careAudio.put(
        CareAudio(record: "b", name: "file-b", state: .deleting, language: "en-US", since: Self.moment))
      #expect(try transaction.careAudio.all().map(\.nextAttemptAt) == [50, nil, nil])
      try transaction.careAudio.remove("b")
      #expect(try transaction.careAudio.all().map(\.record) == ["a", "c"])
    }
    await storage.close()
  }

  @Test func `settings are kept`() async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    let storage = try temporary.open()
    var settings = CareSettings()
    settings.recipient = "森 春子"
    try await storage.write { [settings] transaction throws(Failure) in try transaction.care.configure(settings) }
    settings.honorific = "さん"
    try await storage.write { [settings] transaction throws(Failure) in try transaction.care.configure(settings) }
    #expect(try await storage.read { view throws(Failure) in try view.care.settings() } == settings)
    await storage.close()
  }
}
