import DAV
import TestKit
import Testing

/// A server that keeps an address book in memory and answers requests as values, with the faults that real ones have.
struct ModelServer {
  /// What it does otherwise than it should.
  struct Faults {
    /// Tokens go up by one and can be compared; otherwise they say nothing.
    var countsTokens = false
    var lacksSync = false
    var lacksTokens = false
    /// The status for a token that it does not know.
    var refusal = 403
    var hidesRefused = false
    /// Gives changes in parts of so many, with 507.
    var partSize: Int?
    /// Names cards that were deleted earlier.
    var namesTheForgotten = false
    /// Counts the versions of each card for its ETag, and begins again where a card is deleted and made again.
    var repeatsTags = false
  }

  static let book = path("/alice/book/")
  var faults = Faults()
  /// What each card says.
  private(set) var cards: [String: Int] = [:]
  /// How often each was written.
  private var writes: [String: Int] = [:]
  private(set) var version = 0
  private var history: [(version: Int, name: String)] = []
  /// Tokens below this are forgotten.
  var oldest = 0
  private(set) var requests = 0
  /// How often it was asked for its tag.
  private(set) var tags = 0
  /// Of the last write; never goes back, so that no two contents have one ETag.
  private var serial = 0
  private var begun: [String: Int] = [:]

  mutating func put(_ name: String) {
    self.version += 1
    self.serial += 1
    self.cards[name] = self.serial
    self.writes[name, default: 0] += 1
    self.history.append((self.version, name))
  }

  /// Changes a card in a way that has its number already, and that nobody sees before ``commit()``.
  mutating func begin(_ name: String) {
    self.version += 1
    self.serial += 1
    self.begun[name] = self.serial
  }

  /// Shows what was begun. The token stays.
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

  /// Goes back to how it was: a backup.
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

/// A pass over the book of a model server.
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
