import DAV
import TestKit
import Testing
import Transfer

@Suite struct CollectionPassTests {
  static let day: Int64 = 86_400 * 1_000_000_000
  static let start: Int64 = 1_700_000_000_000_000_000

  /// The result of a pass after handwritten answers.
  func meet(_ pass: CollectionPass, _ answers: [Result<DAVReply, DAVError>]) -> CollectionPass.Directive {
    var pass = pass
    var directive = pass.first
    for answer in answers {
      guard case .send = directive else { return directive }
      directive = pass.received(answer)
    }
    return directive
  }

  func reply(_ document: String) throws -> DAVReply {
    let reading = try Reading(document)
    var reply = DAVReply(status: 207)
    reply.responses = reading.responses
    reply.end = reading.end
    return reply
  }

  func book(_ change: (inout DAVResponse) -> Void = { _ in }) -> DAVReply {
    var own = DAVResponse(href: "/alice/book/")
    own.hasProperties = true
    own.properties.resourceType = [.collection, .addressBook]
    own.properties.reports = ["sync-collection"]
    own.properties.syncToken = "t2"
    change(&own)
    var reply = DAVReply(status: 207)
    reply.responses = [own]
    return reply
  }

  let known = CollectionState(mark: .token("t1"), listedAt: start - day / 2, form: .asStored)

  // MARK: What is an address book

  @Test func aBookThatIsNotThereIsNotEmpty() throws {
    for answer in [DAVReply(status: 404), try self.reply(Dialects.xandikosMissing)] {
      #expect(self.meet(pass(), [.success(answer)]) == .failed(.notFound(place: "the book")))
      // A server that refuses to report changes is asked for the collection itself.
      let refusal = DAVReply(status: 404)
      #expect(
        self.meet(pass(self.known), [.success(refusal), .success(answer)]) == .failed(.notFound(place: "the book")))
    }
    let inner = self.book {
      $0.hasProperties = false
      $0.properties = DAVProperties()
      $0.refused = [404]
    }
    #expect(self.meet(pass(), [.success(inner)]) == .failed(.notFound(place: "the book")))
  }

  @Test func whatIsNoBookIsNoEmptyBook() {
    let folder = self.book { $0.properties.resourceType = [.collection] }
    #expect(self.meet(pass(), [.success(folder)]) == .failed(.notAnAddressBook(place: "the book")))
    var nothing = DAVReply(status: 207)
    guard case .failed(.malformed) = self.meet(pass(), [.success(nothing)]) else {
      Issue.record("an answer without responses was used")
      return
    }
    nothing.status = 200
    #expect(self.meet(pass(), [.success(nothing)]) == .failed(.notAnAddressBook(place: "the book")))
  }

  @Test(arguments: [
    (401, DAVError.needsCredentials(place: "the book")), (403, .forbidden(place: "the book")),
    (410, .notFound(place: "the book")), (405, .notAnAddressBook(place: "the book")),
    (429, .rateLimited(place: "the book", retryAfter: 30)),
    (503, .unavailable(place: "the book", status: 503, retryAfter: 30)),
    (415, .refused(place: "the book", status: 415)),
  ])
  func refusalsAreTyped(_ status: Int, _ error: DAVError) {
    #expect(self.meet(pass(), [.success(DAVReply(status: status, retryAfter: 30))]) == .failed(error))
  }

  // MARK: How much is asked

  @Test func nothingChangedIsOneRequest() throws {
    var server = ModelServer()
    server.put("a")
    let first = try run(pass(), &server).get()
    #expect(first.extent == .whole)
    #expect(server.requests == 2)
    #expect(server.tags == 0)
    let second = try run(pass(first.state, now: Self.start + Self.day - 1), &server).get()
    #expect(second.extent == .unchanged)
    #expect(second.state == first.state)
    #expect(second.cards.isEmpty)
    #expect(server.requests == 3)
  }

  @Test func tagsServeWhereThereAreNoTokens() throws {
    var server = ModelServer()
    server.faults.lacksTokens = true
    server.put("a")
    let first = try run(pass(), &server).get()
    #expect(first.state?.mark == .tag("\"1\""))
    #expect(server.requests == 3)
    #expect(try run(pass(first.state), &server).get().extent == .unchanged)
    #expect(server.requests == 4)
    server.put("b")
    #expect(try run(pass(first.state), &server).get().extent == .whole)
  }

  @Test func tokensServeWithoutTheReport() throws {
    var server = ModelServer()
    server.faults.lacksSync = true
    let first = try run(pass(), &server).get()
    #expect(try run(pass(first.state), &server).get().extent == .unchanged)
    server.put("b")
    #expect(try run(pass(first.state), &server).get().extent == .whole)
  }

  @Test func changesAreListedAlone() throws {
    var server = ModelServer()
    for name in ["a", "b", "c"] { server.put(name) }
    let first = try run(pass(), &server).get()
    server.put("b")
    server.delete("c")
    let second = try run(pass(first.state), &server).get()
    #expect(second.extent == .changes)
    #expect(second.cards == [ListedCard(href: path("/alice/book/b"), fingerprint: "\"4\"", mustBeRead: true)])
    #expect(second.gone == [path("/alice/book/c")])
    let state = CollectionState(
      mark: .token(server.token(5)), listedAt: Self.start, form: .asStored, activity: .changed)
    #expect(second.state == state)
  }

  @Test func everythingIsListedEachDayAndOnDemandAndWhenTheClockWentBack() throws {
    var server = ModelServer()
    server.put("a")
    let first = try run(pass(), &server).get()
    for pass in [
      pass(first.state, now: Self.start + Self.day), pass(first.state, now: Self.start - 1),
      pass(first.state, isWhole: true),
    ] { #expect(try run(pass, &server).get().extent == .whole) }
    #expect(
      try run(pass(first.state, now: Self.start + Self.day - 1), &server).get().extent == .unchanged)
  }

  // MARK: Changes that are committed late

  /// DAViCal numbers a change before it commits it: a token may come before a change that is not visible yet.
  @Test func aChangeThatIsCommittedLateIsFoundWithinADay() throws {
    var server = ModelServer()
    server.put("a")
    let first = try run(pass(), &server).get()
    server.begin("b")
    server.put("c")
    let second = try run(pass(first.state), &server).get()
    #expect(second.cards.map(\.href.name) == ["c"])
    server.commit()
    let third = try run(pass(second.state, now: Self.start + 1), &server).get()
    #expect(third.extent == .unchanged)
    let last = try run(pass(third.state, now: Self.start + Self.day), &server).get()
    #expect(last.extent == .whole && last.cards.map(\.href.name) == ["a", "b", "c"])
  }

  @Test func aBookThatIsBeingChangedIsComparedUntilItIsQuiet() throws {
    var server = ModelServer()
    server.put("a")
    var state = try run(pass(), &server).get().state
    for name in ["b", "c", "d"] {
      server.begin("late-\(name)")
      server.put(name)
      state = try run(pass(state), &server).get().state
      #expect(state?.activity == (name == "b" ? .changed : .busy))
      server.commit()
    }
    let quiet = try run(pass(state), &server).get()
    #expect(quiet.extent == .whole && quiet.cards.count == 7)
    #expect(quiet.state?.activity == .quiet)
    let requests = server.requests
    #expect(try run(pass(quiet.state), &server).get().extent == .unchanged)
    #expect(server.requests - requests == 1)
  }

  /// SOGo's ETags count the versions of a card, starting again for a card that was deleted and created again.
  @Test func aCardThatWasMadeAgainIsNamedAlsoWhereEverythingIsListed() throws {
    var server = ModelServer()
    server.faults.repeatsTags = true
    for name in ["a", "b"] { server.put(name) }
    let first = try run(pass(), &server).get()
    server.delete("b")
    server.put("b")
    let busy = first.state.map { CollectionState(mark: $0.mark, listedAt: $0.listedAt, form: $0.form, activity: .busy) }
    for again in [pass(busy), pass(first.state, now: Self.start + Self.day), pass(first.state, isWhole: true)] {
      let listing = try run(again, &server).get()
      #expect(listing.extent == .whole && listing.cards.map(\.fingerprint) == ["\"1\"", "\"1\""])
      #expect(listing.cards.filter(\.mustBeRead).map(\.href.name) == ["b"])
      #expect(listing.state?.mark == .token(server.token(4)))
    }
  }

  @Test func aChangeNowAndThenCostsNoListing() throws {
    var server = ModelServer()
    var state = try run(pass(), &server).get().state
    for number in 0..<5 {
      server.put("c\(number)")
      let changed = try run(pass(state), &server).get()
      #expect(changed.extent == .changes)
      let quiet = try run(pass(changed.state), &server).get()
      #expect(quiet.extent == .unchanged && quiet.state?.activity == .quiet)
      state = quiet.state
    }
  }

  // MARK: Proof

  func listing(_ list: DAVReply) throws -> Listing {
    guard case .finished(let listing) = self.meet(pass(), [.success(self.book()), .success(list)]) else {
      throw DAVError.notFound(place: "no listing")
    }
    return listing
  }

  func member(_ href: String, _ change: (inout DAVResponse) -> Void = { _ in }) -> DAVResponse {
    var member = DAVResponse(href: href)
    member.hasProperties = true
    member.properties.entityTag = "\"e\""
    change(&member)
    return member
  }

  @Test func onlyAProvenListingIsWhole() throws {
    var list = self.book()
    list.responses.append(self.member("/alice/book/a"))
    #expect(try self.listing(list).extent == .whole)

    var headless = list
    headless.responses.removeFirst()
    var cut = list
    cut.responses.append(DAVResponse(href: "/alice/book/", status: 507))
    var unread = list
    unread.end.unreadable = 1
    var folder = list
    folder.responses[0].properties.resourceType = [.collection]
    for reply in [headless, cut, unread, folder] {
      let listing = try self.listing(reply)
      #expect(listing.extent == .partial)
      #expect(listing.cards.count == 1)
      #expect(listing.state == nil)
    }
  }

  @Test func listingsThatFailAreNone() {
    for status in [401, 403, 404, 500, 200] {
      guard case .failed = self.meet(pass(), [.success(self.book()), .success(DAVReply(status: status))]) else {
        Issue.record("status \(status) was a listing")
        continue
      }
    }
    #expect(
      self.meet(pass(), [.success(self.book()), .failure(.malformed(place: "", what: ""))])
        == .failed(.malformed(place: "", what: "")))
  }

  @Test func tagsAreAskedForWhereTheyTellSomething() throws {
    func asksForETags(_ directive: CollectionPass.Directive) throws -> Bool {
      guard case .send(let request) = directive else { throw DAVError.malformed(place: "", what: "nothing was sent") }
      return String(decoding: request.body, as: UTF8.self).contains("getetag")
    }
    for wantsETags in [true, false] {
      var whole = pass(wantsETags: wantsETags)
      #expect(try asksForETags(whole.received(.success(self.book()))) == wantsETags)
      // Changed cards always come with their ETags.
      #expect(try asksForETags(pass(self.known, wantsETags: wantsETags).first))
    }
  }
}
