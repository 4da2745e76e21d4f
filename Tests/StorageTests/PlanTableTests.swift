import Bus
import KithMessages
import Testing

@testable import Storage

struct PlanTableTests {
  private static func dose(
    _ id: String, of item: String, created: Int64, outcome: String = "given", deleted: Int64? = nil
  )
    -> Dose
  {
    var dose = Dose()
    (dose.id, dose.itemID, dose.outcome) = (id, item, outcome)
    dose.occurredAt = .init(nanosecondsSince1970: created)
    dose.createdAt = .init(nanosecondsSince1970: created)
    if let deleted { dose.deletedAt = .init(nanosecondsSince1970: deleted) }
    return dose
  }

  @Test(arguments: ["plan_stock", "plan_stock_order"])
  func `what is left is the same when a store of before is opened, and follows what is given and taken back`(
    step: String
  ) async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    var storage = try temporary.open(migrations: Array(Migration.all.prefix { $0.name != step }))
    try await storage.write { transaction throws(Failure) in
      for id in ["counted", "uncounted"] {
        var item = PlanItem()
        (item.id, item.name, item.state) = (id, id, "active")
        try transaction.plan.put(item, validFrom: 1)
        try transaction.doses.put(Self.dose("before \(id)", of: id, created: 50), amount: 700)
      }
      try transaction.attempt { database in
        try database.run("UPDATE plan_item SET stock = 1000, stock_at = 100 WHERE uuid = 'counted'")
      }
      for id in ["counted", "uncounted"] {
        try transaction.doses.put(Self.dose("given \(id)", of: id, created: 150), amount: 100)
        try transaction.doses.put(Self.dose("skipped \(id)", of: id, created: 160, outcome: "skipped"), amount: 100)
        try transaction.doses.put(Self.dose("undone \(id)", of: id, created: 170, deleted: 175), amount: 100)
        try transaction.doses.put(Self.dose("partly \(id)", of: id, created: 180, outcome: "partly"), amount: 50)
      }
    }
    await storage.close()
    storage = try temporary.open(migrations: Migration.all)
    #expect(try await Self.left(storage) == [850, nil])
    try await storage.write { transaction throws(Failure) in
      // Recorded before it was counted: the count knew of it.
      try transaction.doses.put(Self.dose("before counted", of: "counted", created: 50, deleted: 200), amount: 700)
      try transaction.doses.put(Self.dose("given counted", of: "counted", created: 150, deleted: 200), amount: 100)
      try transaction.doses.put(
        Self.dose("skipped counted", of: "counted", created: 160, outcome: "skipped", deleted: 200), amount: 100)
      try transaction.doses.put(Self.dose("next", of: "counted", created: 210), amount: 25)
    }
    #expect(try await Self.left(storage) == [925, nil])
    try await storage.write { transaction throws(Failure) in
      // A dose that is stored a second time is taken off once.
      try transaction.doses.put(Self.dose("next", of: "counted", created: 210), amount: 25)
      try transaction.doses.put(Self.dose("given counted", of: "counted", created: 150, deleted: 220), amount: 100)
      try transaction.plan.add("counted", 1000)
      try transaction.plan.count("uncounted", left: 300)
    }
    #expect(try await Self.left(storage) == [1925, 300])
    await storage.close()
  }

  @Test func `what is given after the count is taken off, and given back, whatever the clock says`() async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    let storage = try temporary.open(migrations: Migration.all)
    try await storage.write { transaction throws(Failure) in
      for id in ["counted", "uncounted"] {
        var item = PlanItem()
        (item.id, item.name, item.state) = (id, id, "active")
        try transaction.plan.put(item, validFrom: 1)
      }
      try transaction.doses.put(Self.dose("first", of: "counted", created: 900), amount: 100)
      // The clock was ahead, and is right again.
      try transaction.plan.count("counted", left: 1000)
      try transaction.doses.put(Self.dose("given", of: "counted", created: 100), amount: 100)
      try transaction.doses.put(Self.dose("undone", of: "counted", created: 110), amount: 300)
    }
    #expect(try await Self.left(storage) == [600, nil])
    try await storage.write { transaction throws(Failure) in
      try transaction.doses.put(Self.dose("undone", of: "counted", created: 110, deleted: 120), amount: 300)
    }
    #expect(try await Self.left(storage) == [900, nil])
    try await storage.write { transaction throws(Failure) in
      // Recorded while the clock was ahead, and before the count, which knew of it.
      try transaction.doses.put(Self.dose("ahead", of: "counted", created: 5000), amount: 100)
      try transaction.plan.count("counted", left: 500)
      try transaction.doses.put(Self.dose("ahead", of: "counted", created: 5000, deleted: 5100), amount: 100)
    }
    #expect(try await Self.left(storage) == [500, nil])
    await storage.close()
  }

  /// What is left of both items, in hundredths.
  private static func left(_ storage: StorageActor) async throws -> [Int64?] {
    try await storage.read { view throws(Failure) in try view.plan.all(withEnded: true).map(\.left) }
  }
}
