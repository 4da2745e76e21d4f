import Bus
import EventLoop
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import MonicaGateway

/// The end of a history: both sides are in sync, and the final checks.
extension History {
  /// Syncs until nothing changes any more, and resolves the conflicts that need a person.
  mutating func settle() async throws {
    let server0 = self.home.server
    for round in 0..<30 {
      self.home.pass(60 * SyncHome.minute)
      let status = try await self.home.sync(full: true)
      #expect(status.sync.state == .completed, "seed \(self.seed): \(status.sync.error.message)")
      let queue0 = try await self.home.queue()
      self.trace(
        "SETTLE \(server0.takeRequests()) \(queue0.map { "\($0.operation) \($0.kind) \($0.state) \($0.error.message)" })"
      )
      let conflicts = try await self.home.conflicts()
      for conflict in conflicts {
        // A conflict of a person's record may be resolved together with the person's: by the push that the last
        // resolution began, so that one ends first.
        await self.home.rest()
        guard try await self.home.conflicts().contains(where: { $0.id == conflict.id }) else { continue }
        self.trace(
          "CONFLICT \(conflict.kind) \(conflict.local.text) server \(conflict.server?.text ?? "nil") deleted \(conflict.isDeletedHere)"
        )
        let keep = ["local", "server", "merge"].randomElement(using: &self.chance) ?? "local"
        let isWhole = conflict.server != nil && !conflict.isDeletedHere
        try await self.home.resolve(conflict.id, keep: keep == "merge" && !isWhole ? "server" : keep)
        let mark = Self.mark(conflict.local.text)
        if conflict.kind == .person { self.doubt(person: mark) } else { self.doubtful.insert(mark) }
      }
      for entry in try await self.home.queue() where entry.state == "failed" { try await self.mend(entry) }
      let rest = try await self.home.status()
      // A person who returns after a conflict is read by the next pass.
      if rest.pending + rest.failed + rest.conflicts == 0, status.sync.added + status.sync.updated == 0,
        conflicts.isEmpty
      {
        return
      }
      if round == 29 {
        let queue = try await self.home.queue().map { "\($0.operation) \($0.kind) \($0.state) \($0.error.message)" }
        Issue.record("seed \(self.seed) does not come to rest: \(queue), \(status.sync)")
      }
    }
  }

  mutating func mend(_ entry: QueueEntry) async throws {
    let found = try await self.home.storage.read { view throws(Failure) in try view.records.find(entry.id) }
    guard var record = found, !record.record.hasDeletedAt else { return }
    if record.text.contains("REFUSE") {
      record.text = record.text.replacingOccurrences(of: "REFUSE", with: "fine")
      func update<R: SyncedRecord>(_ record: R) async throws {
        try await self.home.update(R.self, record.id) { $0 = record }
      }
      try await update(record.record)
    } else {
      _ = try await self.home.storage.write { transaction throws(Failure) in
        try transaction.outbox.retry([entry.id], now: entry.queuedAt.nanosecondsSince1970)
      }
    }
  }

  func check() async throws {
    let people = Dictionary(
      uniqueKeysWithValues: try await self.home.all(Person.self).map { ($0.id, $0.monicaID) })
    for kind in Self.kinds { try await self.check(kind, people) }
    var counts: [String: Int] = [:]
    for kind in Self.kinds where kind != .relationship {
      for row in self.home.server.rows(kind) { counts[Self.mark(row.text), default: 0] += 1 }
    }
    let activities = Set(self.home.server.rows(.activity).map { Self.mark($0.text) })
    for (mark, count) in counts where count > 1 {
      // Created again with one of its people, who was deleted on the web: docs/monica.md, "What cannot be known".
      let mayBe = activities.contains(mark) && self.isDoubtful(mark, self.marks[mark] ?? [])
      #expect(mayBe && count == 2, "seed \(self.seed): \(mark) is there \(count) times")
    }
    for (mark, people) in self.marks where counts[mark] == nil {
      #expect(self.isDoubtful(mark, people), "seed \(self.seed): \(mark) is lost")
    }
  }

  private func isDoubtful(_ mark: String, _ people: [String]) -> Bool {
    ([mark] + people).contains { self.doubtful.contains($0) }
  }

  func all(_ kind: RecordKind, deleted: Bool = false) async throws -> [AnyRecord] {
    func all<R: SyncedRecord>(_ example: R) async throws -> [AnyRecord] {
      try await self.home.all(R.self, deleted: deleted).map(\.any)
    }
    return try await all(self.example(kind, "").record)
  }

  func check(_ kind: RecordKind, _ people: [String: UInt64]) async throws {
    let local = try await self.all(kind)
    let server = self.home.server.state.withLock { state in
      (state.rows[kind] ?? [:]).keys.compactMap { state.shown(kind, $0) }
    }.filter { row in
      // People archived before they were known here are in no list, and neither are their records.
      (!row.person.isArchived || local.contains { $0.record.monicaID == row.monicaID })
        && (![.contactField, .address].contains(kind) || people.values.contains(row.owner))
    }
    let rows = Dictionary(uniqueKeysWithValues: server.map { ($0.monicaID, $0) })
    #expect(
      local.count * (kind == .relationship ? 2 : 1) == server.count,
      "seed \(self.seed): \(kind) \(local.map(\.text)) here, \(server.map(\.text)) there")
    for record in local {
      guard var row = rows[record.record.monicaID] else {
        Issue.record("seed \(self.seed): \(kind) \(record.text) is not on the server")
        continue
      }
      var here = record
      switch (record, row.record) {
      case (.activity(var activity), .activity(var theirs)?):
        #expect(Set(activity.participants.compactMap { people[$0] }) == Set(row.others), "seed \(self.seed)")
        (activity.participants, theirs.participants) = ([], [])
        (here, row.record) = (.activity(activity), .activity(theirs))
      default:
        #expect(people[record.record.personID] ?? 0 == row.owner, "seed \(self.seed): owner of \(record.text)")
      }
      let merge = RecordMerge(base: here, local: here, server: row.record ?? here, unsaid: row.unsaid)
      #expect(
        merge.fields.isEmpty,
        "seed \(self.seed): \(kind) \(merge.fields.map { "\($0.name): \($0.local) / \($0.server)" })")
    }
  }
}
