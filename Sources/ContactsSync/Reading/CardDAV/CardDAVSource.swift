internal import Bus
internal import DAV
internal import KithMessages
internal import Transfer

/// Reads the address books of a CardDAV account. It keeps nothing between calls but open connections.
///
/// An item is a card; its href is the key of its book, a slash, and its name there.
struct CardDAVSource: Sendable {
  /// The source; nil where it is only looked at.
  let name: String?
  let account: CardDAV
  let connections: AccountConnections
  /// Gives the time of day in nanoseconds since 1970.
  let now: @Sendable () -> Int64

  /// Books that were made or moved since are found after this many nanoseconds: a day.
  private static let foundFor: Int64 = 86_400 * 1_000_000_000

  // MARK: - Looking

  /// Looks for the address books, and tells what was tried.
  func discover() async throws(Failure) -> DiscoverReply {
    let (found, trail) = await Account(try self.address(), client: try await self.client()).addressBooks()
    var reply = DiscoverReply()
    reply.trail = trail.map(\.description)
    switch found {
    case .success(let books):
      reply.books = books.map { book in
        var shown = AddressBook()
        shown.url = book.url.description
        shown.name = book.name
        shown.description_p = book.description
        shown.readOnly = book.isReadOnly
        return shown
      }
    case .failure(let error):
      var failure = AccountFault.failure(error, source: self.name)
      failure.status.details["trail"] = reply.trail.joined(separator: "\n")
      throw failure
    }
    return reply
  }

  /// Looks whether the account can be read, and how many cards each of its books has.
  func probe() async throws(Failure) -> ProbeSourceReply {
    let client = try await self.client()
    var reply = ProbeSourceReply()
    var sentences: [String] = []
    for book in try await self.find(client, known: []).books {
      let listing = try await self.list(book, since: nil, wantsETags: false, client).listing
      reply.items += UInt32(clamping: listing.cards.count)
      sentences.append("The address book at \(book.url) holds \(listing.cards.count) cards.")
    }
    reply.note = sentences.joined(separator: " ")
    return reply
  }

  // MARK: - Listing

  /// Lists what changed since a token, or everything.
  ///
  /// - Parameters:
  ///   - token: Of the last listing; empty lists everything.
  ///   - identity: Of the account when it was last listed; tells which books there were, also without a token.
  ///   - readsAll: Whether the caller reads every card that is listed: fingerprints may be left out.
  func list(
    token: String, identity: String, readsAll: Bool, yield: @Sendable (ItemBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> ListItemsReply {
    let client = try await self.client()
    let known = AccountPosition(token: token)
    let knownBooks = known?.books ?? AccountPosition.books(ofIdentity: identity)
    var position = try await self.position(known, knownBooks, client)
    try self.requireNamedBook(identity, in: position)
    var reply = ListItemsReply()
    reply.unchanged = known != nil
    reply.complete = true
    var lastError: Failure?
    for index in position.books.indices {
      let book = position.books[index]
      let listing: Listing
      do throws(Failure) {
        let look = try await self.list(book, since: CollectionState(encoded: book.state), wantsETags: !readsAll, client)
        listing = look.listing
        if let movedTo = look.movedTo { position.books[index].url = movedTo.description }
      } catch {
        // Of several books one may be gone, shut or broken: the others are read, and its cards stay.
        guard error.code != .cancelled, error.code != .unauthenticated, position.books.count > 1 else { throw error }
        lastError = error
        reply.unchanged = false
        reply.unlistedUnder.append(book.key + "/")
        reply.problems.append(Self.unavailable(book, error))
        continue
      }
      if listing.extent != .unchanged { reply.unchanged = false }
      switch listing.extent {
      case .unchanged, .changes: reply.unchangedUnder.append(book.key + "/")
      case .partial: reply.unlistedUnder.append(book.key + "/")
      case .whole: break
      }
      if let state = listing.state { position.books[index].state = state.encoded }
      position.books[index].form = listing.form.rawValue
      try await Self.hand(on: listing, of: book, yield)
    }
    if let lastError, reply.problems.count == position.books.count { throw lastError }
    // Books that were known and are not there any more are not thereby empty.
    for gone in knownBooks where !position.books.contains(where: { $0.key == gone.key }) {
      reply.unchanged = false
      reply.unlistedUnder.append(gone.key + "/")
      reply.problems.append(Self.missing(gone))
      position.books.append(gone)
    }
    // While a book is not where it was, each pass looks for it.
    if !reply.problems.isEmpty { position.foundAt = 0 }
    reply.token = position.token
    reply.identity = position.identity
    return reply
  }

  /// The books of the last pass, or those that are found now: the first time, once a day, and when one of them is not where
  /// it was.
  private func position(
    _ known: AccountPosition?, _ knownBooks: [AccountPosition.Book], _ client: DAVClient
  ) async throws(Failure) -> AccountPosition {
    let now = self.now()
    if let known, known.foundAt <= now, now - known.foundAt < Self.foundFor { return known }
    var found = try await self.find(client, known: knownBooks)
    if let known { found.adopt(known) }
    return found
  }

  /// A person who named a book did not name the others of its account, which are found when it is gone.
  private func requireNamedBook(_ identity: String, in position: AccountPosition) throws(Failure) {
    let url = try self.address().url
    let name = AccountPosition.lastPart(url)
    let isNamed = !name.isEmpty && AccountPosition.books(ofIdentity: identity).map(\.key) == [name]
    guard isNamed, !position.books.contains(where: { $0.key == name }) else { return }
    throw AccountFault.failure(.notFound(place: url.description), source: self.name)
  }

  private func find(
    _ client: DAVClient, known: [AccountPosition.Book]
  ) async throws(Failure) -> AccountPosition {
    let found = await Account(try self.address(), client: client).addressBooks().found
    var books = try Self.require(found, self.name)
    if !self.account.books.isEmpty {
      let wanted = Set(self.account.books.compactMap { Href($0) })
      books = books.filter { Href($0.url.path).map(wanted.contains) ?? false }
      guard books.count == wanted.count else {
        throw Failure(
          .notFound, "SOURCE_UNAVAILABLE",
          """
          Not all of the address books that were chosen are at \(self.account.url) any more. \
          `kith contacts source discover` shows those there are. The contacts stay as they are.
          """)
      }
    }
    return AccountPosition(books: books, known: known, foundAt: self.now())
  }

  private func list(
    _ book: AccountPosition.Book, since state: CollectionState?, wantsETags: Bool, _ client: DAVClient
  ) async throws(Failure) -> (listing: Listing, movedTo: WebURL?) {
    let collection = try self.addressBook(book, client)
    do throws(DAVError) {
      return try await collection.list(since: state, now: self.now(), wantsETags: wantsETags)
    } catch {
      throw AccountFault.failure(error, source: self.name)
    }
  }

  private static func hand(
    on listing: Listing, of book: AccountPosition.Book, _ yield: @Sendable (ItemBatch) async throws(Failure) -> Void
  ) async throws(Failure) {
    if !listing.gone.isEmpty {
      var batch = ItemBatch()
      batch.gone = listing.gone.map { Self.item($0, of: book) }
      try await yield(batch)
    }
    try await ItemBatch.yield(
      listing.cards.map { card in
        var item = SourceItem()
        item.href = Self.item(card.href, of: book)
        item.fingerprint = card.fingerprint
        return item
      }, yield)
  }

  // MARK: - Reading

  /// Reads the named cards, in the books that the token of their listing names.
  func fetch(
    _ hrefs: [String], token: String, yield: @escaping @Sendable (CardBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> FetchItemsReply {
    let connection = try await self.connection()
    guard let position = AccountPosition(token: token) else { throw .invalid(field: "token", "is none of an account.") }
    var reply = FetchItemsReply()
    var batcher = CardBatcher(yield)
    for book in position.books {
      let prefix = book.key + "/"
      let names = hrefs.filter { $0.utf8.starts(with: prefix.utf8) }
      guard !names.isEmpty else { continue }
      let collection = try self.addressBook(book, connection.client)
      var photos = RemotePhotos(connection: connection, book: collection.url)
      guard let base = Href(collection.url.path) else { continue }
      let cards = names.compactMap { Href($0.dropFirst(prefix.count), in: base) }
      let form = CardForm(rawValue: book.form) ?? .asStored
      let ended = try await collection.fetch(cards, form: form) { card throws(Failure) in
        if case .failed = card.outcome { reply.failed += 1 }
        var reads = Self.read(card, of: book)
        for index in reads.indices where !reads[index].contact.photoUri.isEmpty {
          if try await !photos.fetch(for: &reads[index]) { reply.failed += 1 }
        }
        try await batcher.add(reads)
      }
      try await batcher.flush()
      _ = try Self.require(ended, self.name)
    }
    reply.read = UInt32(clamping: batcher.count)
    return reply
  }

  /// The parts of a card resource, which holds one card (RFC 6352 section 5.1).
  private static func read(_ card: FetchedCard, of book: AccountPosition.Book) -> [CardRead] {
    let href = Self.item(card.href, of: book)
    switch card.outcome {
    case .card(let bytes, let fingerprint): return CardRead.cards(bytes, href: href, fingerprint: fingerprint)
    case .gone: return [CardRead.vanished(href)]
    case .failed: return [CardRead.unreadable(href, "card_unreachable")]
    }
  }

  // MARK: - Names

  private func client() async throws(Failure) -> DAVClient { try await self.connection().client }

  private func connection() async throws(Failure) -> AccountConnections.Connection {
    try await self.connections.connection(to: self.account, source: self.name)
  }

  private func address() throws(Failure) -> AccountAddress {
    do throws(DAVError) {
      return try AccountAddress(self.account.url)
    } catch {
      throw AccountFault.failure(error, source: self.name)
    }
  }

  private func addressBook(_ book: AccountPosition.Book, _ client: DAVClient) throws(Failure) -> DAV.AddressBook {
    do {
      return try DAV.AddressBook(url: try WebURL(book.url), client: client)
    } catch {
      throw AccountFault.failure(.notAnAddress(book.url), source: self.name)
    }
  }

  private static func item(_ href: Href, of book: AccountPosition.Book) -> String {
    book.key + "/" + href.name
  }

  private static func require<Value>(
    _ result: Result<Value, DAVError>, _ source: String?
  ) throws(Failure) -> Value {
    switch result {
    case .success(let value): return value
    case .failure(let error): throw AccountFault.failure(error, source: source)
    }
  }

  private static func unavailable(_ book: AccountPosition.Book, _ failure: Failure) -> Problem {
    var problem = CardProblem.problem("book_unavailable", href: book.key + "/", skipped: true)
    problem.message = failure.message
    return problem
  }

  private static func missing(_ book: AccountPosition.Book) -> Problem {
    CardProblem.problem("book_missing", href: book.key + "/", skipped: true)
  }
}
