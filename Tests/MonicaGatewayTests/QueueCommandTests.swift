import Bus
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// Pending changes, and the server's catalogs.
@Suite(.timeLimit(.minutes(2))) struct QueueCommandTests {
  private func expect(_ reason: String, _ work: () async throws -> Void, _ line: Int = #line) async {
    let failure = await refusal(work)
    #expect(failure?.reason == reason, "line \(line)")
  }

  @Test("what waits is shown, sent again and given up")
  func queue() async throws {
    let home = try Household()
    try await home.logIn()
    let (ann, bob) = (try await home.person("Ann"), try await home.person("Bob"))
    let queue = try await home.ask(QueueRequest.with { $0.limit = 1 })
    #expect(queue.entries.map(\.entityID) == [ann.id] && !queue.nextCursor.isEmpty)
    #expect(queue.entries[0].personName == "Ann" && queue.entries[0].state == "pending")
    #expect(try await home.ask(QueueRequest.with { $0.state = "failed" }).entries.isEmpty)
    await self.expect("FIELD_INVALID") { _ = try await home.ask(QueueRequest.with { $0.state = "stuck" }) }
    #expect(try await home.ask(RetryQueueRequest()).entries.count == 2)
    #expect(try await home.ask(RetryQueueRequest.with { $0.ids = [bob.id] }).entries.map(\.id) == [bob.id])
    await self.expect("RECORD_UNKNOWN") { _ = try await home.ask(RetryQueueRequest.with { $0.ids = ["x"] }) }
    await self.expect("FIELD_INVALID") { _ = try await home.ask(ClearQueueRequest()) }
    await self.expect("FIELD_INVALID") {
      _ = try await home.ask(
        ClearQueueRequest.with {
          $0.ids = [ann.id]
          $0.all = true
        })
    }
    _ = try await home.ask(ClearQueueRequest.with { $0.ids = [bob.id] })
    #expect(try await home.ask(ListPeopleRequest()).people.map(\.firstName) == ["Ann"])
    _ = try await home.ask(ClearQueueRequest.with { $0.all = true })
    #expect(try await home.ask(ListPeopleRequest()).people.isEmpty)
    #expect(try await home.ask(QueueRequest()).entries.isEmpty)
    #expect(try await home.ask(ConflictsRequest()).conflicts.isEmpty)
  }

  @Test("both sides of a conflict are shown field by field")
  func conflicts() async throws {
    let home = try Household()
    try await home.logIn()
    let ann = try await home.person("Ann", "Lee")
    func remote(_ first: String) -> RemoteRecord {
      .with {
        $0.monicaID = 7
        $0.person.firstName = first
        $0.person.lastName = "Lee"
      }
    }
    let first = remote("Ann")
    try await home.storage.write { transaction throws(Failure) in
      let row = try transaction.outbox.due(now: .max / 2, limit: 1)[0].row
      _ = try transaction.outbox.begin([row], now: Household.start)
      try transaction.outbox.arrived(row, server: first, now: Household.start)
    }
    _ = try await home.ask(
      UpdatePersonRequest.with {
        $0.record.id = ann.id
        $0.record.firstName = "Annie"
      })
    let second = remote("Anna")
    try await home.storage.write { transaction throws(Failure) in
      let row = try transaction.outbox.due(now: .max / 2, limit: 1)[0].row
      try transaction.outbox.differs(row, server: second, now: Household.start) { _, server throws(Failure) in
        .conflict(server: server)
      }
    }
    let conflict = try #require(try await home.ask(ConflictsRequest()).conflicts.first)
    #expect(conflict.entityID == ann.id && conflict.kind == "person" && conflict.personName == "Annie Lee")
    #expect(!conflict.deletedHere && !conflict.deletedOnServer)
    #expect(conflict.fields.map(\.name) == ["first_name"])
    #expect(conflict.fields.map(\.local) == ["Annie"] && conflict.fields.map(\.server) == ["Anna"])
    #expect(conflict.fields.map(\.base) == ["Ann"] && conflict.fields.map(\.overlaps) == [true])
    #expect(try await home.ask(QueueRequest.with { $0.state = "conflict" }).entries.count == 1)
  }

  @Test func catalog() async throws {
    let home = try Household()
    try await home.logIn()
    #expect(try await home.ask(CatalogRequest()).entries.isEmpty)
    try await home.storage.write { transaction throws(Failure) in
      try transaction.catalog.replace(
        "gender",
        with: [
          .with {
            $0.catalog = "gender"; $0.monicaID = 1; $0.name = "Woman"
          }
        ])
    }
    #expect(try await home.ask(CatalogRequest.with { $0.catalog = "gender" }).entries.map(\.name) == ["Woman"])
    await self.expect("FIELD_INVALID") { _ = try await home.ask(CatalogRequest.with { $0.catalog = "colour" }) }
    let ann = try await home.ask(
      CreatePersonRequest.with {
        $0.record.firstName = "Ann"
        $0.record.gender = "woman"
      })
    #expect(ann.gender == "Woman")
    await self.expect("FIELD_INVALID") {
      _ = try await home.ask(
        UpdatePersonRequest.with {
          $0.record.id = ann.id
          $0.record.gender = "Robot"
        })
    }
  }
}
