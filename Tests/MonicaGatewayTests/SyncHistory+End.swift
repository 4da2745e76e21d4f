import Bus
import EventLoop
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import MonicaGateway

/// What has to be so when everything has come to rest.
extension History {
  func check() async throws {
    let people = Dictionary(
      uniqueKeysWithValues: try await self.home.all(Person.self).map { ($0.id, $0.monicaID) })
    for kind in Self.kinds { try await self.check(kind, people) }
    var counts: [String: Int] = [:]
    for kind in Self.kinds where kind != .relationship {
      for row in self.home.server.rows(kind) { counts[Self.mark(row.text), default: 0] += 1 }
    }
    for (mark, count) in counts { #expect(count == 1, "seed \(self.seed): \(mark) is there \(count) times") }
    for (mark, people) in self.marks where counts[mark] == nil {
      let isDoubtful = ([mark] + people).contains { self.doubtful.contains($0) }
      #expect(isDoubtful, "seed \(self.seed): \(mark) is lost")
    }
  }

  func all(_ kind: RecordKind) async throws -> [AnyRecord] {
    func all<R: SyncedRecord>(_ example: R) async throws -> [AnyRecord] { try await self.home.all(R.self).map(\.any) }
    return try await all(self.example(kind, "").record)
  }

  func check(_ kind: RecordKind, _ people: [String: UInt64]) async throws {
    let local = try await self.all(kind)
    let server = self.home.server.state.withLock { state in
      (state.rows[kind] ?? [:]).keys.compactMap { state.shown(kind, $0) }
    }.filter { row in
      // Archived before anybody here knew of them, they are in no list.
      !row.person.isArchived || local.contains { $0.record.monicaID == row.monicaID }
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
