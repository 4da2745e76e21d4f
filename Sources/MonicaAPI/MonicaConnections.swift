public import EventLoop
public import Secrets
internal import Transfer

/// The connections to Monica servers, and the tokens that they are opened with.
///
/// Connections are kept between calls, one set for each file of authorities. So is what is known of the rate limit of each
/// account, and for a while the names of its types.
public final class MonicaConnections: Sendable {
  private let loop: LoopExecutor
  private let secrets: any SecretStore
  private let clients = Lock<[TLSSettings: HTTPClient]>([:])

  /// Makes an empty set.
  ///
  /// - Parameters:
  ///   - loop: Carries the transfers; has to run until ``close()`` returns.
  ///   - secrets: Where tokens are. They are looked up at each call, so that a new one counts at once.
  public init(on loop: LoopExecutor, secrets: any SecretStore) {
    self.loop = loop
    self.secrets = secrets
  }

  /// Ends the connections and what is under way on them.
  public func close() async {
    let clients = self.clients.withLock { clients in
      defer { clients = [:] }
      return Array(clients.values)
    }
    for client in clients { await client.close() }
  }
}
