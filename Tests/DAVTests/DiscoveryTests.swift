import DAV
import Testing
import Transfer

@Suite struct DiscoveryTests {
  /// Servers as a table of answers; everything else is 404.
  struct World {
    var answers: [String: DAVReply] = [:]
    var redirects: [String: String] = [:]
    /// Servers that cannot be reached, and why.
    var faults: [String: DAVError] = [:]
    var names: [String: ([ServiceRecord], String?)] = [:]
    private(set) var asked: [String] = []

    mutating func run(_ text: String) throws -> (found: Result<[FoundBook], DAVError>, trail: [DiscoveryStep]) {
      var discovery = Discovery(try AccountAddress(text))
      for _ in 0..<100 {
        switch discovery.next() {
        case .finished(let books): return (.success(books), discovery.trail)
        case .failed(let error): return (.failure(error), discovery.trail)
        case .lookUp(let domain):
          self.asked.append("name \(domain)")
          let (services, path) = self.names[domain] ?? ([], nil)
          discovery.lookedUp(services, path: path)
        case .ask(let request, let url):
          self.asked.append("\(request.depth ?? 9) \(url)")
          let final = try WebURL(self.redirects["\(url)"] ?? "\(url)")
          if let fault = self.faults["\(final)"] {
            discovery.answered(.failure(fault), at: final)
          } else {
            discovery.answered(
              .success(self.answers["\(request.depth ?? 9) \(final)"] ?? DAVReply(status: 404)), at: final)
          }
        }
      }
      Issue.record("discovery has no end")
      return (.failure(.notAnAddress(text)), discovery.trail)
    }

    /// Makes a URL answer with one response.
    mutating func set(_ url: String, depth: Int = 0, _ responses: [DAVResponse]) {
      var reply = DAVReply(status: 207)
      reply.responses = responses
      self.answers["\(depth) \(url)"] = reply
    }
  }

  private static func response(
    _ href: String, _ type: ResourceType = .collection, principal: String? = nil, homes: [String] = [],
    name: String? = nil
  ) -> DAVResponse {
    var response = DAVResponse(href: href)
    response.hasProperties = true
    response.properties.resourceType = type
    response.properties.currentUserPrincipal = principal
    response.properties.homeSet = homes
    response.properties.displayName = name
    return response
  }

  /// An account of Radicale: principal and home are the same.
  private static func radicale() -> World {
    var world = World()
    world.redirects["http://localhost:5232/.well-known/carddav"] = "http://localhost:5232/"
    world.set("http://localhost:5232/", [self.response("/", principal: "/alice/")])
    world.set(
      "http://localhost:5232/alice/",
      [self.response("/alice/", [.collection, .principal], principal: "/alice/", homes: ["/alice/"])])
    world.set(
      "http://localhost:5232/alice/", depth: 1,
      [
        self.response("/alice/", [.collection, .principal]),
        self.response("/alice/book/", [.collection, .addressBook], name: "Friends"),
        self.response("/alice/calendar/"), self.response("/alice/w%c3%b6rk/", [.collection, .addressBook]),
      ])
    world.set(
      "http://localhost:5232/alice/book/",
      [self.response("/alice/book/", [.collection, .addressBook], name: "Friends")])
    return world
  }

  @Test(arguments: ["http://localhost:5232/", "localhost:5232", "http://localhost:5232/alice/", "alice@localhost:5232"])
  func anyAddressOfAnAccountFindsItsBooks(_ text: String) throws {
    var world = Self.radicale()
    let books = try world.run(text).found.get()
    #expect(
      books.map { "\($0.url)" } == ["http://localhost:5232/alice/book/", "http://localhost:5232/alice/w%C3%B6rk/"])
    #expect(books.map(\.name) == ["Friends", "w%C3%B6rk"])
  }

  @Test func theAddressOfABookIsOneRequest() throws {
    var world = Self.radicale()
    let (found, trail) = try world.run("http://localhost:5232/alice/book/")
    #expect(try found.get().map(\.name) == ["Friends"])
    #expect(world.asked == ["0 http://localhost:5232/alice/book/"])
    #expect(trail.map(\.description) == ["http://localhost:5232/alice/book/, what is there: an address book"])
  }

  @Test func theOrderIsGivenWellKnownNameServiceRoot() throws {
    var world = World()
    let (found, trail) = try world.run("https://example.com/dav/x")
    #expect(throws: DAVError.notFound(place: "https://example.com/dav/x")) { try found.get() }
    #expect(
      world.asked == [
        "0 https://example.com/dav/x", "0 https://example.com/.well-known/carddav", "name example.com",
        "0 https://example.com/",
      ])
    #expect(trail.count == 4)
    var mail = World()
    _ = try mail.run(" ann@example.com ")
    #expect(mail.asked == ["0 https://example.com/.well-known/carddav", "name example.com", "0 https://example.com/"])
  }

  @Test func theNameServiceLeadsOn() throws {
    var world = World()
    world.names["example.com"] = (
      [ServiceRecord(priority: 0, weight: 1, port: 8443, target: "dav.example.com")], "/caldav"
    )
    world.set("https://dav.example.com:8443/caldav", [Self.response("/caldav", principal: "/p/")])
    world.set(
      "https://dav.example.com:8443/p/", [Self.response("/p/", homes: ["/h1/", "https://dav.example.com:8443/h2/"])])
    world.set("https://dav.example.com:8443/h1/", depth: 1, [Self.response("/h1/a/", [.addressBook])])
    world.set("https://dav.example.com:8443/h2/", depth: 1, [Self.response("http://inner:80/h2/b/", [.addressBook])])
    let books = try world.run("ann@example.com").found.get()
    #expect(books.map { "\($0.url)" } == ["https://dav.example.com:8443/h1/a/", "https://dav.example.com:8443/h2/b/"])
  }

  /// Neither a forged name nor a forged href gets the password.
  @Test func strangersAreNamedAndNotAsked() throws {
    var world = World()
    world.names["example.com"] = ([ServiceRecord(priority: 0, weight: 1, port: 443, target: "dav.provider.net")], nil)
    let (found, _) = try world.run("ann@example.com")
    #expect(throws: DAVError.elsewhere(place: "example.com", url: "https://dav.provider.net/")) { try found.get() }
    #expect(!world.asked.contains { $0.contains("provider") })

    // Below a domain where anybody can have a host, a forged record may lead to a sister host with a valid certificate.
    var sister = World()
    sister.names["ann.duckdns.org"] = (
      [ServiceRecord(priority: 0, weight: 1, port: 443, target: "evil.duckdns.org")], nil
    )
    #expect(throws: DAVError.elsewhere(place: "ann.duckdns.org", url: "https://evil.duckdns.org/")) {
      try sister.run("ann.duckdns.org").found.get()
    }
    #expect(!sister.asked.contains { $0.contains("evil") })

    var leading = World()
    leading.set("https://example.com/", [Self.response("/", homes: ["https://evil.net/h/"])])
    #expect(throws: DAVError.self) { try leading.run("https://example.com/").found.get() }
    #expect(!leading.asked.contains { $0.contains("evil") })
  }

  @Test func aRedirectToASisterIsAskedAgain() throws {
    var world = World()
    world.redirects["https://example.com/.well-known/carddav"] = "https://dav.example.com/"
    world.answers["0 https://dav.example.com/"] = DAVReply(status: 401)
    var discovery = Discovery(try AccountAddress("example.com"))
    guard case .ask = discovery.next() else {
      Issue.record("nothing asked")
      return
    }
    discovery.answered(.success(DAVReply(status: 401)), at: try WebURL("https://dav.example.com/"))
    guard case .ask(_, let url) = discovery.next() else {
      Issue.record("the sister was not asked")
      return
    }
    #expect("\(url)" == "https://dav.example.com/")
  }

  @Test func aHomeAtASisterIsListedThere() throws {
    let (home, sister) = (try WebURL("https://example.com/home/"), try WebURL("https://dav.example.com/home/"))
    func look(_ again: DAVReply) throws -> Discovery {
      var discovery = Discovery(try AccountAddress("example.com"), homes: [home])
      guard case .ask = discovery.next() else { throw DAVError.notAnAddress("") }
      discovery.answered(.success(DAVReply(status: 401)), at: sister)
      guard case .ask(_, sister) = discovery.next() else { throw DAVError.notAnAddress("") }
      discovery.answered(.success(again), at: sister)
      return discovery
    }
    var list = DAVReply(status: 207)
    list.responses = [Self.response("/home/"), Self.response("/home/book/", [.collection, .addressBook])]
    let whole = try look(list)
    #expect(whole.isWhole && whole.homes == [sister])
    list.end.unreadable = 1
    for reply in [list, DAVReply(status: 401), DAVReply(status: 500)] { #expect(try !look(reply).isWhole) }
    var away = Discovery(try AccountAddress("example.com"), homes: [home])
    _ = away.next()
    away.answered(.success(list), at: try WebURL("https://evil.net/home/"))
    #expect(!away.isWhole && away.homes.isEmpty)
  }

  @Test func homesThatLeadToEachOtherAreNotListed() throws {
    let home = try WebURL("https://example.com/home/"), sister = try WebURL("https://dav.example.com/home/")
    let other = try WebURL("https://example.com/other/")
    var discovery = Discovery(try AccountAddress("example.com"), homes: [home, other])
    for (asked, final) in [(home, sister), (sister, home)] {
      guard case .ask(_, asked) = discovery.next() else { throw DAVError.notAnAddress("\(asked)") }
      discovery.answered(.success(DAVReply(status: 401)), at: final)
    }
    guard case .ask(_, other) = discovery.next() else { throw DAVError.notAnAddress("\(other)") }
    var list = DAVReply(status: 207)
    list.responses = [Self.response("/other/"), Self.response("/other/book/", [.collection, .addressBook])]
    discovery.answered(.success(list), at: other)
    guard case .finished(let books) = discovery.next() else { throw DAVError.noAddressBook(place: "\(other)") }
    #expect(books.count == 1 && discovery.homes == [other] && !discovery.isWhole)
  }

  @Test func aHomeThatLeadsToAListedOneIsListed() throws {
    let home = try WebURL("https://example.com/home/"), sister = try WebURL("https://dav.example.com/home/")
    var discovery = Discovery(try AccountAddress("example.com"), homes: [sister, home])
    var list = DAVReply(status: 207)
    list.responses = [Self.response("/home/"), Self.response("/home/book/", [.collection, .addressBook])]
    _ = discovery.next()
    discovery.answered(.success(list), at: sister)
    _ = discovery.next()
    discovery.answered(.success(list), at: sister)
    guard case .finished = discovery.next() else { throw DAVError.noAddressBook(place: "\(home)") }
    #expect(discovery.isWhole)
  }

  @Test func aWrongPasswordIsSentOnce() throws {
    var world = World()
    world.answers["0 https://example.com/dav/"] = DAVReply(status: 401)
    let (found, _) = try world.run("https://example.com/dav/")
    #expect(throws: DAVError.needsCredentials(place: "https://example.com/dav/")) { try found.get() }
    #expect(world.asked.count == 1)
  }

  @Test func anAccountWithoutBooksSaysSo() throws {
    var world = Self.radicale()
    world.set("http://localhost:5232/alice/", depth: 1, [Self.response("/alice/")])
    let (found, _) = try world.run("http://localhost:5232/")
    #expect(throws: DAVError.noAddressBook(place: "http://localhost:5232/")) { try found.get() }
  }

  @Test func aHomeThatDoesNotSaySoIsListed() throws {
    var world = World()
    world.set("https://example.com/shared/", [Self.response("/shared/", principal: "/p/")])
    world.set(
      "https://example.com/shared/", depth: 1,
      [Self.response("/shared/", .collection), Self.response("/shared/b/", [.addressBook])])
    #expect(
      try world.run("https://example.com/shared/").found.get().map { "\($0.url)" } == ["https://example.com/shared/b/"])
  }

  @Test func theNetworkIsBlamedBeforeTheAddress() throws {
    var world = World()
    let down = DAVError.transfer(.unreachable(try WebURL("https://example.com/").origin))
    for path in ["x", ".well-known/carddav", ""] { world.faults["https://example.com/\(path)"] = down }
    #expect(throws: down) { try world.run("https://example.com/x").found.get() }
  }

  @Test(arguments: ["", "  ", "a b", "ftp://example.com/", "http://"])
  func otherTextsAreNoAddresses(_ text: String) {
    #expect(throws: DAVError.notAnAddress(text)) { try AccountAddress(text) }
  }

  @Test(arguments: [
    ("https://contacts.icloud.com/", "https://p12-contacts.icloud.com/x", true),
    ("https://example.com/", "https://dav.example.com/", true),
    ("https://dav.example.com/", "https://example.com/", true),
    ("https://example.com/", "https://example.com:8443/", true),
    ("https://example.com/", "http://example.com/", false), ("https://example.com/", "https://badexample.com/", false),
    ("https://example.com/", "https://other.com/", false), ("https://example.co.uk/", "https://evil.co.uk/", false),
    ("http://127.0.0.1:5232/", "http://127.0.0.1:5232/x", true),
    ("http://127.0.0.1:5232/", "http://127.0.0.1:5233/", false),
    ("https://10.0.0.1/", "https://11.0.0.1/", false),
  ])
  func families(_ own: String, _ other: String, _ isIncluded: Bool) throws {
    #expect(ServerFamily(of: try WebURL(own)).includes(try WebURL(other)) == isIncluded)
  }
}
