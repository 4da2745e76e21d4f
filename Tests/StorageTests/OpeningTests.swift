import Bus
import EventLoop
import Foundation
import GRDB
import KithMessages
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct OpeningTests {
  @Test func `directory and files are private, and commits are durable`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    _ = try await storage.insert("a")
    func mode(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: temporary.directory + name)[.posixPermissions] as? Int
    }
    #expect(try mode("") == 0o700)
    #expect(try mode("/blobs") == 0o700)
    for name in ["/kith.db", "/kith.db-wal", "/kith.db-shm", "/kith.lock"] { #expect(try mode(name) == 0o600) }
    let synchronous = try await storage.write { transaction throws(Failure) in
      try transaction.attempt { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    }
    #expect(synchronous == 2)
    let status = await storage.status()
    #expect(status.integrity == .sound)
    // The tests add one migration.
    #expect(status.schemaVersion == UInt32(Migration.all.count + 1))
    #expect(status.bytes > 4096)
    #expect(status.path == temporary.directory + "/kith.db")
    await storage.close()
  }

  @Test func `a second opener is refused by name of the first`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let failure = #expect(throws: Failure.self) { try temporary.open() }
    #expect(failure?.reason == "ALREADY_RUNNING")
    #expect(failure?.status.details["pid"] == "\(ProcessInfo.processInfo.processIdentifier)")
    await storage.close()
  }

  @Test func `a newer schema is refused and left as it is`() async throws {
    let temporary = TemporaryStore()
    let newer = try temporary.open()
    _ = try await newer.insert("a")
    await newer.close()
    let failure = #expect(throws: Failure.self) { try temporary.open(migrations: [.engine]) }
    #expect(failure?.reason == "SCHEMA_TOO_NEW")
    let again = try temporary.open()
    #expect(try await again.records() == ["a"])
    await again.close()
  }

  @Test func `a step of the schema is added to what is there`() async throws {
    let temporary = TemporaryStore()
    let older = try temporary.open(migrations: [.engine])
    try await older.status("s")
    await older.close()
    let newer = try temporary.open()
    #expect(newer.head(.sync) == 1)
    _ = try await newer.insert("a")
    await newer.close()
  }

  @Test func `a file that is no database is told as damage`() throws {
    let temporary = TemporaryStore()
    try FileManager.default.createDirectory(atPath: temporary.directory, withIntermediateDirectories: true)
    try Data(repeating: 65, count: 8192).write(to: URL(fileURLWithPath: temporary.directory + "/kith.db"))
    let failure = #expect(throws: Failure.self) { try temporary.open() }
    #expect(failure?.reason == "STORE_DAMAGED")
  }

  @Test func `a path that is no directory is told with its name`() throws {
    let temporary = TemporaryStore()
    try Data().write(to: URL(fileURLWithPath: temporary.directory))
    let failure = #expect(throws: Failure.self) { try temporary.open() }
    #expect(failure?.reason == "STATE_DIRECTORY_UNUSABLE")
    #expect(failure?.message.contains(temporary.directory) == true)
  }

  /// Copies the files between COMMIT and acknowledgement: what a kill -9 leaves at that point.
  @Test func `what was acknowledged before a kill is there, once, and the file is checked`() async throws {
    let temporary = TemporaryStore()
    let killed = TemporaryStore()
    let acknowledged = Lock<Set<String>>([])
    let atKill = Lock<Set<String>?>(nil)
    let storage = try temporary.open { [directory = temporary.directory, target = killed.directory] events in
      guard events.contains(where: { $0.header.seq == 150 }) else { return }
      try? FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
      for name in ["/kith.db", "/kith.db-wal"] {
        try? FileManager.default.copyItem(atPath: directory + name, toPath: target + name)
      }
      atKill.withLock { $0 = acknowledged.withLock { $0 } }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for index in 0..<40 {
            let key = "w\(worker)-\(index)"
            _ = try await storage.insert(key)
            acknowledged.withLock { _ = $0.insert(key) }
          }
        }
      }
      try await group.waitForAll()
    }
    await storage.close()

    let reopened = try killed.open()
    let survivors = try await reopened.records()
    let promised = try #require(atKill.withLock { $0 })
    #expect(promised.isSubset(of: survivors))
    #expect(reopened.head(.contacts) == UInt64(survivors.count))
    #expect(
      try await reopened.replay("contacts", after: 0).events.map(\.header.seq) == Array(1...UInt64(survivors.count)))
    #expect(await reopened.status().integrity == .checking)
    await reopened.checkIntegrity()
    #expect(await reopened.status().integrity == .sound)
    for key in survivors { #expect(try await reopened.insert(key).isReplayed) }
    await reopened.close()
    let clean = try killed.open()
    #expect(await clean.status().integrity == .sound)
    await clean.close()
  }

  @Test func `damage is found by the check and told on the system stream`() async throws {
    let temporary = TemporaryStore()
    var storage = try temporary.open()
    try await storage.write { transaction throws(Failure) in
      try transaction.attempt { database in
        for index in 0..<2000 {
          try database.execute(sql: "INSERT INTO sample VALUES (?, 1)", arguments: ["a record of some length \(index)"])
        }
      }
    }
    let page = try await storage.read { view throws(Failure) in
      try view.attempt {
        try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_sample_1'")
      }
    }
    await storage.close()
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: temporary.directory + "/kith.db"))
    try file.seek(toOffset: UInt64((try #require(page) - 1) * 4096))
    try file.write(contentsOf: Data(repeating: 0x5A, count: 4096))
    try file.close()

    storage = try temporary.open()
    await storage.checkIntegrity()
    let status = await storage.status()
    #expect(status.integrity == .damaged)
    #expect(!status.faults.isEmpty)
    let notices = try await storage.replay("system", after: 0).events
    #expect(notices.map(\.event.system.kind) == ["storage.damaged"])
    await storage.checkIntegrity()
    #expect(storage.head(.system) == 1)
    await storage.close()
  }
}
