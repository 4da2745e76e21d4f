/// One look at an address book: what to ask, what the answers mean, and when a listing is proven whole. No I/O.
///
/// A server whose token is known is asked what changed since (RFC 6578): when that is nothing, that was all. Everything is listed
/// the first time, when the server cannot say, when it does not know the token, when it says that nothing changed although
/// its token did, when a token that is a number went down (a server that was set back to a backup: then every card is read),
/// once a day, and while the book is being changed (``CollectionState/Activity/busy``); where there are no tokens, when the tag of the collection changed.
/// Before a listing the collection itself is asked what it is, and for its token, and where it has none that serves, once more
/// for its tag: a token read *before* a listing misses no change that falls between the two. Where a token is known, everything
/// is listed only after the changes since it: a card that was deleted and made again may have its first ETag, and only the changes
/// name it.
public struct CollectionPass: Sendable {
  /// What the caller does next.
  public enum Directive: Sendable, Equatable {
    /// Send this to the collection, and give the outcome to ``CollectionPass/received(_:)``.
    case send(DAVRequest)
    /// The look is over.
    case finished(Listing)
    /// The look failed. What is stored stays as it is.
    case failed(DAVError)
  }

  /// After this long everything is listed, in nanoseconds: a day.
  static let wholeInterval: Int64 = 86_400 * 1_000_000_000
  /// A server that gives a list in more parts than this is taken to be in a loop.
  static let partLimit = 1000

  private enum Step: Sendable {
    case looking
    case changes(since: String, isRepeat: Bool)
    case listing
  }

  private let place: String
  private let known: CollectionState?
  /// Whether the home of the book has just told the token that is known.
  private let isUnchanged: Bool
  private let now: Int64
  private let members: [DAVProperty]
  private let memberLimit: Int
  private var step: Step
  /// Whether the collection has said what it is.
  private var hasLooked = false
  /// Whether it is asked for its tag, for which some servers read every card: only where no token does.
  private var asksForTag = false
  private var mustList: Bool
  /// Whether a token that is a number went down: what the server holds is from a backup, and a card may have an ETag that is
  /// known with other content.
  private var wasSetBack = false
  /// Whether the server does not know the token any more.
  private var isTokenRefused = false
  /// The answer about changes before everything is listed: its token, and the cards that it named.
  private var told: (token: String, cards: Set<Href>)?
  private var parts = 0
  private var mark = CollectionState.Mark.none
  private var table: MemberTable

  /// Makes a pass.
  ///
  /// - Parameters:
  ///   - place: The address book in words, for errors.
  ///   - collection: Its path.
  ///   - known: The state of the last pass; nil lists everything.
  ///   - now: Nanoseconds since 1970.
  ///   - isWhole: Whether to list everything in any case.
  ///   - wantsETags: Whether a list of everything is to have the ETags.
  ///   - toldToken: The sync token that the home of the book has just told, where it was asked.
  ///   - limits: More members than its responses are refused.
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
    // Also when the clock was set back.
    let isFresh = known.map { $0.listedAt <= now && now - $0.listedAt < Self.wholeInterval } ?? false
    self.mustList = isWhole || !isFresh || known?.activity == .busy
    // Right after a change it is asked itself: some servers count time in whole seconds.
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

  /// The first thing to do.
  public var first: Directive {
    if self.isUnchanged, let known { return .finished(self.listing(.unchanged, state: known)) }
    if case .changes(let token, _) = self.step { return .send(.changes(since: token)) }
    return .send(.propfind(self.ownProperties, depth: 0))
  }

  private var ownProperties: [DAVProperty] {
    [.resourceType, .supportedReports, .supportedAddressData] + (self.told == nil ? [.syncToken] : [])
      + (self.asksForTag ? [.collectionTag] : [])
  }

  /// Takes the outcome of the last request.
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
    // A server may call the collection otherwise than it was asked for: then that is its name.
    let own = reply.responses.first { self.isOwn($0) } ?? (reply.responses.count == 1 ? reply.responses.first : nil)
    guard let own else { return .failed(self.malformed("it says nothing about the address book itself")) }
    if let status = own.status, !(200..<300 ~= status) { return .failed(.status(status, place: self.place)) }
    guard let type = own.properties.resourceType else {
      if let status = own.refused.min(), status > 0 { return .failed(.status(status, place: self.place)) }
      return .failed(self.malformed("it does not tell what kind of resource this is"))
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
    // All are read again, in the new form.
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
      // Debian's Xandikos 0.2 answers 500 to a token that it does not know; it may also be a passing failure.
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
      // The same token again, or no end of parts, would be a loop.
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

  // MARK: Everything

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

  /// The token to keep of one that was told at `now`. SOGo's is the second of the last change, and does not name what changes
  /// later in that second; the token of the second before does.
  static func settled(_ token: String, now: Int64) -> String {
    guard let seconds = UInt32(token).map(Int64.init), abs(seconds - now / 1_000_000_000) < 86_400 else { return token }
    return String(seconds - 1)
  }

  /// Whether two tokens that differ in the number at their ends alone say that time went back.
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

/// What one look at an address book found.
public struct Listing: Sendable, Hashable {
  /// How much was listed.
  public enum Extent: Sendable, Hashable {
    /// Nothing, because nothing has changed.
    case unchanged
    /// What has changed since the last state. What is not listed is as it was.
    case changes
    /// Everything, proven: what is not listed is gone.
    case whole
    /// Something, not proven to be everything: what is not listed may still be there.
    case partial
  }

  /// How much was listed.
  public let extent: Extent
  /// The cards that were listed, each once.
  public let cards: [ListedCard]
  /// The cards that the server says are gone, of ``Extent/changes`` alone. Some were never seen, and mean nothing.
  public let gone: [Href]
  /// What to give to the next pass, once everything listed here is stored; nil: what the last one was given.
  public let state: CollectionState?
  /// The form to read the cards in.
  public let form: CardForm
}

/// A card that a server has, by name.
public struct ListedCard: Sendable, Hashable {
  /// The resource.
  public let href: Href
  /// Changes when the card may have changed. Empty when the server told no ETag, or was not asked for it: then it has
  /// to be read.
  public let fingerprint: String
  /// Whether it has to be read whatever its fingerprint: the server named it as changed, and SOGo gives a card that was deleted
  /// and made again the ETag of the first one; or the server was set back to a backup.
  public internal(set) var mustBeRead: Bool

  /// Makes an entry of a listing.
  public init(href: Href, fingerprint: String, mustBeRead: Bool = false) {
    self.href = href
    self.fingerprint = fingerprint
    self.mustBeRead = mustBeRead
  }
}
