public import Transfer

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

  /// What an account has.
  public struct Books: Sendable {
    /// Its address books.
    public let books: [FoundBook]
    /// The collections that list them; none where the address is that of one book.
    public let homes: [WebURL]
    /// Whether each home could be listed. Otherwise a book that is not among ``books`` may still be there.
    public let isWhole: Bool
  }

  /// Looks for the account's address books, as ``Discovery`` says.
  ///
  /// - Returns: The address books or why there are none, and in both cases what was tried.
  public func addressBooks() async -> (found: Result<Books, DAVError>, trail: [DiscoveryStep]) {
    await self.run(Discovery(self.address))
  }

  /// Looks at the homes again where address books were found before: one request each.
  ///
  /// - Returns: The books with their sync tokens; the failure of the first home that could not be listed.
  public func addressBooks(in homes: [WebURL]) async -> Result<Books, DAVError> {
    await self.run(Discovery(self.address, homes: homes)).found
  }

  private func run(_ begun: Discovery) async -> (found: Result<Books, DAVError>, trail: [DiscoveryStep]) {
    var discovery = begun
    while true {
      switch discovery.next() {
      case .finished(let books):
        let found = Books(books: books, homes: discovery.homes, isWhole: discovery.isWhole)
        return (.success(found), discovery.trail)
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

/// What a person gives to name an account: a URL, a host, or an e-mail address.
public struct AccountAddress: Sendable, Hashable {
  /// Where to begin.
  public let url: WebURL
  /// Whether the URL was given as such; otherwise it was made of a host.
  public let isURL: Bool
  /// The domain whose name service may know more; nil for numerical addresses, this machine, and where a port was given.
  public let domain: String?

  /// Reads what was given.
  ///
  /// - Throws: ``DAVError/notAnAddress(_:)``.
  public init(_ text: String) throws(DAVError) {
    let trimmed = text.drop { $0.isWhitespace }
    let given = String(trimmed.prefix(trimmed.count - trimmed.reversed().prefix { $0.isWhitespace }.count))
    guard !given.isEmpty, !given.contains(where: { $0.isWhitespace }) else { throw .notAnAddress(text) }
    self.isURL = given.contains("://")
    do {
      if self.isURL {
        self.url = try WebURL(given)
      } else {
        // What stands before the @ is the user's name, which is given apart.
        let host = given.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let url = try WebURL("https://\(host)")
        // There is no one to listen in on this machine, and servers there have no certificate.
        self.url = url.isLoopback ? try WebURL("http://\(host)") : url
      }
    } catch { throw .notAnAddress(text) }
    let origin = self.url.origin
    guard origin.scheme == "http" || origin.scheme == "https" else { throw .notAnAddress(text) }
    let isPlain = origin.port == 443 && !self.url.isLoopback && !ServerFamily.isAddress(origin.host)
    self.domain = isPlain && origin.host.contains(".") ? origin.host : nil
  }
}
