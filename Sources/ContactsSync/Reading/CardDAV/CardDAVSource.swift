internal import Bus
internal import DAV
internal import KithMessages
internal import Transfer

/// Reads the address books of a CardDAV account. Keeps only open connections between calls.
///
/// An item is a card; its href is the key of its address book, a slash, and its name there.
struct CardDAVSource: Sendable {
  /// The source; nil for a discovery.
  let name: String?
  let account: CardDAV
  let connections: AccountConnections
  /// Returns the time of day in nanoseconds since 1970.
  let now: @Sendable () -> Int64

  /// The interval between discoveries from the account's address, a day in nanoseconds; in between only its homes are
  /// listed.
  private static let foundFor: Int64 = 86_400 * 1_000_000_000
  /// From this number on, cards that were requested one by one are reported.
  private static let manySingles = 10

  // MARK: - Discovery

  /// Finds the address books, and returns each step that was tried.
  func discover() async throws(Failure) -> DiscoverReply {
    let (found, trail) = await Account(try self.address(), client: try await self.client()).addressBooks()
    var reply = DiscoverReply()
    reply.trail = trail.map(\.description)
    switch found {
    case .success(let books):
      reply.books = books.books.map { book in
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

  /// Checks whether the account can be read, and counts the cards of each address book.
  func probe() async throws(Failure) -> ProbeSourceReply {
    let client = try await self.client()
    var reply = ProbeSourceReply()
    var sentences: [String] = []
    for book in try await self.find(client, known: []).position.books {
      let listing = try await self.list(book, since: nil, wantsETags: false, client).listing
      reply.items += UInt32(clamping: listing.cards.count)
      sentences.append("The address book at \(book.url) holds \(listing.cards.count) cards.")
    }
    reply.note = sentences.joined(separator: " ")
    return reply
  }

  // MARK: - Listing

  /// Lists the changes since a token, or every card.
  ///
  /// - Parameters:
  ///   - token: The token of the last listing; empty to list every card.
  ///   - identity: The account's identity at the last listing, which names its address books even without a token.
  ///   - readsAll: True if the caller reads every listed card: fingerprints may be omitted.
  func list(
    token: String, identity: String, readsAll: Bool, yield: @Sendable (ItemBatch) async throws(Failure) -> Void
  ) async throws(Failure) -> ListItemsReply {
    let client = try await self.client()
    let known = AccountPosition(token: token)
    let knownBooks = known?.books ?? AccountPosition.books(ofIdentity: identity)
    let look = try await self.look(known, knownBooks, client)
    var position = look.position
    try self.requireNamedBook(identity, in: position)
    var reply = ListItemsReply()
    reply.unchanged = known != nil
    reply.complete = true
    var errors: [Failure] = []
    for index in position.books.indices {
      let book = position.books[index]
      let listing: Listing
      do throws(Failure) {
        let answer = try await self.list(
          book, since: CollectionState(encoded: book.state), wantsETags: !readsAll, toldToken: look.tokens[book.key],
          client)
        listing = answer.listing
        if let movedTo = answer.movedTo { position.books[index].url = movedTo.description }
      } catch {
        // One of several books may be missing, forbidden or broken: the others are read, and its cards stay. A refused
        // password and a rate limit concern all books.
        let isOfAll = error.code == .unauthenticated || error.reason == AccountFault.rateLimited
        guard error.code != .cancelled, !isOfAll, position.books.count > 1 else { throw error }
        errors.append(error)
        reply.unchanged = false
        reply.unlistedUnder.append(book.key + "/")
        reply.problems.append(Self.unavailable(book, error))
        continue
      }
      if listing.extent != .unchanged { reply.unchanged = false }
      switch listing.extent {
      case .unchanged, .changes: reply.unchangedUnder.append(book.key + "/")
      case .partial:
        reply.unlistedUnder.append(book.key + "/")
        reply.problems.append(CardProblem.problem(CardProblem.bookPartial, href: book.key + "/", skipped: false))
      case .whole: break
      }
      if let state = listing.state { position.books[index].state = state.encoded }
      position.books[index].form = listing.form.rawValue
      try await Self.hand(on: listing, of: book, yield)
    }
    if let error = errors.last, errors.count == position.books.count { throw error }
    var isFound = errors.isEmpty
    for var gone in knownBooks where !position.books.contains(where: { $0.key == gone.key }) {
      reply.unchanged = false
      isFound = false
      if look.isWhole {
        reply.problems.append(self.missing(gone))
      } else {
        // Its home could not be listed.
        reply.unlistedUnder.append(gone.key + "/")
        reply.problems.append(CardProblem.problem(CardProblem.bookUnavailable, href: gone.key + "/", skipped: true))
      }
      // When the book is back, all of its cards are compared.
      gone.state = ""
      position.books.append(gone)
    }
    // While a book is missing, each pass searches for it.
    if !isFound { position.foundAt = 0 }
    reply.token = position.token
    reply.identity = position.identity
    return reply
  }

  /// The present locations of the books.
  private struct Look {
    var position: AccountPosition
    /// The sync tokens from the listing of the homes, by the keys of the books.
    var tokens: [String: String] = [:]
    /// Whether a book that is not in ``position`` is certainly gone.
    var isWhole = true

    /// The same, with the known state of the books.
    func adopting(_ known: AccountPosition, keepsForms: Bool = false) -> Look {
      var look = self
      look.position.adopt(known, keepsForms: keepsForms)
      return look
    }
  }

  /// Finds the present address books: once a day from the account's address, in between from its homes, which costs one
  /// request and shows which books have changed. If a book is missing there, discovery starts from the address.
  private func look(
    _ known: AccountPosition?, _ knownBooks: [AccountPosition.Book], _ client: DAVClient
  ) async throws(Failure) -> Look {
    let now = self.now()
    if let known, known.foundAt <= now, now - known.foundAt < Self.foundFor, let homes = known.homes {
      let urls = homes.compactMap { try? WebURL($0) }
      guard !urls.isEmpty else { return Look(position: known) }
      switch await Account(try self.address(), client: client).addressBooks(in: urls) {
      case .success(let found):
        let look = try self.look(found, known: known.books, foundAt: known.foundAt)
        let keys = Set(look.position.books.map(\.key))
        if known.books.allSatisfy({ keys.contains($0.key) }) { return look.adopting(known, keepsForms: true) }
      case .failure(.noAddressBook): break
      case .failure(.needsCredentials(let place)):
        throw AccountFault.failure(.needsCredentials(place: place), source: self.name)
      case .failure(.rateLimited(let place, let seconds)):
        throw AccountFault.failure(.rateLimited(place: place, retryAfter: seconds), source: self.name)
      case .failure(.transfer(let error)): throw AccountFault.failure(.transfer(error), source: self.name)
      // The books themselves may still be readable.
      case .failure: return Look(position: known)
      }
    }
    let look = try await self.find(client, known: knownBooks)
    return known.map { look.adopting($0) } ?? look
  }

  /// Fails if a person chose one book and that book is gone: the other books of its account were not chosen.
  private func requireNamedBook(_ identity: String, in position: AccountPosition) throws(Failure) {
    let url = try self.address().url
    let name = AccountPosition.lastPart(url)
    let isNamed = !name.isEmpty && AccountPosition.books(ofIdentity: identity).map(\.key) == [name]
    guard isNamed, !position.books.contains(where: { $0.key == name }) else { return }
    throw AccountFault.failure(.notFound(place: url.description), source: self.name)
  }

  private func find(_ client: DAVClient, known: [AccountPosition.Book]) async throws(Failure) -> Look {
    let found = await Account(try self.address(), client: client).addressBooks().found
    return try self.look(try Self.require(found, self.name), known: known, foundAt: self.now())
  }

  /// Reduces what was found to the books that the person chose.
  private func look(
    _ found: Account.Books, known: [AccountPosition.Book], foundAt: Int64
  ) throws(Failure) -> Look {
    var books = found.books
    if !self.account.books.isEmpty {
      let wanted = Set(self.account.books.compactMap { Href($0) })
      books = books.filter { Href($0.url.path).map(wanted.contains) ?? false }
      // A book that was read before is gone: only that book is reported.
      guard books.count == wanted.count || !known.isEmpty else {
        throw Failure(
          .notFound, "SOURCE_UNAVAILABLE",
          """
          Some of the chosen address books do not exist at \(self.account.url). \
          `kith contacts source discover` lists those that exist.
          """)
      }
    }
    var look = Look(position: AccountPosition(books: books, known: known, homes: found.homes, foundAt: foundAt))
    look.isWhole = found.isWhole
    for (book, place) in zip(books, look.position.books) { look.tokens[place.key] = book.syncToken }
    return look
  }

  private func list(
    _ book: AccountPosition.Book, since state: CollectionState?, wantsETags: Bool, toldToken: String? = nil,
    _ client: DAVClient
  ) async throws(Failure) -> (listing: Listing, movedTo: WebURL?) {
    let collection = try self.addressBook(book, client)
    do throws(DAVError) {
      return try await collection.list(since: state, now: self.now(), wantsETags: wantsETags, toldToken: toldToken)
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
        // An item without a fingerprint is read, even if its ETag is the known one.
        if !card.mustBeRead { item.fingerprint = Self.fingerprint(card.fingerprint) }
        return item
      }, yield)
  }

  // MARK: - Reading

  /// Reads the named cards of the address books in the listing's token.
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
      let singles = try Self.require(ended, self.name)
      guard singles > Self.manySingles else { continue }
      try await batcher.add([Self.oneByOne(book, singles, of: cards.count)])
      try await batcher.flush()
    }
    reply.read = UInt32(clamping: batcher.count)
    return reply
  }

  /// The cards of a resource, which holds one card (RFC 6352 section 5.1).
  private static func read(_ card: FetchedCard, of book: AccountPosition.Book) -> [CardRead] {
    let href = Self.item(card.href, of: book)
    switch card.outcome {
    case .card(let bytes, let fingerprint):
      return CardRead.cards(bytes, href: href, fingerprint: Self.fingerprint(fingerprint))
    case .gone: return [CardRead.vanished(href)]
    case .failed: return [CardRead.unreadable(href, "card_unreachable")]
    }
  }

  /// The fingerprint with the version of the reader, so that a new reader reads every card again. An empty fingerprint
  /// stays empty, which equals no other.
  private static func fingerprint(_ ofServer: String) -> String {
    ofServer.isEmpty ? "" : "\(ContactMapping.version):\(ofServer)"
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
    var problem = CardProblem.problem(CardProblem.bookUnavailable, href: book.key + "/", skipped: true)
    problem.message = failure.message
    return problem
  }

  private func missing(_ book: AccountPosition.Book) -> Problem {
    var problem = CardProblem.problem(CardProblem.bookMissing, href: book.key + "/", skipped: true)
    if let name {
      problem.message += " If it was deleted on purpose: kith contacts sync \(name) --allow-mass-delete"
    }
    return problem
  }

  /// A remark about an address book, not about one of its cards.
  private static func oneByOne(_ book: AccountPosition.Book, _ singles: Int, of count: Int) -> CardRead {
    var remark = CardRead.vanished(book.key + "/")
    var problem = CardProblem.problem(CardProblem.oneByOne, href: remark.href, skipped: false)
    problem.message =
      "The server did not return several cards at once: \(singles) of \(count) were read one by one, which is slow."
    remark.problems = [problem]
    return remark
  }
}
