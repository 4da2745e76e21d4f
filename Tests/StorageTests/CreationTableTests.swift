import Bus
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct CreationTableTests {
  /// Creates a sample under a client id; returns its id.
  private func create(
    _ sample: String, as clientID: String, kind: String = "sample", _ storage: StorageActor
  ) async throws -> String {
    try await storage.write { transaction throws(Failure) in
      try transaction.creations.once(clientID, of: kind, id: { $0 }) { id throws(Failure) in
        try transaction.attempt {
          try EngineStatement($0, "SELECT id FROM sample WHERE id = ?").first([.text(id)]) { $0.text(0) }
        }
      } make: { () throws(Failure) in
        try transaction.attempt { try EngineStatement($0, "INSERT INTO sample VALUES (?, 1)").run([.text(sample)]) }
        return sample
      }
    }
  }

  private func reason(_ work: () async throws -> String) async -> String? {
    do {
      _ = try await work()
      return nil
    } catch {
      return (error as? Failure)?.reason
    }
  }

  @Test func aClientIDCreatesOnceAlsoAfterARestart() async throws {
    let temporary = TemporaryStore()
    var storage = try temporary.open()
    #expect(try await self.create("a", as: "phone-1", storage) == "a")
    #expect(try await self.create("b", as: "phone-1", storage) == "a")
    #expect(try await self.create("c", as: "phone-2", storage) == "c")
    await storage.close()
    storage = try temporary.open()
    #expect(try await self.create("d", as: "phone-1", storage) == "a")
    await storage.close()
  }

  @Test func withoutAClientIDEachIsAnother() async throws {
    let storage = try TemporaryStore().open()
    #expect(try await self.create("a", as: "", storage) == "a")
    #expect(try await self.create("b", as: "", storage) == "b")
    await storage.close()
  }

  @Test func whatFailedIsNotRemembered() async throws {
    let storage = try TemporaryStore().open()
    _ = try await self.create("a", as: "phone-1", storage)
    // The row exists already, so the second creation fails as a whole.
    #expect(await self.reason { try await self.create("a", as: "phone-2", storage) } != nil)
    #expect(try await self.create("b", as: "phone-2", storage) == "b")
    await storage.close()
  }

  @Test func whatIsNotStoredAnyMoreIsNotCreatedAgain() async throws {
    let storage = try TemporaryStore().open()
    _ = try await self.create("a", as: "phone-1", storage)
    try await storage.write { transaction throws(Failure) in
      try transaction.attempt { try EngineStatement($0, "DELETE FROM sample").run([]) }
    }
    #expect(await self.reason { try await self.create("b", as: "phone-1", storage) } == "RECORD_DELETED")
    await storage.close()
  }

  @Test func aClientIDStaysWithItsKindAndHas64Bytes() async throws {
    let storage = try TemporaryStore().open()
    _ = try await self.create("a", as: "phone-1", storage)
    #expect(await self.reason { try await self.create("b", as: "phone-1", kind: "other", storage) } == "FIELD_INVALID")
    let long = String(repeating: "é", count: 32)
    #expect(try await self.create("c", as: long, storage) == "c")
    #expect(await self.reason { try await self.create("d", as: long + "x", storage) } == "FIELD_INVALID")
    await storage.close()
  }
}
