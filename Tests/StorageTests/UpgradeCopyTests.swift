import Bus
import Foundation
import GRDB
import KithMessages
import Testing

@testable import Storage

@Suite("Copies of the store from before an upgrade", .timeLimit(.minutes(5)))
struct UpgradeCopyTests {
  private static let older = Array(Migration.all.prefix(20))

  private static func copies(_ temporary: TemporaryStore) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: temporary.directory).filter { $0.hasPrefix("before-upgrade") }
      .sorted()
  }

  private static func steps(_ count: Int) -> [Migration] {
    self.older
      + (0..<count).map { Migration(name: "step\($0)", sql: "CREATE TABLE step\($0) (id INTEGER PRIMARY KEY) STRICT") }
  }

  private static func upgrade(_ temporary: TemporaryStore, to migrations: [Migration]) async throws {
    let storage = try temporary.open(migrations: migrations)
    try await storage.status("s\(migrations.count)")
    await storage.close()
  }

  @Test func `an upgrade keeps the store of before, and an ordinary start nothing`() async throws {
    let temporary = TemporaryStore()
    try await Self.upgrade(temporary, to: Self.older)
    try await Self.upgrade(temporary, to: Self.older)
    #expect(try Self.copies(temporary).isEmpty)
    try await Self.upgrade(temporary, to: Self.steps(1))
    try await Self.upgrade(temporary, to: Self.steps(1))
    #expect(try Self.copies(temporary) == ["before-upgrade-1-20-21.db"])
    let path = try #require(UpgradeCopy.newest(in: temporary.directory))
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    try await StoreCopy.check(path)
    // The release of before opens it, as a restored store: with what was in it and a new epoch.
    let restored = TemporaryStore()
    try FileManager.default.createDirectory(atPath: restored.directory, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: path, toPath: "\(restored.directory)/kith.db")
    let (storage, newer) = (
      try restored.open(migrations: Self.older), try temporary.open(migrations: Self.steps(1))
    )
    #expect(storage.head(.sync) == 2 && newer.head(.sync) > 2)
    #expect(storage.heads().first?.epoch != newer.heads().first?.epoch)
    await storage.close()
    await newer.close()
  }

  @Test func `the copies of the last two upgrades stay`() async throws {
    let temporary = TemporaryStore()
    for count in 0..<4 { try await Self.upgrade(temporary, to: Self.steps(count)) }
    #expect(try Self.copies(temporary) == ["before-upgrade-2-21-22.db", "before-upgrade-3-22-23.db"])
    #expect(UpgradeCopy.newest(in: temporary.directory) == temporary.directory + "/before-upgrade-3-22-23.db")
  }

  @Test func `an upgrade that was interrupted keeps the copy of its beginning`() async throws {
    let temporary = TemporaryStore()
    try await Self.upgrade(temporary, to: Self.older)
    let broken = Self.steps(1) + [Migration(name: "broken", sql: "CREATE TABLE step0 (id INTEGER PRIMARY KEY) STRICT")]
    for _ in 0..<3 { #expect(throws: Failure.self) { try temporary.open(migrations: broken) } }
    #expect(try Self.copies(temporary) == ["before-upgrade-1-20-22.db"])
    try await Self.upgrade(temporary, to: Self.steps(2))
    #expect(try Self.copies(temporary) == ["before-upgrade-1-20-22.db"])
  }

  @Test func `a restored store is copied again before its migration`() async throws {
    let temporary = TemporaryStore()
    try await Self.upgrade(temporary, to: Self.older)
    try await Self.upgrade(temporary, to: Self.steps(1))
    let path = try #require(UpgradeCopy.newest(in: temporary.directory))
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: "\(temporary.directory)/kith.db\(ending)")
    }
    try FileManager.default.copyItem(atPath: path, toPath: "\(temporary.directory)/kith.db")
    try await Self.upgrade(temporary, to: Self.older)
    try await Self.upgrade(temporary, to: Self.steps(1))
    #expect(try Self.copies(temporary) == ["before-upgrade-1-20-21.db"])
    let copy = try DatabaseQueue(path: path)
    #expect(try await copy.read { try Int.fetchOne($0, sql: "SELECT seq FROM stream WHERE name = 'sync'") } == 2)
    try copy.close()
  }
}
