internal import Bus
public import EventLoop
internal import KithMessages
public import Secrets
internal import Transfer

/// The connections to Monica servers, and their tokens.
///
/// Connections are kept between calls, one set for each CA file. So are the state of each account's rate limit and, for
/// a while, the names in its catalogs.
public final class MonicaConnections: Sendable {
  private let secrets: any SecretStore
  private let clients: ClientSet<HTTPClient>
  private let accounts = Lock<[AccountKey: AccountMemory]>([:])

  private struct AccountKey: Hashable {
    let endpoint: String
    let tokenName: String
  }

  private struct AccountMemory {
    let gate = RateGate()
    let catalogs = CatalogMemory()
  }

  /// Makes an empty set.
  ///
  /// - Parameters:
  ///   - loop: Runs the transfers, and has to run until ``close()`` returns.
  ///   - secrets: The store of tokens. A token is read at each call, so that a new one is used at once.
  public init(on loop: LoopExecutor, secrets: any SecretStore) {
    self.secrets = secrets
    self.clients = ClientSet(limit: 16) { tls in HTTPClient(on: loop, tls: tls) }
  }

  /// Closes the connections and cancels their requests.
  public func close() async {
    for client in self.clients.removeAll() { await client.close() }
  }

  /// Returns a client for an account, which reports to a call what it waits for.
  ///
  /// - Throws: `UNAUTHENTICATED/TOKEN_MISSING`, `SECRET_UNREADABLE`, and `FIELD_INVALID` for an invalid address.
  func client(
    for account: MonicaAccount, _ pace: Pace, _ context: CallContext
  ) async throws(Failure) -> (MonicaClient, CatalogReader) {
    let address: MonicaAddress
    do throws(TransferError) { address = try MonicaAddress(account.endpoint) } catch {
      throw MonicaError(.transfer(error)).failure
    }
    let token = try await self.secrets.secret(named: account.tokenName)
    guard let token, !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw MonicaError(.noToken).failure
    }
    let memory = self.accounts.withLock { accounts in
      let key = AccountKey(endpoint: account.endpoint, tokenName: account.tokenName)
      if let known = accounts[key] { return known }
      let new = AccountMemory()
      accounts[key] = new
      return new
    }
    let client = MonicaClient(
      http: self.http(account), address: address, credentials: .bearer(token: token), gate: memory.gate, pace: pace,
      reportWait: { context.report(stage: "rate_limit", eta: $0) })
    return (client, CatalogReader(client: client, memory: memory.catalogs))
  }

  private func http(_ account: MonicaAccount) -> HTTPClient {
    let tls = account.caFile.isEmpty ? TLSSettings.system : TLSSettings(authorityFile: account.caFile)
    return self.clients.client(for: tls)
  }
}
