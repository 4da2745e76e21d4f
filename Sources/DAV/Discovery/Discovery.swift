public import Transfer

/// Finds the address books of an account (RFC 6764 section 6). No I/O.
///
/// The typed URL is asked first, then the well-known path, the domain's DNS records, and the root. The first of them
/// that knows the account decides; from there discovery goes to the principal, its home sets, and their address books.
/// A refused password ends discovery, because further tries could lock the account.
///
/// ```swift
/// var discovery = Discovery(try AccountAddress("https://example.com"))
/// if case .ask(let request, let url) = discovery.next() {
///   discovery.answered(await send(request, to: url), at: url)
/// }
/// ```
public struct Discovery: Sendable {
  /// What the caller does next.
  public enum Directive: Sendable {
    /// Send this request to a URL, and pass the outcome to ``Discovery/answered(_:at:)``.
    case ask(DAVRequest, WebURL)
    /// Look up the domain in DNS, and pass the answer to ``Discovery/lookedUp(_:path:)``.
    case lookUp(domain: String)
    /// Discovery is over, with these address books.
    case finished([FoundBook])
    /// Discovery is over, without address books.
    case failed(DAVError)
  }

  /// Why a URL is asked.
  private enum Role: Sendable {
    case candidate(isGiven: Bool)
    case principal
    case home
    /// To list the members of the typed URL, which may be a home set that does not say so.
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

  /// The requests so far, with their answers.
  public private(set) var trail: [DiscoveryStep] = []
  private let place: String
  private let family: ServerFamily
  /// The requests that one answer leads to; all belong to one account.
  private var followUps: ArraySlice<Task> = []
  private var candidates: ArraySlice<Task>
  private var current: Task?
  private var visited: Set<String> = []
  private var books: [FoundBook] = []
  /// The homes, whose members the address books are; empty if the typed URL is an address book itself.
  public private(set) var homes: [WebURL] = []
  /// True if each home could be listed. Otherwise an address book that was not found may still exist.
  public private(set) var isWhole = true
  private var hasHome = false
  /// True if known homes are listed again: sync tokens are requested, and the first failure ends discovery.
  private var isLook = false
  private var fault: DAVError?

  /// The limit on requests.
  private static let stepLimit = 40

  /// Starts at an address.
  public init(_ address: AccountAddress) {
    self.place = address.url.description
    self.family = ServerFamily(of: address.url)
    self.candidates = address.isURL ? [.ask(address.url, .candidate(isGiven: true))] : []
    for path in ["/.well-known/carddav", "/"] {
      if path == "/", let domain = address.domain { self.candidates.append(.lookUp(domain)) }
      if let url = try? address.url.resolving(path) { self.candidates.append(.ask(url, .candidate(isGiven: false))) }
    }
  }

  /// Starts at homes that were found before: one request each, which also returns the address books' sync tokens.
  public init(_ address: AccountAddress, homes: [WebURL]) {
    self.place = address.url.description
    self.family = ServerFamily(of: address.url)
    self.candidates = []
    self.followUps = homes.map { .ask($0, .home) }[...]
    self.isLook = true
  }

  /// Returns what to do next.
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

  /// Handles the answer of DNS.
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
      // DNS answers are not signed: a forged one leads only to a server of the typed domain's own family (RFC 6764
      // section 8).
      if self.family.holds(url) {
        found.append(.ask(url, .candidate(isGiven: false)))
      } else {
        self.note(.elsewhere(place: domain, url: server.description))
      }
    }
    self.candidates = found[...] + self.candidates
  }

  /// Handles the outcome of a request.
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
    // The answer of a server outside the family is ignored: addresses in it would get the password next.
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

  /// Follows a redirect to another server without the password; that server is asked again by itself if it may have the
  /// password. A server that was asked before is not asked again: servers that redirect to each other list no home.
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

  /// Notes that a request failed: if it was to list a home, an address book that is not found may still exist.
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
      // Members are requested from the server that listed them, whatever name a proxy gave it.
      guard let href = Href(response.href, in: name),
        let book = try? url.resolving(href.path + (response.href.hasSuffix("/") ? "/" : ""))
      else { continue }
      self.add(FoundBook(url: book, properties: response.properties))
      count += 1
    }
    return count == 0 ? "no address book" : "\(count) address book\(count == 1 ? "" : "s")"
  }

  /// The URLs of hrefs, without those of servers outside the family.
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

  /// Keeps the error that explains most.
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
  /// True if discovery must stop: the server knows the account and refuses it.
  fileprivate var endsDiscovery: Bool {
    switch self {
    case .needsCredentials, .rateLimited, .transfer(.cancelled): true
    default: false
    }
  }

  /// How well an error explains why there is no address book.
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
///
/// ```swift
/// for book in try found.get().books where !book.isReadOnly { print(book.name, book.url) }
/// ```
public struct FoundBook: Sendable, Hashable {
  /// Where it is.
  public let url: WebURL
  /// The name, or the last part of the path if it has no name.
  public let name: String
  /// True if the address book has a name of its own.
  public let hasName: Bool
  /// The description that the owner wrote.
  public let description: String
  /// True if cards cannot be written.
  public let isReadOnly: Bool
  /// The reports that it supports, such as `sync-collection`.
  public let reports: Set<String>
  /// The versions of vCard that it offers; empty if the server does not list them.
  public let cardVersions: Set<String>
  /// The sync token; only when a known home is listed again.
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

/// One request of discovery with its answer, in words for a person whose account is not found.
///
/// ```swift
/// for step in trail { print(step) }
/// ```
public struct DiscoveryStep: Sendable, Hashable, CustomStringConvertible {
  /// What was requested, and why.
  public let asked: String
  /// What the server answered.
  public let answer: String

  /// Both as one line.
  public var description: String { "\(self.asked): \(self.answer)" }
}
