public import Bus
public import GRDB

/// A look at the store: what tables read through, in a transaction as well as outside of one.
public protocol DatabaseView {
  /// The connection; used only inside the closure that was given this view.
  var database: Database { get }
  /// Turns SQL errors into failures.
  var health: StoreHealth { get }
}

extension DatabaseView {
  /// Runs SQL.
  ///
  /// - Throws: Whatever SQLite refuses, as ``StoreHealth/failure(for:)`` puts it.
  public func attempt<Result>(_ work: (Database) throws -> Result) throws(Failure) -> Result {
    do {
      return try work(self.database)
    } catch {
      throw self.health.failure(for: error)
    }
  }
}

/// One consistent state of the store, for reading.
public struct ReadView: DatabaseView {
  /// The reading connection.
  public let database: Database
  /// Turns SQL errors into failures.
  public let health: StoreHealth
}

/// Reads beside the writer: each read sees the last COMMIT and waits for no other.
struct Reader: Sendable {
  let pool: DatabasePool
  let health: StoreHealth
  let memory: MemoryRelease

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ReadView) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let health = self.health
    // About a page of contacts.
    defer { self.memory.note(rows: 50) }
    do {
      return try await self.pool.read { database in try body(ReadView(database: database, health: health)) }
    } catch {
      throw health.failure(for: error)
    }
  }
}
