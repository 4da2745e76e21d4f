public import Bus
public import GRDB

/// Access to the store for tables, inside or outside a transaction.
public protocol DatabaseView {
  /// The connection; used only inside the closure that received this view.
  var database: Database { get }
  /// Turns SQL errors into failures.
  var health: StoreHealth { get }
}

extension DatabaseView {
  /// Runs SQL.
  ///
  /// - Throws: SQLite's errors, converted by ``StoreHealth/failure(for:)``.
  public func attempt<Result>(_ work: (Database) throws -> Result) throws(Failure) -> Result {
    do {
      return try work(self.database)
    } catch {
      throw self.health.failure(for: error)
    }
  }
}

/// One consistent snapshot of the store, for reading.
public struct ReadView: DatabaseView {
  /// The reading connection.
  public let database: Database
  /// Turns SQL errors into failures.
  public let health: StoreHealth
}

/// Reads concurrently with the writer: each read sees the last COMMIT and waits for no other read.
struct Reader: Sendable {
  let pool: DatabasePool
  let health: StoreHealth
  let memory: MemoryRelease

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ReadView) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let health = self.health
    // An estimate: a page of contacts.
    defer { self.memory.note(rows: 50) }
    do {
      return try await self.pool.read { database in try body(ReadView(database: database, health: health)) }
    } catch {
      throw health.failure(for: error)
    }
  }
}
