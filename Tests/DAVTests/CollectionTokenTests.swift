import DAV
import TestKit
import Testing
import Transfer

/// Which sync tokens are trusted.
extension CollectionPassTests {
  @Test(arguments: [403, 404, 409, 410, 412, 405, 501])
  func aRefusedTokenLeadsToEverything(_ status: Int) throws {
    var server = ModelServer()
    server.faults.refusal = status
    server.put("a")
    let first = try run(pass(), &server).get()
    server.put("b")
    server.oldest = 2
    let requests = server.requests
    let second = try run(pass(first.state), &server).get()
    #expect(second.extent == .whole)
    #expect(second.cards.count == 2)
    #expect(second.state?.mark == .token(server.token(2)))
    #expect(server.requests - requests == (status == 501 ? 4 : 3))
  }

  @Test(arguments: [400, 500, 502])
  func aFailureIsRepeatedOnce(_ status: Int) {
    let failure = Result<DAVReply, DAVError>.success(DAVReply(status: status))
    guard case .send(let again) = self.meet(pass(self.known), [failure]) else {
      Issue.record("no second try")
      return
    }
    #expect(again.method == .report)
    guard case .send(let look) = self.meet(pass(self.known), [failure, failure]),
      case .send(let list) = self.meet(pass(self.known), [failure, failure, .success(self.book())])
    else {
      Issue.record("no listing")
      return
    }
    #expect(look.method == .propfind && look.depth == 0)
    #expect(list.method == .propfind && list.depth == 1)
  }

  @Test func aServerThatIsBusyIsLeftAlone() {
    #expect(
      self.meet(pass(self.known), [.success(DAVReply(status: 503, retryAfter: 9))])
        == .failed(.unavailable(place: "the book", status: 503, retryAfter: 9)))
    #expect(
      self.meet(pass(self.known), [.failure(.transfer(.cancelled))])
        == .failed(.transfer(.cancelled)))
  }

  /// sabre answers "no changes" to a token from the future, for ever.
  @Test func aTokenFromTheFutureHeals() throws {
    var server = ModelServer()
    server.faults.countsTokens = true
    server.faults.hidesRefused = true
    server.put("a")
    let backup = server
    server.put("b")
    let first = try run(pass(), &server).get()
    server.restore(backup)
    let second = try run(pass(first.state), &server).get()
    #expect(second.extent == .whole)
    #expect(second.cards.count == 1)
  }

  /// SOGo answers "no changes" and returns the same token; the home reports the valid one.
  @Test func aServerThatWasSetBackIsReadAgain() throws {
    let (known, now) = (CollectionState(mark: .token("17"), listedAt: Self.start, form: .asStored), Self.start)
    var list = self.book()
    list.responses.append(self.member("/alice/book/a"))
    func listing(_ told: String?, _ answers: [DAVReply]) -> Listing? {
      let pass = CollectionPass(
        place: "the book", collection: ModelServer.book, known: known, now: now, toldToken: told)
      guard case .finished(let listing) = self.meet(pass, answers.map { .success($0) }) else { return nil }
      return listing
    }
    let told = listing("16", [self.book(), list])
    #expect(told?.extent == .whole && told?.cards.map(\.mustBeRead) == [true])
    var changes = DAVReply(status: 207)
    changes.end.syncToken = "16"
    let answered = listing(nil, [changes, self.book(), list])
    #expect(answered?.extent == .whole && answered?.cards.map(\.mustBeRead) == [true])
  }

  @Test func aTokenThatChangedWithoutAChangeIsNotBelieved() throws {
    var server = ModelServer()
    server.faults.hidesRefused = true
    server.put("a")
    server.put("b")
    let first = try run(pass(), &server).get()
    let future = CollectionState(mark: .token("t-9-x"), listedAt: Self.start, form: .asStored)
    #expect(first.extent == .whole)
    #expect(try run(pass(future), &server).get().extent == .whole)
  }

  @Test(arguments: [
    ("http://sabre.io/ns/sync/17", "http://sabre.io/ns/sync/16", true), ("17", "16", true), ("17", "18", false),
    ("17", "17", false), ("a/9", "b/8", false), ("deadbeef9", "deadbeef8", false), ("x", "y", false), ("", "1", false),
    ("99999999999999999999", "1", false),
  ])
  func numbersGoDown(_ old: String, _ new: String, _ wentDown: Bool) {
    let known = CollectionState(mark: .token(old), listedAt: Self.start, form: .asStored)
    var changes = DAVReply(status: 207)
    changes.responses = [self.member("/alice/book/a")]
    changes.end.syncToken = new
    guard case .send(let request) = self.meet(pass(known), [.success(changes)]) else {
      #expect(!wentDown, "\(old) \(new)")
      return
    }
    #expect(request.method == .propfind && wentDown, "\(old) \(new)")
  }

  /// SOGo's token is the second of the last change, and names only changes of later seconds.
  @Test func aTokenOfThisSecondIsKeptAsTheOneBefore() throws {
    let seconds = Self.start / 1_000_000_000
    func kept(_ token: String, _ known: CollectionState? = nil, _ first: [DAVReply] = []) throws -> CollectionState
      .Mark?
    {
      let answers = first + Array(repeating: self.book { $0.properties.syncToken = token }, count: 2)
      guard case .finished(let listing) = self.meet(pass(known), answers.map { .success($0) }) else { return nil }
      return listing.state?.mark
    }
    #expect(try kept("\(seconds)") == .token("\(seconds - 1)"))
    for token in ["\(seconds - 86_400)", "17", "-\(seconds)", "\(Int64.min)", "t-\(seconds)", "99999999999999999999"] {
      #expect(try kept(token) == .token(token))
    }
    // A server may not know the earlier token.
    #expect(try kept("\(seconds)", self.known, [DAVReply(status: 403)]) == .token("\(seconds)"))
  }

  @Test func partsAreFollowed() throws {
    var server = ModelServer()
    let first = try run(pass(), &server).get()
    for number in 0..<25 { server.put("c\(number)") }
    server.faults.partSize = 10
    let requests = server.requests
    let second = try run(pass(first.state), &server).get()
    #expect(second.extent == .changes)
    #expect(second.cards.count == 25)
    #expect(server.requests - requests == 3)
  }

  @Test func partsWithoutEndAreGivenUp() {
    var part = DAVReply(status: 207)
    part.responses = [DAVResponse(href: "/alice/book/", status: 507)]
    part.end.syncToken = "t1"
    guard case .send(let request) = self.meet(pass(self.known), [.success(part)]) else {
      Issue.record("no listing")
      return
    }
    #expect(request.method == .propfind)
  }
}
