import DAV
import TestKit
import Testing

/// A server that keeps an address book in memory and answers requests as values, with the faults of real servers.
struct ModelServer {
  /// How it deviates from the standards.
  struct Faults {
    /// Tokens are consecutive numbers; otherwise they are opaque.
    var countsTokens = false
    var lacksSync = false
    var lacksTokens = false
    /// The status for an unknown token.
    var refusal = 403
    var hidesRefused = false
    /// Sends changes in parts of this size, with 507.
    var partSize: Int?
    /// Names cards that were deleted earlier.
    var namesTheForgotten = false
    /// Counts the versions of each card for its ETag, starting again if a card is deleted and created again.
    var repeatsTags = false
  }

  static let book = path("/alice/book/")
  var faults = Faults()
  /// The content of each card.
  private(set) var cards: [String: Int] = [:]
  /// How often each card was written.
  private var writes: [String: Int] = [:]
  private(set) var version = 0
  private var history: [(version: Int, name: String)] = []
  /// Tokens below this are forgotten.
  var oldest = 0
  private(set) var requests = 0
  /// How often the tag was requested.
  private(set) var tags = 0
  /// The number of the last write; it never decreases, so that no two contents have one ETag.
  private var serial = 0
  private var begun: [String: Int] = [:]

  mutating func put(_ name: String) {
    self.version += 1
    self.serial += 1
    self.cards[name] = self.serial
    self.writes[name, default: 0] += 1
    self.history.append((self.version, name))
  }

  /// Changes a card; the change has its number already, but is invisible before ``commit()``.
  mutating func begin(_ name: String) {
    self.version += 1
    self.serial += 1
    self.begun[name] = self.serial
  }

  /// Makes begun changes visible. The token stays the same.
  mutating func commit() {
    self.cards.merge(self.begun) { $1 }
    self.begun = [:]
  }

  mutating func delete(_ name: String) {
    guard self.cards.removeValue(forKey: name) != nil else { return }
    self.writes[name] = nil
    self.version += 1
    self.history.append((self.version, name))
  }

  /// Restores a backup.
  mutating func restore(_ backup: ModelServer) {
    let (faults, serial) = (self.faults, self.serial)
    self = backup
    self.faults = faults
    self.serial = serial
  }

  /// The ETag of a card.
  func tag(_ name: String) -> String? {
    (self.faults.repeatsTags ? self.writes[name] : self.cards[name]).map { "\"\($0)\"" }
  }

  func token(_ version: Int) -> String { self.faults.countsTokens ? "http://model/sync/\(version)" : "t-\(version)-x" }

  private func version(of token: String) -> Int? {
    token.split { !$0.isNumber }.last.flatMap { Int($0) }
  }

  mutating func answer(_ request: DAVRequest) -> DAVReply {
    self.requests += 1
    let body = String(decoding: request.body, as: UTF8.self)
    if body.contains("sync-collection") { return self.changes(body) }
    var reply = DAVReply(status: 207)
    reply.responses = [self.own(hasTag: body.contains("getctag"))]
    if request.depth == 1 {
      let hasTags = body.contains("getetag")
      reply.responses += self.cards.keys.sorted().map { self.member($0, hasTag: hasTags) }
    }
    return reply
  }

  private mutating func own(hasTag: Bool) -> DAVResponse {
    var own = DAVResponse(href: "/alice/book/")
    own.hasProperties = true
    own.properties.resourceType = [.collection, .addressBook]
    own.properties.reports = self.faults.lacksSync ? [] : ["sync-collection"]
    if !self.faults.lacksTokens { own.properties.syncToken = self.token(self.version) }
    if hasTag {
      self.tags += 1
      own.properties.collectionTag = "\"\(self.version)\""
    }
    return own
  }

  private func member(_ name: String, hasTag: Bool) -> DAVResponse {
    guard let tag = self.tag(name) else { return DAVResponse(href: "/alice/book/\(name)", status: 404) }
    var member = DAVResponse(href: "/alice/book/\(name)")
    member.hasProperties = true
    member.properties.resourceType = []
    if hasTag { member.properties.entityTag = tag }
    return member
  }

  private func changes(_ body: String) -> DAVReply {
    let open = body.split(separator: "<d:sync-token>").dropFirst().first ?? ""
    let token = String(open.split(separator: "</d:sync-token>").first ?? "")
    guard let since = self.version(of: token), since >= self.oldest, since <= self.version || self.faults.hidesRefused
    else {
      var refusal = DAVReply(status: self.faults.refusal)
      if !self.faults.hidesRefused { refusal.end.conditions = [.validSyncToken] }
      return refusal
    }
    var reply = DAVReply(status: 207)
    var changed: [String: Int] = [:]
    for change in self.history where change.version > since { changed[change.name] = change.version }
    var ordered = changed.sorted { $0.value < $1.value }
    var reached = self.version
    if let size = self.faults.partSize, ordered.count > size {
      ordered = Array(ordered.prefix(size))
      reached = ordered.last?.value ?? since
      reply.responses.append(DAVResponse(href: "/alice/book/", status: 507))
    }
    let hasTags = body.contains("getetag")
    reply.responses += ordered.map { self.member($0.key, hasTag: hasTags) }
    if self.faults.namesTheForgotten {
      reply.responses.append(DAVResponse(href: "/alice/book/never-seen", status: 404))
    }
    reply.end.syncToken = self.token(reached)
    return reply
  }
}

/// A pass over the address book of a model server.
func pass(
  _ known: CollectionState? = nil, now: Int64 = CollectionPassTests.start, isWhole: Bool = false,
  wantsETags: Bool = true
) -> CollectionPass {
  CollectionPass(
    place: "the book", collection: ModelServer.book, known: known, now: now, isWhole: isWhole, wantsETags: wantsETags)
}

/// Carries out a pass to its end.
func run(_ pass: CollectionPass, _ server: inout ModelServer) -> Result<Listing, DAVError> {
  var pass = pass
  var directive = pass.first
  for _ in 0..<2000 {
    switch directive {
    case .send(let request): directive = pass.received(.success(server.answer(request)))
    case .finished(let listing): return .success(listing)
    case .failed(let error): return .failure(error)
    }
  }
  Issue.record("the pass has no end")
  return .failure(.notFound(place: ""))
}
