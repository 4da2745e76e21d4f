internal import EventLoop

/// The requests of one change, and whether any of them has already changed something.
final class PushSession: Sendable {
  let client: MonicaClient
  let catalog: CatalogReader
  private let writes = Lock(0)

  init(_ client: MonicaClient, _ catalog: CatalogReader) {
    self.client = client
    self.catalog = catalog
  }

  /// Whether the server has carried out a step: then the change as a whole may have arrived, even if it fails.
  var hasWritten: Bool { self.writes.withLock { $0 > 0 } }

  func post<Value: Decodable>(_ path: String, _ body: JSONValue) async throws(MonicaError) -> Value {
    let value: Value = try await self.client.post(Value.self, path, body)
    self.writes.withLock { $0 += 1 }
    return value
  }

  func put<Value: Decodable>(_ path: String, _ body: JSONValue) async throws(MonicaError) -> Value {
    let value: Value = try await self.client.put(Value.self, path, body)
    self.writes.withLock { $0 += 1 }
    return value
  }

  func delete(_ path: String) async throws(MonicaError) {
    try await self.client.delete(path)
    self.writes.withLock { $0 += 1 }
  }
}
