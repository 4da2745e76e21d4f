internal import EventLoop

/// Clients that are kept between calls, one for each TLS setting, so that their connections are reused.
///
/// ```swift
/// let clients = ClientSet(limit: 16) { tls in HTTPClient(on: loop, tls: tls) }
/// let response = try await clients.client(for: .system).send(request)
/// for client in clients.removeAll() { await client.close() }
/// ```
public final class ClientSet<Client: Sendable>: Sendable {
  private let clients = Lock<[TLSSettings: Client]>([:])
  private let limit: Int
  private let make: @Sendable (TLSSettings) -> Client

  /// Makes an empty set.
  ///
  /// - Parameters:
  ///   - limit: The most clients that are kept; with more TLS settings, the others get a new client for each call.
  ///   - make: Makes a client.
  public init(limit: Int = .max, make: @escaping @Sendable (TLSSettings) -> Client) {
    self.limit = limit
    self.make = make
  }

  /// The client for these settings.
  public func client(for tls: TLSSettings) -> Client {
    self.clients.withLock { clients in
      if let client = clients[tls] { return client }
      let client = self.make(tls)
      if clients.count < self.limit { clients[tls] = client }
      return client
    }
  }

  /// Empties the set, and returns its clients to be closed.
  public func removeAll() -> [Client] {
    self.clients.withLock { clients in
      defer { clients = [:] }
      return Array(clients.values)
    }
  }
}
