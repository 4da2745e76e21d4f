/// One listing of an address book: what to request, what the answers mean, and when a listing is proven complete. No
/// I/O.
///
/// With a known sync token only the changes are requested (RFC 6578), and no change means that the pass is over. Every
/// card is listed:
/// - on the first pass, and once a day;
/// - if the server has no sync tokens and the collection's tag changed;
/// - if the server cannot report changes or does not know the token;
/// - if the server reports no change although its token changed;
/// - if a token that is a number went down, after a restore from backup: then every card is also read;
/// - while the address book is being changed (``CollectionState/Activity/busy``).
///
/// Before a listing, the collection is asked for its type and token, and for its tag if it has no usable token: a token
/// read *before* a listing misses no change made in between. With a known token, the changes are requested before the
/// full listing: a card that was deleted and created again may have its first ETag, and only the changes name it.
///
/// ```swift
/// var pass = CollectionPass(place: "https://example.com/book/", collection: path, known: state, now: now)
/// var directive = pass.first
/// while case .send(let request) = directive { directive = pass.received(await send(request)) }
/// ```
public struct CollectionPass: Sendable {
  /// What the caller does next.
  public enum Directive: Sendable, Equatable {
    /// Send this request to the collection, and pass the outcome to ``CollectionPass/received(_:)``.
    case send(DAVRequest)
    /// The pass is over.
    case finished(Listing)
    /// The pass failed. Stored cards stay as they are.
    case failed(DAVError)
  }

  /// Interval between full listings in nanoseconds: one day.
  static let wholeInterval: Int64 = 86_400 * 1_000_000_000
  /// A server that sends a list in more parts than this is considered to be in a loop.
  static let partLimit = 1000

  private enum Step: Sendable {
    case looking
    case changes(since: String, isRepeat: Bool)
    case listing
  }

  private let place: String
  private let known: CollectionState?
  /// True if the address book's home has just reported the known token.
  private let isUnchanged: Bool
  private let now: Int64
  private let members: [DAVProperty]
  private let memberLimit: Int
  private var step: Step
  /// True once the collection has said what it is.
  private var hasLooked = false
  /// True if the collection's tag is requested, for which some servers read every card: only if it has no token.
  private var asksForTag = false
  private var mustList: Bool
  /// True if a token that is a number went down: the server was restored from a backup, and a card may have a known
  /// ETag with other content.
  private var wasSetBack = false
  /// True if the server no longer knows the token.
  private var isTokenRefused = false
  /// The answer about changes that precedes a full listing: its token, and the cards that it named.
  private var told: (token: String, cards: Set<Href>)?
  private var parts = 0
  private var mark = CollectionState.Mark.none
  private var table: MemberTable

  /// Makes a pass.
  ///
  /// - Parameters:
  ///   - place: The address book's name in errors.
  ///   - collection: The path of the address book.
  ///   - known: The state of the last pass; nil lists everything.
  ///   - now: Nanoseconds since 1970.
  ///   - isWhole: True to list every card in any case.
  ///   - wantsETags: True if a full listing needs ETags.
  ///   - toldToken: The sync token that the address book's home has just reported; nil if it was not asked.
  ///   - limits: A listing with more members than ``XMLLimits/responses`` is refused.
  public init(
    place: String, collection: Href, known: CollectionState?, now: Int64, isWhole: Bool = false,
    wantsETags: Bool = true, toldToken: String? = nil, limits: XMLLimits = XMLLimits()
  ) {
    self.place = place
    self.known = known
    self.now = now
    self.members = wantsETags ? DAVProperty.ofMembers : DAVProperty.ofNames
    self.memberLimit = limits.responses
    self.table = MemberTable(collection: collection, form: known?.form ?? .asStored)
    // Also false if the clock was set back.
    let isFresh = known.map { $0.listedAt <= now && now - $0.listedAt < Self.wholeInterval } ?? false
    self.mustList = isWhole || !isFresh || known?.activity == .busy
    // Right after a change the collection itself is asked: some servers count time in whole seconds.
    self.isUnchanged = !self.mustList && known?.activity == .quiet && toldToken.map { .token($0) } == known?.mark
    self.step = .looking
    switch known?.mark {
    case nil, .token: break
    case .some(.none), .tag: self.asksForTag = true
    }
    if case .token(let token)? = known?.mark {
      self.wasSetBack = toldToken.map { Self.wentDown(from: token, to: $0) } ?? false
      if !self.wasSetBack { self.step = .changes(since: token, isRepeat: false) }
    }
  }

  /// The first directive.
  public var first: Directive {
    if self.isUnchanged, let known { return .finished(self.listing(.unchanged, state: known)) }
    if case .changes(let token, _) = self.step { return .send(.changes(since: token)) }
    return .send(.propfind(self.ownProperties, depth: 0))
  }

  private var ownProperties: [DAVProperty] {
    [.resourceType, .supportedReports, .supportedAddressData] + (self.told == nil ? [.syncToken] : [])
      + (self.asksForTag ? [.collectionTag] : [])
  }

  /// Handles the outcome of the last request.
  public mutating func received(_ outcome: Result<DAVReply, DAVError>) -> Directive {
    switch self.step {
    case .looking: self.looked(outcome)
    case .changes(let token, let isRepeat): self.changed(outcome, since: token, isRepeat: isRepeat)
    case .listing: self.listed(outcome)
    }
  }

  // MARK: The collection itself

  private mutating func looked(_ outcome: Result<DAVReply, DAVError>) -> Directive {
    let reply: DAVReply
    switch outcome {
    case .failure(let error): return .failed(error)
    case .success(let success): reply = success
    }
    guard reply.status == 207 else { return .failed(self.error(reply)) }
    // A server may name the collection differently from the request; its name is used from then on.
    let own = reply.responses.first { self.isOwn($0) } ?? (reply.responses.count == 1 ? reply.responses.first : nil)
    guard let own else { return .failed(self.malformed("it says nothing about the address book itself")) }
    if let status = own.status, !(200..<300 ~= status) { return .failed(.status(status, place: self.place)) }
    guard let type = own.properties.resourceType else {
      if let status = own.refused.min(), status > 0 { return .failed(.status(status, place: self.place)) }
      return .failed(self.malformed("it does not say what kind of resource this is"))
    }
    guard type.contains(.addressBook) else { return .failed(.notAnAddressBook(place: self.place)) }
    return self.decide(own.properties, name: Href(own.href, in: self.table.collection) ?? self.table.collection)
  }

  private mutating func decide(_ properties: DAVProperties, name: Href) -> Directive {
    let canTell = properties.reports?.contains("sync-collection") ?? true
    let own = properties.syncToken.flatMap { canTell && !$0.isEmpty ? $0 : nil }
    let token = self.told?.token ?? own.map { self.isTokenRefused ? $0 : Self.settled($0, now: self.now) }
    if token == nil, !self.asksForTag {
      self.asksForTag = true
      return .send(.propfind(self.ownProperties, depth: 0))
    }
    self.table = MemberTable(collection: name, form: CardForm(offered: properties.cardVersions))
    self.hasLooked = true
    let tag = properties.collectionTag.flatMap { $0.isEmpty ? nil : $0 }
    self.mark = token.map { .token($0) } ?? tag.map { .tag($0) } ?? .none
    // The form changed: every card is read again in the new form.
    if let known = self.known, known.form != self.table.form { return self.listEverything() }
    if !self.mustList, let known = self.known, case .tag(let old) = known.mark, tag == old {
      return .finished(self.listing(.unchanged, state: self.state(known.mark, listedAt: known.listedAt)))
    }
    return self.listEverything()
  }

  // MARK: Changes

  private mutating func ask(since token: String, isRepeat: Bool = false) -> Directive {
    self.step = .changes(since: token, isRepeat: isRepeat)
    return .send(.changes(since: token))
  }

  private mutating func changed(_ outcome: Result<DAVReply, DAVError>, since token: String, isRepeat: Bool) -> Directive
  {
    switch outcome {
    case .failure(let error):
      switch error {
      case .malformed, .tooLarge: return self.listEverything()
      default: return .failed(error)
      }
    case .success(let reply):
      guard reply.status != 207 else { return self.changed(reply, since: token) }
      switch reply.status {
      case 401, 429, 503: return .failed(self.error(reply))
      // Debian's Xandikos 0.2 answers 500 to an unknown token; it may also be a temporary failure.
      case 400, 500...:
        if !isRepeat { return self.ask(since: token, isRepeat: true) }
      default: break
      }
      self.isTokenRefused = true
      return self.listEverything()
    }
  }

  private mutating func changed(_ reply: DAVReply, since token: String) -> Directive {
    guard let next = reply.end.syncToken, !next.isEmpty, reply.end.unreadable == 0 else { return self.listEverything() }
    var isCut = false
    for response in reply.responses {
      if !self.isOwn(response) { self.table.add(response) } else if response.status == 507 { isCut = true }
    }
    guard self.table.count <= self.memberLimit else { return .failed(self.tooManyMembers) }
    if isCut {
      self.parts += 1
      // The same token again, or too many parts, would be a loop.
      return next == token || self.parts >= Self.partLimit ? self.listEverything() : self.ask(since: next)
    }
    guard let known = self.known, !Self.wentDown(from: token, to: next) else {
      self.wasSetBack = true
      return self.listEverything()
    }
    guard self.table.count > 0 || next == token else { return self.listEverything() }
    guard !self.mustList else {
      self.told = (next, Set(self.table.cards.map(\.href)))
      return self.listEverything()
    }
    let state = self.state(.token(next), listedAt: known.listedAt)
    return .finished(self.listing(self.table.count == 0 ? .unchanged : .changes, state: state))
  }

  // MARK: The full listing

  private mutating func listEverything() -> Directive {
    guard self.hasLooked else {
      self.mustList = true
      self.step = .looking
      return .send(.propfind(self.ownProperties, depth: 0))
    }
    self.table = MemberTable(collection: self.table.collection, form: self.table.form)
    self.step = .listing
    return .send(.propfind(self.members, depth: 1))
  }

  private mutating func listed(_ outcome: Result<DAVReply, DAVError>) -> Directive {
    let reply: DAVReply
    switch outcome {
    case .failure(let error): return .failed(error)
    case .success(let success): reply = success
    }
    guard reply.status == 207 else { return .failed(self.error(reply)) }
    var isProven = false
    var isCut = reply.end.unreadable > 0
    for response in reply.responses {
      if response.status == 507 { isCut = true }
      guard self.isOwn(response) else {
        if response.status != 507 { self.table.add(response) }
        continue
      }
      if response.properties.resourceType?.contains(.addressBook) == true { isProven = true }
    }
    guard self.table.count <= self.memberLimit else { return .failed(self.tooManyMembers) }
    guard isProven, !isCut else { return .finished(self.listing(.partial, state: nil)) }
    return .finished(self.listing(.whole, state: self.state(self.mark, listedAt: self.now)))
  }

  // MARK: Parts of answers

  private func isOwn(_ response: DAVResponse) -> Bool {
    Href(response.href, in: self.table.collection) == self.table.collection
  }

  private func listing(_ extent: Listing.Extent, state: CollectionState?) -> Listing {
    var cards = extent == .unchanged ? [] : self.table.cards
    for index in cards.indices {
      cards[index].mustBeRead =
        extent == .changes || self.wasSetBack || self.told?.cards.contains(cards[index].href) == true
    }
    return Listing(
      extent: extent, cards: cards,
      gone: extent == .changes ? self.table.gone : [], state: state, form: self.table.form)
  }

  private func state(_ mark: CollectionState.Mark, listedAt: Int64) -> CollectionState {
    let activity: CollectionState.Activity =
      switch self.known {
      case nil: .quiet
      case let known? where known.mark == mark: .quiet
      case let known?: known.activity == .quiet ? .changed : .busy
      }
    return CollectionState(mark: mark, listedAt: listedAt, form: self.table.form, activity: activity)
  }

  private func error(_ reply: DAVReply) -> DAVError {
    .status(reply.status, place: self.place, retryAfter: reply.retryAfter)
  }

  private func malformed(_ what: String) -> DAVError { .malformed(place: self.place, what: what) }

  private var tooManyMembers: DAVError { .tooLarge(place: self.place, what: "\(self.memberLimit) cards") }

  /// Returns the token to keep for one received at `now`. SOGo's token is the second of the last change, and omits
  /// changes made later in that second; the token of the second before includes them.
  static func settled(_ token: String, now: Int64) -> String {
    guard let seconds = UInt32(token).map(Int64.init), abs(seconds - now / 1_000_000_000) < 86_400 else { return token }
    return String(seconds - 1)
  }

  /// True if two tokens differ only in the number at their end, and the new number is smaller.
  static func wentDown(from old: String, to new: String) -> Bool {
    func split(_ token: String) -> (head: Substring, number: UInt64)? {
      let digits = token.utf8.reversed().prefix { 0x30...0x39 ~= $0 }.count
      let head = token.dropLast(digits)
      // Hexadecimal digests end with digits too; a number stands alone or after a separator.
      guard head.last.map({ !$0.isLetter }) ?? true, let number = UInt64(token.suffix(digits)) else { return nil }
      return (head, number)
    }
    guard let old = split(old), let new = split(new) else { return false }
    return old.head == new.head && new.number < old.number
  }
}

/// The result of one listing of an address book.
///
/// ```swift
/// let gone = listing.extent == .whole ? known.subtracting(listing.cards.map(\.href)) : Set(listing.gone)
/// ```
public struct Listing: Sendable, Hashable {
  /// How much was listed.
  public enum Extent: Sendable, Hashable {
    /// Nothing, because nothing has changed.
    case unchanged
    /// The changes since the last state. Cards that are not listed are unchanged.
    case changes
    /// Every card, proven complete: cards that are not listed are gone.
    case whole
    /// Some cards, not proven complete: cards that are not listed may still exist.
    case partial
  }

  /// How much was listed.
  public let extent: Extent
  /// The listed cards, each once.
  public let cards: [ListedCard]
  /// The cards that the server reports as gone; only for ``Extent/changes``. Cards that were never known can be
  /// ignored.
  public let gone: [Href]
  /// The state for the next pass, to be stored after all listed cards are stored; nil to keep the previous state.
  public let state: CollectionState?
  /// The form to request the cards in.
  public let form: CardForm
}

/// The name of a card on a server.
///
/// ```swift
/// let isChanged = card.mustBeRead || card.fingerprint.isEmpty || card.fingerprint != stored[card.href]
/// ```
public struct ListedCard: Sendable, Hashable {
  /// The resource.
  public let href: Href
  /// Changes if the card may have changed. Empty if the server sent no ETag or was not asked for it: then the card has
  /// to be read.
  public let fingerprint: String
  /// True if the card has to be read whatever its fingerprint: the server named it as changed (SOGo gives a card that
  /// was deleted and created again its first ETag), or the server was restored from a backup.
  public internal(set) var mustBeRead: Bool

  /// Makes a listed card.
  public init(href: Href, fingerprint: String, mustBeRead: Bool = false) {
    self.href = href
    self.fingerprint = fingerprint
    self.mustBeRead = mustBeRead
  }
}
