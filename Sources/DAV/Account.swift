public import Transfer

/// A CardDAV account, known by its address.
///
/// ```swift
/// let address = try AccountAddress("alice@example.com")
/// let (found, trail) = await Account(address, client: client).addressBooks()
/// for book in try found.get().books { print(book.name, book.url) }
/// ```
public struct Account: Sendable {
  private let address: AccountAddress
  private let client: DAVClient
  private let names: NameService

  /// Makes an account; sends no request.
  public init(_ address: AccountAddress, client: DAVClient, names: NameService = NameService()) {
    self.address = address
    self.client = client
    self.names = names
  }

  /// The result of a discovery.
  public struct Books: Sendable {
    /// Its address books.
    public let books: [FoundBook]
    /// The collections that list the address books; empty if the address is that of one address book.
    public let homes: [WebURL]
    /// True if each home could be listed. Otherwise an address book that is missing from ``books`` may still exist.
    public let isWhole: Bool
  }

  /// Looks for the account's address books by ``Discovery``.
  ///
  /// - Returns: The address books, or why there are none; in both cases what was tried.
  public func addressBooks() async -> (found: Result<Books, DAVError>, trail: [DiscoveryStep]) {
    await self.run(Discovery(self.address))
  }

  /// Lists the homes that an earlier discovery found, with one request each.
  ///
  /// - Returns: The address books with their sync tokens, or the error of the first home that could not be listed.
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

/// The address of an account as a person types it: a URL, a host, or an email address.
///
/// ```swift
/// try AccountAddress("alice@example.com").domain  // "example.com"
/// ```
public struct AccountAddress: Sendable, Hashable {
  /// The first URL to ask.
  public let url: WebURL
  /// True if the person typed a URL, false if it was made from a host.
  public let isURL: Bool
  /// The domain to look up in DNS; nil for numerical addresses, this machine, and addresses with a port.
  public let domain: String?

  /// Parses an address.
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
        // The part before the @ is the user name, which is set separately.
        let host = given.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let url = try WebURL("https://\(host)")
        // Traffic to this machine cannot be intercepted, and servers on it have no certificate.
        self.url = url.isLoopback ? try WebURL("http://\(host)") : url
      }
    } catch { throw .notAnAddress(text) }
    let origin = self.url.origin
    guard origin.scheme == "http" || origin.scheme == "https" else { throw .notAnAddress(text) }
    let isPlain = origin.port == 443 && !self.url.isLoopback && !ServerFamily.isAddress(origin.host)
    self.domain = isPlain && origin.host.contains(".") ? origin.host : nil
  }
}
