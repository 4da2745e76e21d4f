import TestKit
import Testing
import Transfer

@testable import DAV

@Suite(
  .enabled(if: CardDAVServer.isInstalled, "scripts/python-env.sh installs the servers"), .timeLimit(.minutes(5)),
  .serialized)
struct RealServerTests {
  private static let now: Int64 = 1_700_000_000_000_000_000

  private func list(_ server: CardDAVServer, _ known: CollectionState? = nil) async throws -> Listing {
    try await server.addressBook().list(since: known, now: Self.now).listing
  }

  private func fetch(_ server: CardDAVServer, _ names: [String], _ form: CardForm) async throws -> [String: FetchedCard
    .Outcome]
  {
    var outcomes: [String: FetchedCard.Outcome] = [:]
    let hrefs = names.compactMap { Href(server.book + $0) }
    _ = try await server.addressBook().fetch(hrefs, form: form) { card in
      outcomes[String(card.href.path.split(separator: "/").last ?? "")] = card.outcome
    }.get()
    return outcomes
  }

  private func names(_ listing: Listing) -> [String] {
    listing.cards.map { String($0.href.path.split(separator: "/").last ?? "") }.sorted()
  }

  @Test(arguments: CardDAVServer.Program.allCases)
  func discoveryFindsTheBook(_ program: CardDAVServer.Program) async throws {
    try await CardDAVServer.run(program) { server in
      for path in ["/", server.home, server.book] {
        let account = Account(try AccountAddress("\(try server.url(path))"), client: server.client())
        let (found, trail) = await account.addressBooks()
        let books = try found.get().books
        let friends = try #require(books.first { $0.url.path == server.book }, "\(trail)")
        #expect(friends.name == "Friends & Co")
        #expect(friends.reports.contains("sync-collection"))
        #expect(!friends.isReadOnly)
      }
    }
  }

  /// A batch that was received but not taken is not passed on after a cancellation.
  @Test func aFetchThatIsCancelledDoesNotSucceed() async throws {
    try await CardDAVServer.run(.xandikos) { server in
      let (book, hrefs) = (try server.addressBook(), (0..<250).compactMap { Href(server.book + "c\($0).vcf") })
      for isCancelled in [true, false] {
        let fetch = Task {
          var gone = 0
          let ended = await book.fetch(hrefs, form: .asStored) { card in
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            if card.outcome == .gone { gone += 1 }
          }
          return (ended, gone)
        }
        let (ended, gone) = await fetch.value
        if isCancelled {
          #expect(throws: DAVError.transfer(.cancelled)) { try ended.get() }
          #expect(1..<250 ~= gone)
        } else {
          #expect(try ended.get() == 0)
          #expect(gone == 250)
        }
      }
    }
  }

  /// First listing, no change, changes, deletion, and a refused token.
  @Test(arguments: CardDAVServer.Program.allCases)
  func aBookIsFollowed(_ program: CardDAVServer.Program) async throws {
    try await CardDAVServer.run(program) { server in
      let empty = try await self.list(server)
      #expect(empty.extent == .whole)
      #expect(empty.cards.isEmpty)

      for name in ["a", "b", "c", "sp%20ace%26%C3%BC"] { try await server.put("\(name).vcf", CardDAVServer.card(name)) }
      let first = try await self.list(server, empty.state)
      #expect(self.names(first) == ["a.vcf", "b.vcf", "c.vcf", "sp%20ace%26%C3%BC.vcf"])
      #expect(first.cards.allSatisfy { !$0.fingerprint.isEmpty })

      let cards = try await self.fetch(server, self.names(first), first.form)
      #expect(cards.count == 4)
      for card in first.cards {
        let name = String(card.href.path.split(separator: "/").last ?? "")
        guard case .card(let bytes, let fingerprint)? = cards[name] else {
          Issue.record("\(name) was not read")
          continue
        }
        #expect(fingerprint == card.fingerprint)
        #expect(String(decoding: bytes, as: UTF8.self).contains("BEGIN:VCARD"))
      }

      let before = server.requests
      let unchanged = try await self.list(server, first.state)
      #expect(unchanged.extent == .unchanged)
      #expect(server.requests - before == 1)

      try await server.put("b.vcf", CardDAVServer.card("b", note: "new"))
      try await server.delete("c.vcf")
      try await server.put("d.vcf", CardDAVServer.card("d"))
      let start = server.requests
      let changes = try await self.list(server, first.state)
      #expect(changes.extent == .changes)
      #expect(self.names(changes) == ["b.vcf", "d.vcf"])
      #expect(changes.gone.map(\.path) == [server.book + "c.vcf"])
      #expect(server.requests - start == 1)
      // Two passes in a row found changes: every card is compared once, and then the address book is quiet.
      let compared = try await self.list(server, changes.state)
      #expect(compared.extent == .whole && compared.cards.count == 4)
      #expect(try await self.list(server, compared.state).extent == .unchanged)

      var bad = try #require(first.state)
      bad.mark = .token("http://radicale.org/ns/sync/0000")
      bad.activity = .quiet
      let healed = try await self.list(server, bad)
      #expect(healed.extent == .whole)
      #expect(healed.cards.count == 4)
      #expect(try await self.list(server, healed.state).extent == .unchanged)
    }
  }

  @Test(arguments: CardDAVServer.Program.allCases)
  func aMissingMemberIsGoneAndStopsNothing(_ program: CardDAVServer.Program) async throws {
    try await CardDAVServer.run(program) { server in
      for number in 0..<130 { try await server.put("c\(number).vcf", CardDAVServer.card("c\(number)")) }
      let names = (0..<130).map { "c\($0).vcf" } + ["never.vcf"]
      let before = server.requests
      let cards = try await self.fetch(server, names, .asStored)
      #expect(cards.count == 131)
      #expect(cards["never.vcf"] == .gone)
      #expect(cards.values.filter { if case .card = $0 { true } else { false } }.count == 130)
      #expect(server.requests - before == 2)
    }
  }

  /// Radicale answers 404, Xandikos 207 with a 404 inside: neither means an empty address book.
  @Test(arguments: CardDAVServer.Program.allCases)
  func aMissingBookIsNotEmpty(_ program: CardDAVServer.Program) async throws {
    try await CardDAVServer.run(program) { server in
      let book = try server.addressBook(server.home + "none/")
      await #expect(throws: DAVError.notFound(place: "\(book.url)")) { try await book.list(since: nil, now: Self.now) }
      let home = try server.addressBook(server.home)
      await #expect(throws: DAVError.notAnAddressBook(place: "\(home.url)")) {
        try await home.list(since: nil, now: Self.now)
      }
    }
  }

  @Test func aWrongPasswordIsSaidSo() async throws {
    try await CardDAVServer.run(.radicale) { server in
      let book = try AddressBook(url: try server.url(server.book), client: server.client(password: "wrong"))
      await #expect(throws: DAVError.needsCredentials(place: "\(book.url)")) {
        try await book.list(since: nil, now: Self.now)
      }
      let other = try server.addressBook("/bob/friends/")
      await #expect(throws: DAVError.forbidden(place: "\(other.url)")) {
        try await other.list(since: nil, now: Self.now)
      }
    }
  }

  /// Xandikos keeps the bytes; XML turns its CR LF into LF.
  @Test func cardsArriveAsTheyAre() async throws {
    try await CardDAVServer.run(.xandikos) { server in
      let photo = String(repeating: "QUJD", count: 20_000)
      let card = CardDAVServer.card("é<&>\"'", note: "\\n; photo \(photo)")
      try await server.put("x.vcf", card)
      let cards = try await self.fetch(server, ["x.vcf"], .version3)
      guard case .card(let bytes, _)? = cards["x.vcf"] else {
        Issue.record("the card was not read")
        return
      }
      #expect(bytes == Array(card.utf8.filter { $0 != 13 }))
    }
  }

  /// An error while taking cards stops the requests.
  @Test func whoTakesTheCardsCanStop() async throws {
    struct Enough: Error {}
    try await CardDAVServer.run(.xandikos) { server in
      for number in 0..<5 { try await server.put("c\(number).vcf", CardDAVServer.card("c\(number)")) }
      let hrefs = (0..<5).compactMap { Href(server.book + "c\($0).vcf") }
      var taken = 0
      await #expect(throws: Enough.self) {
        try await server.addressBook().fetch(hrefs, form: .asStored) { (_) throws(Enough) in
          taken += 1
          if taken == 2 { throw Enough() }
        }.get()
      }
      #expect(taken == 2)
      #expect(try await self.fetch(server, ["c0.vcf"], .asStored).count == 1)
    }
  }

  @Test func aServerThatIsDownIsUnreachable() async throws {
    try await CardDAVServer.run(.radicale) { server in
      server.process.stop()
      let book = try server.addressBook()
      let origin = book.url.origin
      await #expect(throws: DAVError.transfer(.refused(origin))) { try await book.list(since: nil, now: Self.now) }
    }
  }
}
