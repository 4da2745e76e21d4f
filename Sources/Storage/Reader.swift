internal import Bus
internal import GRDB

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
