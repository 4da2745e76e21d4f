import Bus
import EventLoop
import Foundation
import GRDB
import KithMessages
import Logging

@testable import Storage

/// The tables over a database file of their own, without the store's queue.
final class ContactsFixture {
  private let directory: String
  private let queue: DatabaseQueue
  private let health = StoreHealth(logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))

  /// Makes the file.
  ///
  /// - Parameter hasServer: Whether a Monica account is logged in; without one, records are shown as here.
  init(hasServer: Bool = true) throws {
    self.directory = NSTemporaryDirectory() + "kith-contacts-" + UUIDv7.make().text
    try FileManager.default.createDirectory(atPath: self.directory, withIntermediateDirectories: false)
    self.queue = try DatabaseQueue(path: self.directory + "/kith.db")
    try self.queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      for migration in Migration.all { try database.execute(sql: migration.sql) }
      if hasServer {
        try database.execute(
          sql: "UPDATE monica_account SET endpoint = 'https://monica.example', state = 'logged_in' WHERE is_current")
      }
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: self.directory) }

  /// Runs a transaction.
  @discardableResult
  func write<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    try self.queue.write { database in
      let position = LogPosition(
        epoch: "test", heads: .init(repeating: 0, count: EventStream.allCases.count),
        firsts: .init(repeating: 1, count: EventStream.allCases.count))
      let appender = try EventAppender(database, position: position, now: 1)
      return try body(Transaction(database: database, health: self.health, appender: appender))
    }
  }

  /// Reads from the file.
  func read<Result>(_ body: (ReadView) throws -> Result) throws -> Result {
    try self.queue.read { try body(ReadView(database: $0, health: self.health)) }
  }

  /// The statements that `body` makes SQLite run, with the query plan of each.
  func plans(_ body: (Transaction) throws -> Void) throws -> [(sql: String, plan: [String])] {
    let statements = Lock<[String]>([])
    self.queue.writeWithoutTransaction { database in
      database.trace(options: .statement) { event in statements.withLock { $0.append(event.description) } }
    }
    try self.write(body)
    return try self.queue.writeWithoutTransaction { database in
      database.trace(options: [])
      return try Set(statements.withLock { $0 }).filter { $0.hasPrefix("SELECT") || $0.hasPrefix("WITH") }.map { sql in
        let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
        statement.setUncheckedArguments([])
        return (sql, try Row.fetchAll(statement).map { $0["detail"] })
      }
    }
  }

  /// Adds a folder source.
  func addSource(_ name: String) throws {
    var source = Source()
    source.name = name
    source.vdir.path = "/srv/" + name
    try self.write { try $0.sources.insert(source) }
  }

  /// The result of SQLite's own check of the file and the full-text indexes.
  func check() throws -> String {
    try self.queue.write { database in
      let indexes = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE sql LIKE '%USING fts5%'")
      for index in indexes {
        try database.execute(sql: "INSERT INTO \(index) (\(index), rank) VALUES ('integrity-check', 1)")
      }
      return try String.fetchOne(database, sql: "PRAGMA integrity_check") ?? ""
    }
  }
}

extension Contact {
  /// A contact with only a name.
  init(_ formattedName: String, id: String = UUIDv7.make().text, source: String = "home") {
    self.init()
    self.id = id
    self.source = source
    self.formattedName = formattedName
  }
}
