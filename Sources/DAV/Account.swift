internal import Transfer

/// An account somewhere, known by its address.
public struct Account: Sendable {
  private let address: AccountAddress
  private let client: DAVClient
  private let names: NameService

  /// Names an account; asks nothing.
  public init(_ address: AccountAddress, client: DAVClient, names: NameService = NameService()) {
    self.address = address
    self.client = client
    self.names = names
  }

  /// Looks for the account's address books, as ``Discovery`` says.
  ///
  /// - Returns: The address books or why there are none, and in both cases what was tried.
  public func addressBooks() async -> (found: Result<[FoundBook], DAVError>, trail: [DiscoveryStep]) {
    var discovery = Discovery(self.address)
    while true {
      switch discovery.next() {
      case .finished(let books): return (.success(books), discovery.trail)
      case .failed(let error): return (.failure(error), discovery.trail)
      case .lookUp(let domain):
        let (services, path) = await self.names.services(of: domain)
        discovery.lookedUp(services, path: path)
      case .ask(let request, let url):
        do throws(DAVError) {
          let exchange = try await self.client.exchange(request, at: url, place: url.description)
          discovery.answered(.success(exchange.reply), at: exchange.url)
        } catch { discovery.answered(.failure(error), at: url) }
      }
    }
  }
}
