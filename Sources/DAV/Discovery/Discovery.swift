public import Transfer

/// Finds the address books of an account (RFC 6764 section 6). No I/O.
///
/// What was given is asked first; then the well-known path, the name service of the domain, and the root. The first of them
/// that knows the account decides: from there it is principal, home sets, address books. A refusal of the password ends
/// it, because trying on locks accounts out.
public struct Discovery: Sendable {
  /// What the caller does next.
  public enum Directive: Sendable {
    /// Send this to a URL, and give the outcome to ``Discovery/answered(_:at:)``.
    case ask(DAVRequest, WebURL)
    /// Ask the name service, and give the answer to ``Discovery/lookedUp(_:path:)``.
    case lookUp(domain: String)
    /// These are the address books.
    case finished([FoundBook])
    /// There are none to be found; why.
    case failed(DAVError)
  }

  /// What a URL is asked for.
  private enum Role: Sendable {
    case candidate(isGiven: Bool)
    case principal
    case home
    /// The members of what was given, which may be a home set that does not say so.
    case members

    var listsBooks: Bool {
      switch self {
      case .candidate, .principal: false
      case .home, .members: true
      }
    }

    var purpose: String {
      switch self {
      case .candidate: "what is there"
      case .principal: "the account's home"
      case .home: "the home's address books"
      case .members: "the address books below"
      }
    }
  }

  private enum Task: Sendable {
    case ask(WebURL, Role)
    case lookUp(String)
  }

  /// What was tried, and what came back.
  public private(set) var trail: [DiscoveryStep] = []
  private let place: String
  private let family: ServerFamily
  /// What one answer leads to; all of it belongs to one account.
  private var followUps: ArraySlice<Task> = []
  private var candidates: ArraySlice<Task>
  private var current: Task?
  private var visited: Set<String> = []
  private var books: [FoundBook] = []
  /// The collections whose members the books are; none where what was given is a book itself.
  public private(set) var homes: [WebURL] = []
  /// Whether each home could be listed. Otherwise a book that was not found may still be there.
  public private(set) var isWhole = true
  private var hasHome = false
  /// Whether homes that are known are looked at: then their tokens are asked for, and one that fails is the end.
  private var isLook = false
  private var fault: DAVError?

  /// More questions than this are not asked.
  private static let stepLimit = 40

  /// Begins with an address.
  public init(_ address: AccountAddress) {
    self.place = address.url.description
    self.family = ServerFamily(of: address.url)
    self.candidates = address.isURL ? [.ask(address.url, .candidate(isGiven: true))] : []
    for path in ["/.well-known/carddav", "/"] {
      if path == "/", let domain = address.domain { self.candidates.append(.lookUp(domain)) }
      if let url = try? address.url.resolving(path) { self.candidates.append(.ask(url, .candidate(isGiven: false))) }
    }
  }

  /// Begins with homes that were found before: one request each, which also tells the sync tokens of the books.
  public init(_ address: AccountAddress, homes: [WebURL]) {
    self.place = address.url.description
    self.family = ServerFamily(of: address.url)
    self.candidates = []
    self.followUps = homes.map { .ask($0, .home) }[...]
    self.isLook = true
  }

  /// Says what to do now.
  public mutating func next() -> Directive {
    while self.trail.count < Self.stepLimit {
      if let fault = self.fault, fault.endsDiscovery || self.isLook { return .failed(fault) }
      if self.followUps.isEmpty {
        if !self.books.isEmpty { return .finished(self.books) }
        if self.hasHome { return .failed(self.fault ?? .noAddressBook(place: self.place)) }
      }
      guard let task = self.followUps.popFirst() ?? self.candidates.popFirst() else { break }
      self.current = task
      switch task {
      case .lookUp(let domain): return .lookUp(domain: domain)
      case .ask(let url, let role):
        let isNew = self.visited.insert(Self.question(role, url)).inserted
        if isNew { return .ask(self.request(role), url) }
      }
    }
    return self.books.isEmpty ? .failed(self.fault ?? .notAnAddressBook(place: self.place)) : .finished(self.books)
  }

  /// Takes the answer of the name service.
  public mutating func lookedUp(_ services: [ServiceRecord], path: String?) {
    guard case .lookUp(let domain)? = self.current else { return }
    let asked = "name service, _carddavs._tcp.\(domain)"
    guard !services.isEmpty else { return self.step(asked, "names no server") }
    self.step(asked, "names " + services.map { "\($0.target):\($0.port)" }.joined(separator: ", "))
    var found: [Task] = []
    for service in services {
      guard let server = try? WebURL("https://\(service.target):\(service.port)/"),
        let url = try? server.resolving(path ?? "/.well-known/carddav")
      else { continue }
      // Names are not signed: whoever forges one gets nothing but what the person's own domain would get (RFC 6764 section 8).
      if self.family.holds(url) {
        found.append(.ask(url, .candidate(isGiven: false)))
      } else {
        self.note(.elsewhere(place: domain, url: server.description))
      }
    }
    self.candidates = found[...] + self.candidates
  }

  /// Takes the outcome of a request.
  ///
  /// - Parameter final: The URL that answered, after redirects.
  public mutating func answered(_ outcome: Result<DAVReply, DAVError>, at final: WebURL) {
    guard case .ask(let url, let role)? = self.current else { return }
    let asked = "\(url), \(role.purpose)"
    switch outcome {
    case .failure(let error):
      self.note(error)
      self.fail(role)
      self.step(asked, "\(error)")
    // What strangers say of the account counts for nothing, and their addresses would get the password next.
    case .success(let reply) where final.origin != url.origin && (reply.status == 401 || !self.family.includes(final)):
      self.movedAway(from: url, to: final, role, asked)
    case .success(let reply) where reply.status == 207:
      if role.listsBooks, reply.end.unreadable == 0 { self.homes.append(url) } else { self.fail(role) }
      let isMoved = final != url
      let answer = self.read(reply, at: final, role)
      self.step(asked, (isMoved ? "leads to \(final), " : "") + answer)
    case .success(let reply):
      self.note(.status(reply.status, place: url.description, retryAfter: reply.retryAfter))
      self.fail(role)
      self.step(asked, "status \(reply.status)")
    }
  }

  // MARK: Answers

  /// A redirect to another server goes on without the password; it is asked again by itself where it may have that. One that was
  /// asked before is not: servers that lead to each other list no home.
  private mutating func movedAway(from url: WebURL, to final: WebURL, _ role: Role, _ asked: String) {
    if self.family.includes(final) {
      self.step(asked, "leads to \(final)")
      self.followUps = [.ask(final, role)] + self.followUps
      if self.visited.contains(Self.question(role, final)), !self.homes.contains(final) { self.fail(role) }
    } else {
      self.note(.elsewhere(place: url.description, url: final.description))
      self.fail(role)
      self.step(asked, "leads to another server, \(final.origin.host)")
    }
  }

  /// A question has no answer: where it was for the books of a home, one that is not found may still be there.
  private mutating func fail(_ role: Role) { if role.listsBooks { self.isWhole = false } }

  private mutating func read(_ reply: DAVReply, at url: WebURL, _ role: Role) -> String {
    switch role {
    case .home, .members: return self.readMembers(reply, at: url, role)
    case .candidate, .principal: break
    }
    let name = Href(url.path)
    let own = reply.responses.first { Href($0.href, in: name) == name } ?? reply.responses.first
    guard let own, own.hasProperties else {
      let status = own?.status ?? own?.refused.min() ?? 0
      self.note(.status(status == 0 ? 404 : status, place: url.description))
      return "says nothing about it (status \(status))"
    }
    let properties = own.properties
    if properties.resourceType?.contains(.addressBook) == true {
      self.add(FoundBook(url: url, properties: properties))
      return "an address book"
    }
    let homes = self.references(properties.homeSet, at: url)
    if !homes.isEmpty {
      self.followUps += homes.map { .ask($0, .home) }
      return "the home of the account is " + homes.map { "\($0)" }.joined(separator: ", ")
    }
    var answers: [String] = []
    if case .candidate(isGiven: true) = role, properties.resourceType?.contains(.collection) == true, url.path != "/" {
      self.followUps.append(.ask(url, .members))
      answers.append("a collection")
    }
    if case .candidate = role {
      let principals = [properties.currentUserPrincipal, properties.principalURL].compactMap { $0 }
      if let principal = self.references(principals, at: url).first {
        self.followUps.append(.ask(principal, .principal))
        answers.append("the account is \(principal)")
      }
    }
    return answers.isEmpty ? "no account and no address book" : answers.joined(separator: "; ")
  }

  private mutating func readMembers(_ reply: DAVReply, at url: WebURL, _ role: Role) -> String {
    if case .home = role { self.hasHome = true }
    guard let name = Href(url.path) else { return "no address book" }
    var count = 0
    for response in reply.responses where response.properties.resourceType?.contains(.addressBook) == true {
      // Members are asked for at the server that listed them, whatever name a proxy gave it.
      guard let href = Href(response.href, in: name),
        let book = try? url.resolving(href.path + (response.href.hasSuffix("/") ? "/" : ""))
      else { continue }
      self.add(FoundBook(url: book, properties: response.properties))
      count += 1
    }
    return count == 0 ? "no address book" : "\(count) address book\(count == 1 ? "" : "s")"
  }

  /// The URLs that hrefs lead to, without those of strangers.
  private mutating func references(_ hrefs: [String], at url: WebURL) -> [WebURL] {
    hrefs.compactMap { href in
      guard let target = try? url.resolving(href) else { return nil }
      if self.family.includes(target) { return target }
      self.note(.elsewhere(place: url.description, url: target.description))
      return nil
    }
  }

  private mutating func add(_ book: FoundBook) {
    if !self.books.contains(where: { $0.url == book.url }) { self.books.append(book) }
  }

  private mutating func step(_ asked: String, _ answer: String) {
    self.trail.append(DiscoveryStep(asked: asked, answer: answer))
  }

  /// Keeps the error that tells a person most.
  private mutating func note(_ error: DAVError) {
    if error.discoveryRank > (self.fault?.discoveryRank ?? 0) { self.fault = error }
  }

  private static func question(_ role: Role, _ url: WebURL) -> String { "\(role.purpose) \(url)" }

  private func request(_ role: Role) -> DAVRequest {
    role.listsBooks
      ? .propfind(self.isLook ? DAVProperty.ofKnownBooks : DAVProperty.ofBooks, depth: 1)
      : .propfind(DAVProperty.ofAnything, depth: 0)
  }
}

extension DAVError {
  /// Whether to try no further: the server knows the account and does not let it in.
  fileprivate var endsDiscovery: Bool {
    switch self {
    case .needsCredentials, .rateLimited, .transfer(.cancelled): true
    default: false
    }
  }

  /// How much an error says of why there is no address book.
  fileprivate var discoveryRank: Int {
    switch self {
    case .needsCredentials, .rateLimited, .transfer(.cancelled): 6
    case .elsewhere: 5
    case .transfer: 4
    case .unavailable: 3
    case .forbidden, .malformed, .tooLarge: 2
    default: 1
    }
  }
}

/// An address book that discovery found.
public struct FoundBook: Sendable, Hashable {
  /// Where it is.
  public let url: WebURL
  /// Its name, or the last part of its path where it has none.
  public let name: String
  /// Whether it has a name of its own.
  public let hasName: Bool
  /// What its owner wrote of it.
  public let description: String
  /// Whether cards cannot be written there.
  public let isReadOnly: Bool
  /// The reports it answers, such as `sync-collection`.
  public let reports: Set<String>
  /// The versions of vCard it gives, where it says.
  public let cardVersions: Set<String>
  /// Its sync token, where it was asked for: in a look at a home that is known.
  public let syncToken: String?

  init(url: WebURL, properties: DAVProperties) {
    self.url = url
    let last = url.path.split(separator: "/").last.map(String.init) ?? url.origin.host
    self.hasName = properties.displayName?.isEmpty == false
    self.name = properties.displayName.flatMap { $0.isEmpty ? nil : $0 } ?? last
    self.description = properties.description ?? ""
    self.isReadOnly = properties.isReadOnly
    self.reports = properties.reports ?? []
    self.cardVersions = properties.cardVersions ?? []
    self.syncToken = properties.syncToken
  }
}

/// One thing that discovery tried, in words for a person whose account is not found.
public struct DiscoveryStep: Sendable, Hashable, CustomStringConvertible {
  /// What was asked, and for what.
  public let asked: String
  /// What came back.
  public let answer: String

  /// Both, as a line.
  public var description: String { "\(self.asked): \(self.answer)" }
}
