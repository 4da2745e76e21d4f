import Bus
import Digest
import GRDB
import GRDBSQLite
import KithMessages
import Logging
import Storage

/// Durable commands through the router and the store: journal row, record row and event each.
///
/// `storage-bench DIRECTORY SECONDS IN-FLIGHT`; compare with `c/sqlite_floor.c` in the same directory.
@main
struct StorageBench {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let seconds = Int(arguments[2]), let inFlight = Int(arguments[3]) else {
      print("usage: storage-bench DIRECTORY SECONDS IN-FLIGHT")
      return
    }
    let logger = Logger(label: "storage-bench") { _ in SwiftLogNoOpLogHandler() }
    let storage = try StorageActor(directory: arguments[1], logger: logger) { _ in }
    try await storage.write { transaction throws(Failure) in
      try transaction.attempt { database in
        try database.execute(
          sql: """
            DROP TABLE IF EXISTS sample;
            CREATE TABLE sample (id TEXT PRIMARY KEY, name TEXT NOT NULL, changed_at INTEGER NOT NULL)
              STRICT, WITHOUT ROWID;
            """)
      }
    }
    let router = Router(
      [
        Route(answering: RemoveSourceRequest.self) { command, context throws(Failure) in
          try await storage.commit(RemoveSourceRequest.self, context) { transaction throws(Failure) in
            try transaction.attempt { database in try Self.insert(command.name, database) }
            transaction.changed(contacts: [command.name])
            var reply = RemoveSourceReply()
            reply.contactsRemoved = 1
            return reply
          }
        }
      ], journal: storage, contentKey: HMACKey([1, 2, 3]), logger: logger)

    let start = ContinuousClock.now
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<inFlight {
        group.addTask {
          var count = 0
          while start.duration(to: .now) < .seconds(seconds) {
            var command = RemoveSourceRequest()
            command.name = UUIDv7.make().text
            _ = try await router.ask(command)
            count += 1
          }
          return count
        }
      }
      var total = 0
      for try await count in group { total += count }
      return total
    }
    let took = start.duration(to: .now)
    let perSecond = Double(counts) / (Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18)
    print("durable commands, \(inFlight) in flight: \(Int(perSecond)) commands/s")
    await storage.close()
  }

  /// The record of a command, written as the store's own tables are and as the floor does it: bound and stepped without
  /// GRDB's boxes.
  private static func insert(_ id: String, _ database: Database) throws {
    let statement = try database.cachedStatement(sql: "INSERT INTO sample VALUES (?, 'A name of usual length', ?)")
    let handle = statement.sqliteStatement
    // SQLite copies the text.
    sqlite3_bind_text(handle, 1, id, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    sqlite3_bind_int64(handle, 2, WallClock.nanoseconds())
    let result = sqlite3_step(handle)
    sqlite3_reset(handle)
    guard result == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
  }
}
