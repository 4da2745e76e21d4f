import DAV
import TestKit
import Testing
import Transfer

@Suite struct CardFetchTests {
  /// A server whose cards each behave differently, and a client for it.
  struct Exchange {
    enum Card: Sendable { case whole(Int), gone, omitted, empty, spoilsBatch(Int), tooLarge, refused(Int), cut, page }

    var cards: [String: Card] = [:]
    /// Answers with more bytes than this are refused.
    var replyLimit = Int.max
    var overload: Result<DAVReply, DAVError> = .success(DAVReply(status: 413))
    /// The answer to each batch, if it does not follow from the cards.
    var batches: Result<DAVReply, DAVError>?
    var shuffle: SeededGenerator?
    private(set) var batchSizes: [Int] = []
    private(set) var singles: [String] = []

    static func name(_ href: Href) -> String { String(href.path.split(separator: "/").last ?? "") }
    static func href(_ name: String) -> Href { path("/book/\(name)") }

    /// Reads cards to the end. Returns each outcome, and what ended the fetch.
    mutating func run(
      _ names: [String], form: CardForm = .asStored, batchesAtOnce: Int = 1
    ) -> (cards: [FetchedCard], error: DAVError?) {
      var underWay: [CardFetch.Batch] = []
      var fetch = CardFetch(place: "the book", hrefs: names.map(Self.href), form: form)
      var done: [FetchedCard] = []
      for _ in 0..<100_000 {
        switch underWay.count < batchesAtOnce ? fetch.next() : .wait {
        case .finished:
          #expect(underWay.isEmpty)
          return (done, nil)
        case .failed(let error): return (done, error)
        case .batch(let batch): underWay.append(batch)
        case .wait:
          let batch = underWay.removeFirst()
          let (responses, outcome, bytes) = self.batch(batch.request)
          for response in responses { if let card = fetch.read(response, of: batch) { done.append(card) } }
          fetch.ended(batch, outcome, bytes: bytes)
        case .single(let request):
          let name = request.target.map(Self.name) ?? ""
          self.singles.append(name)
          switch fetch.single(self.single(name)) {
          case .success(let card): done.append(card)
          case .failure(let error): return (done, error)
          }
        }
      }
      Issue.record("the fetch has no end")
      return (done, nil)
    }

    private mutating func batch(_ request: DAVRequest) -> ([DAVResponse], Result<DAVReply, DAVError>, Int) {
      let body = String(decoding: request.body, as: UTF8.self)
      let names = body.split(separator: "<d:href>").dropFirst().map { part in
        Self.name(path(String(part.split(separator: "</d:href>").first ?? "")))
      }
      self.batchSizes.append(names.count)
      if let batches = self.batches { return ([], batches, 0) }
      var responses: [DAVResponse] = []
      var bytes = 0
      for name in names {
        var response = DAVResponse(href: "http://inner/book/\(name)")
        switch self.cards[name] {
        case .whole(let size)?:
          response.hasProperties = true
          response.properties.entityTag = "\"\(name)\""
          response.properties.addressData = [UInt8](repeating: 65, count: size)
          bytes += size
        case .gone?, nil: response.status = 404
        case .empty?, .tooLarge?, .refused?, .cut?, .page?:
          response.hasProperties = true
          response.properties.entityTag = "\"\(name)\""
          response.refused = [404]
        case .omitted?: continue
        case .spoilsBatch?: return (responses, .failure(.malformed(place: "", what: "")), bytes)
        }
        responses.append(response)
      }
      if bytes > self.replyLimit { return ([], self.overload, bytes) }
      if var random = self.shuffle {
        responses.shuffle(using: &random)
        responses.insert(DAVResponse(href: "/book/nobody-asked", status: 404), at: 0)
        self.shuffle = random
      }
      return (responses, .success(DAVReply(status: 207)), bytes)
    }

    /// A card with a note of this many bytes.
    static func card(_ size: Int) -> [UInt8] {
      Array("\r\nBegin:vCard\r\nNOTE:\(String(repeating: "A", count: size))\r\nEND:VCARD\r\n".utf8)
    }

    private func page(_ body: [UInt8]) -> DAVReply {
      var reply = DAVReply(status: 200)
      reply.entityTag = "\"1\""
      reply.body = body
      return reply
    }

    private func single(_ name: String) -> Result<DAVReply, DAVError> {
      switch self.cards[name] {
      case .whole(let size)?, .spoilsBatch(let size)?:
        var reply = DAVReply(status: 200)
        reply.entityTag = "W/\"\(name)\""
        reply.body = Self.card(size)
        return .success(reply)
      case .cut?: return .success(self.page(Self.card(500).dropLast(20)))
      case .page?: return .success(self.page(Array("<html></html>".utf8)))
      case .tooLarge?: return .failure(.tooLarge(place: "", what: ""))
      case .refused(let status)?: return .success(DAVReply(status: status))
      default: return .success(DAVReply(status: 404))
      }
    }
  }

  private static let origin: Origin = {
    do { return try WebURL("https://example.com/").origin } catch { preconditionFailure("\(error)") }
  }()

  private func names(_ count: Int) -> [String] { (0..<count).map { "c\($0)" } }

  @Test func batchesGrowToTheGoal() {
    var exchange = Exchange()
    for name in self.names(3000) { exchange.cards[name] = .whole(1000) }
    let (cards, error) = exchange.run(self.names(3000))
    #expect(error == nil)
    #expect(cards.count == 3000)
    #expect(exchange.batchSizes == [100, 400, 500, 500, 500, 500, 500])
    #expect(
      cards.first
        == FetchedCard(
          href: Exchange.href("c0"), outcome: .card([UInt8](repeating: 65, count: 1000), fingerprint: "\"c0\"")))
  }

  @Test func largeCardsMakeSmallBatches() {
    var exchange = Exchange()
    for name in self.names(150) { exchange.cards[name] = .whole(200_000) }
    #expect(exchange.run(self.names(150)).cards.count == 150)
    #expect(exchange.batchSizes == [100, 20, 20, 10])
  }

  @Test(arguments: [
    Result<DAVReply, DAVError>.success(DAVReply(status: 413)), .success(DAVReply(status: 500)),
    .success(DAVReply(status: 507)), .failure(.transfer(.truncated(origin))), .failure(.tooLarge(place: "", what: "")),
  ])
  func tooMuchIsHalved(_ overload: Result<DAVReply, DAVError>) {
    var exchange = Exchange()
    exchange.overload = overload
    exchange.replyLimit = 30_000
    for name in self.names(200) { exchange.cards[name] = .whole(1000) }
    let (cards, error) = exchange.run(self.names(200))
    #expect(error == nil)
    #expect(Set(cards.map(\.href)).count == 200)
    #expect(exchange.batchSizes == [100, 50, 25, 25, 25, 25, 25, 25, 25, 25])
    #expect(exchange.singles.isEmpty)
  }

  @Test func oneBadCardCostsItself() {
    var exchange = Exchange()
    for name in self.names(60) { exchange.cards[name] = .whole(10) }
    exchange.cards["c30"] = .spoilsBatch(10)
    let (cards, error) = exchange.run(self.names(60))
    #expect(error == nil)
    #expect(Set(cards.map(\.href)).count == 60)
    #expect(exchange.singles.contains("c30"))
    #expect(exchange.singles.count <= BatchSizeBounds.smallest)
  }

  @Test func whatIsLeftOutIsAskedForOnce() {
    var exchange = Exchange()
    exchange.cards = [
      "a": .whole(5), "b": .omitted, "c": .gone, "d": .empty, "e": .tooLarge, "f": .refused(403), "g": .refused(500),
    ]
    let (cards, error) = exchange.run(["a", "b", "c", "d", "e", "f", "g", "a"])
    #expect(error == nil)
    let outcomes = Dictionary(uniqueKeysWithValues: cards.map { (Exchange.name($0.href), $0.outcome) })
    #expect(outcomes["a"] == .card([65, 65, 65, 65, 65], fingerprint: "\"a\""))
    #expect(outcomes["b"] == .gone)
    #expect(outcomes["c"] == .gone)
    #expect(outcomes["d"] == .gone)
    #expect(outcomes["e"] == .failed(.tooLarge(place: "", what: "")))
    #expect(outcomes["f"] == .failed(.forbidden(place: "the book")))
    #expect(outcomes["g"] == .failed(.unavailable(place: "the book", status: 500, retryAfter: nil)))
    #expect(exchange.singles == ["b", "d", "e", "f", "g"])
  }

  @Test(arguments: [Exchange.Card.cut, .page])
  func whatIsNoWholeCardIsNotTakenForOne(_ answer: Exchange.Card) {
    var exchange = Exchange()
    exchange.cards = ["a": answer, "b": .whole(5)]
    let (cards, error) = exchange.run(["a", "b"])
    #expect(error == nil)
    let failed = cards.first { Exchange.name($0.href) == "a" }
    guard case .failed(.malformed)? = failed?.outcome else {
      Issue.record("\(String(describing: failed))")
      return
    }
    #expect(cards.count == 2)
  }

  @Test(arguments: [400, 405, 501])
  func aServerWithoutTheReportGivesOneByOne(_ status: Int) {
    var exchange = Exchange()
    exchange.batches = .success(DAVReply(status: status))
    for name in self.names(120) { exchange.cards[name] = .whole(3) }
    let (cards, error) = exchange.run(self.names(120))
    #expect(error == nil)
    #expect(cards.count == 120)
    #expect(exchange.batchSizes.count == 1)
    #expect(cards.map { Exchange.name($0.href) } == self.names(120))
    #expect(cards.first?.outcome == .card(Exchange.card(3), fingerprint: "\"c0\""))
  }

  @Test(arguments: [401, 403, 404, 429, 503])
  func refusalsEndTheFetch(_ status: Int) {
    var exchange = Exchange()
    exchange.batches = .success(DAVReply(status: status))
    let (cards, error) = exchange.run(["a", "b"])
    #expect(cards.isEmpty)
    #expect(error != nil)
    #expect(exchange.batchSizes.count == 1)
    #expect(exchange.singles.isEmpty)
  }

  @Test func aServerThatIsTooSlowIsNotAskedForever() {
    var exchange = Exchange()
    exchange.batches = .failure(.tooLarge(place: "", what: ""))
    for name in self.names(300) { exchange.cards[name] = .refused(503) }
    let (_, error) = exchange.run(self.names(300))
    #expect(error == .unavailable(place: "the book", status: 503, retryAfter: nil))
    #expect(
      exchange.batchSizes == [
        100, 50, 25, 12, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
        10, 10, 10, 10, 10, 10,
      ])
  }

  @Test func theFormIsAskedForAndShows() {
    var fetch = CardFetch(place: "", hrefs: [Exchange.href("a&b")], form: .version4)
    guard case .batch(let batch) = fetch.next() else {
      Issue.record("no batch")
      return
    }
    let body = String(decoding: batch.request.body, as: UTF8.self)
    #expect(body.contains(#"<c:address-data content-type="text/vcard" version="4.0"/>"#))
    #expect(body.contains("<d:href>/book/a%26b</d:href>"))
    var response = DAVResponse(href: "/book/a&b")
    response.properties.addressData = [1]
    response.properties.entityTag = "\"e\""
    #expect(fetch.read(response, of: batch)?.outcome == .card([1], fingerprint: "\"e\" 4.0"))
    #expect(fetch.read(response, of: batch) == nil)
  }

  /// The cards of a fetch whose first batch has shown how small they are, with two batches in flight.
  private func twoBatches() throws -> (fetch: CardFetch, CardFetch.Batch, CardFetch.Batch) {
    var fetch = CardFetch(place: "the book", hrefs: self.names(700).map(Exchange.href), form: .asStored)
    guard case .batch(let measured) = fetch.next() else { throw NoBatch() }
    #expect(fetch.next() == .wait)
    for name in self.names(100) { _ = fetch.read(DAVResponse(href: "/book/\(name)", status: 404), of: measured) }
    fetch.ended(measured, .success(DAVReply(status: 207)), bytes: 10_000)
    guard case .batch(let first) = fetch.next(), case .batch(let second) = fetch.next() else { throw NoBatch() }
    return (fetch, first, second)
  }

  private struct NoBatch: Error {}

  /// A batch that was not sent is requested again, and does not change the batch size.
  @Test func aBatchThatWasPutBackIsAskedForAgain() throws {
    var (fetch, first, second) = try self.twoBatches()
    fetch.putBack(second)
    guard case .batch(let again) = fetch.next() else { throw NoBatch() }
    #expect(again.request == second.request)
    fetch.ended(again, .success(DAVReply(status: 207)), bytes: 10_000)
    fetch.ended(first, .success(DAVReply(status: 207)), bytes: 10_000)
    guard case .single = fetch.next() else { throw NoBatch() }
  }

  /// Nothing more is requested after an error of any batch.
  @Test func anErrorOfOneBatchEndsTheFetch() throws {
    var (fetch, first, second) = try self.twoBatches()
    fetch.ended(first, .success(DAVReply(status: 401)), bytes: 0)
    #expect(fetch.next() == .failed(.needsCredentials(place: "the book")))
    #expect(fetch.read(DAVResponse(href: "/book/\(self.names(501)[500])", status: 404), of: second)?.outcome == .gone)
    #expect(fetch.read(DAVResponse(href: "/book/\(self.names(101)[100])", status: 404), of: second) == nil)
    fetch.ended(second, .failure(.transfer(.cancelled)), bytes: 0)
    #expect(fetch.next() == .failed(.needsCredentials(place: "the book")))
  }

  @Test(arguments: 0..<200)
  func everyCardGetsOneOutcome(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var exchange = Exchange()
    let names = self.names(Int.random(in: 0...400, using: &random))
    for name in names {
      exchange.cards[name] =
        switch Int.random(in: 0..<20, using: &random) {
        case 0: .gone
        case 1: .omitted
        case 2: .empty
        case 3: .tooLarge
        case 4: .refused([403, 406, 500].randomElement(using: &random)!)
        case 5 where seed % 3 == 0: .spoilsBatch(9)
        default: .whole(Int.random(in: 1...3000, using: &random))
        }
    }
    exchange.replyLimit = Bool.random(using: &random) ? Int.max : Int.random(in: 3000...100_000, using: &random)
    exchange.shuffle = random
    let batchesAtOnce = Int.random(in: 1...3, using: &random)
    let (cards, error) = exchange.run(names.shuffled(using: &random), batchesAtOnce: batchesAtOnce)
    #expect(error == nil)
    #expect(cards.count == names.count)
    #expect(Set(cards.map(\.href)) == Set(names.map(Exchange.href)))
    for card in cards {
      switch (exchange.cards[Exchange.name(card.href)], card.outcome) {
      case (.whole(let size)?, .card(let bytes, _)), (.spoilsBatch(let size)?, .card(let bytes, _)):
        #expect([size, Exchange.card(size).count].contains(bytes.count))
      case (.gone?, .gone), (.omitted?, .gone), (.empty?, .gone), (.tooLarge?, .failed), (.refused?, .failed): break
      case (let card, let outcome): Issue.record("\(String(describing: card)) came to \(outcome)")
      }
    }
  }
}

enum BatchSizeBounds { static let smallest = 10 }
