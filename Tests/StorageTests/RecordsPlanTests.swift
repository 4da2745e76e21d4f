import KithMessages
import Testing

@testable import Storage

/// Frequent queries scan an index in the order of the reply: no table scan and no sort.
@Suite struct RecordsPlanTests {
  @Test func noListScansOrSorts() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann") { $0.tags = ["a"] }
    for index in 0..<3 { try fixture.addCall(ann, at: Int64(index), "a note") }
    let plans = try fixture.plans { transaction in
      let records = transaction.records
      func lists<R: SyncedRecord>(_ type: R.Type) throws {
        var queries = [RecordQuery(limit: 1), RecordQuery(limit: 1, syncState: .pending)]
        if R.kind.isNamed {
          queries.append(RecordQuery(limit: 1, includesArchived: true, includesPartial: true))
        } else {
          queries += [RecordQuery(limit: 1, person: ann.id), RecordQuery(limit: 1, from: 0, to: 9)]
        }
        if R.kind == .person { queries.append(RecordQuery(limit: 1, tag: "a")) }
        if R.kind == .call {
          queries += [
            RecordQuery(limit: 1, emotion: "sad"), RecordQuery(limit: 1, tag: "a"),
            RecordQuery(limit: 1, isRunning: true),
            RecordQuery(limit: 1, person: ann.id, from: 0, to: 9, emotion: "sad", tag: "a", syncState: .pending),
          ]
        }
        for var query in queries {
          // People in one state are few, and are still ordered by name.
          if R.kind.isNamed, query.syncState != nil { query.syncState = .synced }
          for cursor in ["", PageCursor(key: R.kind.isNamed ? "a" : "0:1", row: 1).text] {
            query.cursor = cursor
            _ = try records.page(type, query)
          }
        }
      }
      for kind in RecordKind.allCases { try lists(kind.type) }
      _ = try records.all(Note.self, ofPerson: ann.id)
      _ = try records.search("note", kinds: [.call, .note])
      _ = try records.search("note", kinds: [.call], RecordQuery(person: ann.id, from: 0, to: 9, tag: "a"))
      try records.callFacts(RecordQuery(from: 0)) { _ in }
      try records.callFacts(RecordQuery(person: ann.id)) { _ in }
      _ = try transaction.outbox.due(now: 9, limit: 5)
      _ = try transaction.outbox.nextDue(now: 9)
      _ = try transaction.outbox.page(state: .pending)
      _ = try transaction.outbox.counts()
      _ = try transaction.outbox.conflicts()
      _ = try transaction.catalog.list("gender")
      _ = try transaction.templates.list()
    }
    #expect(plans.count > 60)
    for (sql, plan) in plans {
      for step in plan {
        let isVirtual = step.contains("VIRTUAL TABLE") || step == "SCAN CONSTANT ROW"
        // The account in use is found through an index that has only it.
        let isAccount = step.contains("monica_account")
        #expect(isVirtual || isAccount || !step.hasPrefix("SCAN"), "\(step) in \(sql)")
        #expect(!step.contains("TEMP B-TREE"), "\(step) in \(sql)")
      }
    }
  }

  @Test func severalKindsSortOnlyTheirFirstOnes() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    let plans = try fixture.plans { transaction in
      _ = try transaction.records.timeline(of: [.call, .note], RecordQuery(person: ann.id))
      _ = try transaction.records.page(Call.self, RecordQuery(includesDeleted: true))
      _ = try transaction.records.page(Person.self, RecordQuery(includesDeleted: true))
    }
    let lists = plans.filter { $0.sql.contains("UNION ALL") }
    #expect(lists.count == 3)
    for (sql, plan) in lists {
      // Each part is an index scan with a limit; only their results are sorted.
      #expect(plan.filter { $0.hasPrefix("SEARCH") }.count == 2, "\(plan) of \(sql)")
      #expect(plan.filter { $0.hasPrefix("SCAN") }.allSatisfy { $0.contains("subquery") }, "\(plan) of \(sql)")
    }
  }
}
