/// Decides how cards are requested: how many at once, and what to do about cards that a server omits or cannot send. No
/// I/O.
///
/// Cards are requested in batches (RFC 6352 section 8.7), several of which may be in flight. A batch that is too large,
/// or whose answer cannot be read, is halved; the cards of the smallest batch are requested one by one, so that one bad
/// card does not affect the others.
///
/// ```swift
/// var fetch = CardFetch(place: "https://example.com/book/", hrefs: hrefs, form: .version3)
/// while case .batch(let batch) = fetch.next() {
///   let (reply, bytes) = await send(batch.request)
///   let cards = reply.responses.compactMap { fetch.read($0, of: batch) }
///   fetch.ended(batch, .success(reply), bytes: bytes)
/// }
/// ```
public struct CardFetch: Sendable {
  /// What the caller does next.
  public enum Directive: Sendable, Equatable {
    /// Send the batch's request to the collection; pass each response to ``CardFetch/read(_:of:)`` as it arrives, then
    /// the outcome to ``CardFetch/ended(_:_:bytes:)``.
    case batch(Batch)
    /// Send this request, and pass the outcome to ``CardFetch/single(_:)``.
    case single(DAVRequest)
    /// Wait until a batch in flight has ended: it shows how large the cards are, and which cards have to be requested
    /// again.
    case wait
    /// Every card has its outcome.
    case finished
    /// The fetch has failed. Outcomes returned before are valid.
    case failed(DAVError)
  }

  /// Some cards that are requested together.
  public struct Batch: Sendable, Equatable {
    /// The request to send.
    public let request: DAVRequest
    fileprivate let number: Int
  }

  /// The cards of a batch, and those that have no outcome yet.
  private struct Asked: Sendable {
    let hrefs: [Href]
    var open: Set<Href>

    var left: [Href] { self.hrefs.filter { self.open.contains($0) } }
  }

  private let place: String
  private let form: CardForm
  private var waiting: ArraySlice<Href>
  /// Cards that a batch did not return; they are requested one by one.
  private var alone: [Href] = []
  /// The batches in flight, by number.
  private var asked: [Int: Asked] = [:]
  private var number = 0
  private var failure: DAVError?
  private var size = BatchSize()
  private var isRefused = false
  /// How many cards were requested one by one.
  private(set) var singles = 0
  /// How many single requests in a row got no answer.
  private var absences = 0

  /// After this many unanswered requests in a row, the server is considered down.
  static let absenceLimit = 5

  /// Makes a fetch.
  ///
  /// - Parameters:
  ///   - place: The address book in words, for errors.
  ///   - hrefs: The cards. Duplicates are read once.
  ///   - form: The form from ``Listing/form``.
  public init(place: String, hrefs: [Href], form: CardForm) {
    self.place = place
    self.form = form
    var seen: Set<Href> = []
    self.waiting = hrefs.filter { seen.insert($0).inserted }[...]
  }

  /// Returns what to do next.
  public mutating func next() -> Directive {
    if let failure { return .failed(failure) }
    if !self.waiting.isEmpty, !self.isRefused {
      guard self.asked.isEmpty || self.size.isMeasured else { return .wait }
      let hrefs = Array(self.waiting.prefix(self.size.count))
      self.waiting = self.waiting.dropFirst(hrefs.count)
      self.number += 1
      self.asked[self.number] = Asked(hrefs: hrefs, open: Set(hrefs))
      return .batch(Batch(request: .multiget(hrefs, form: self.form), number: self.number))
    }
    guard self.asked.isEmpty else { return .wait }
    if let href = self.alone.last ?? self.waiting.first { return .single(.get(href, form: self.form)) }
    return .finished
  }

  /// Reads a response of a batch.
  ///
  /// - Returns: The outcome of a card; nil if it is not known yet, or if the response is about a card that was not
  ///   requested.
  public mutating func read(_ response: DAVResponse, of batch: Batch) -> FetchedCard? {
    guard let href = Href(response.href), self.asked[batch.number]?.open.contains(href) == true else { return nil }
    if response.isGone {
      self.asked[batch.number]?.open.remove(href)
      return FetchedCard(href: href, outcome: .gone)
    }
    // A response without a card counts as missing.
    guard let card = response.properties.addressData, !card.isEmpty else { return nil }
    self.asked[batch.number]?.open.remove(href)
    return FetchedCard(
      href: href,
      outcome: .card(card, fingerprint: self.form.fingerprint(entityTag: response.properties.entityTag)))
  }

  /// Handles the outcome of a batch. After an error that ends the fetch, ``next()`` returns that error.
  ///
  /// - Parameter bytes: The size of the answer.
  public mutating func ended(_ batch: Batch, _ outcome: Result<DAVReply, DAVError>, bytes: Int) {
    guard let asked = self.asked.removeValue(forKey: batch.number) else { return }
    switch outcome {
    case .success(let reply) where reply.status == 207:
      self.size.succeeded(cards: asked.hrefs.count, bytes: bytes)
      self.absences = 0
      self.alone += asked.left.reversed()
    case .success(let reply): self.refused(reply, asked)
    case .failure(let error) where error.isTooMuch: self.retry(asked)
    case .failure(let error): self.fail(error)
    }
  }

  /// Puts back a batch that was not sent.
  public mutating func putBack(_ batch: Batch) {
    guard let asked = self.asked.removeValue(forKey: batch.number) else { return }
    self.waiting = asked.left[...] + self.waiting
  }

  /// Handles the outcome of a single card.
  ///
  /// - Returns: The outcome of the card, or an error that ends the fetch.
  public mutating func single(_ outcome: Result<DAVReply, DAVError>) -> Result<FetchedCard, DAVError> {
    guard let href = self.alone.popLast() ?? self.waiting.popFirst() else {
      return .failure(.notFound(place: self.place))
    }
    self.singles += 1
    switch outcome {
    case .success(let reply):
      switch reply.status {
      case 200 where !Self.isCard(reply.body):
        // An HTML page or a truncated card: if it were stored, it would stay until the card changes.
        return self.failed(href, .malformed(place: self.place, what: "a card in the answer is incomplete"))
      case 200:
        self.absences = 0
        let fingerprint = self.form.fingerprint(entityTag: reply.entityTag)
        return .success(FetchedCard(href: href, outcome: .card(reply.body, fingerprint: fingerprint)))
      case 404, 410: return .success(FetchedCard(href: href, outcome: .gone))
      case 401, 429, 503: return .failure(self.error(reply))
      default: return self.failed(href, self.error(reply))
      }
    case .failure(let error):
      // A single card that times out after its batch did: the server is too slow for the others as well.
      if error.isTimeout { return .failure(error) }
      return error.isTooMuch ? self.failed(href, error) : .failure(error)
    }
  }

  /// True if a body is one complete vCard (RFC 6350 section 6.1), judged by its BEGIN and END.
  private static func isCard(_ body: [UInt8]) -> Bool {
    func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self).lowercased() }
    let isSpace: (UInt8) -> Bool = { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
    guard let first = body.firstIndex(where: { !isSpace($0) }), let last = body.lastIndex(where: { !isSpace($0) })
    else { return false }
    let card = body[first...last]
    return text(card.prefix(11)) == "begin:vcard" && text(card.suffix(9)) == "end:vcard"
  }

  private mutating func failed(_ href: Href, _ error: DAVError) -> Result<FetchedCard, DAVError> {
    self.absences = error.isAbsence ? self.absences + 1 : 0
    guard self.absences < Self.absenceLimit else { return .failure(error) }
    return .success(FetchedCard(href: href, outcome: .failed(error)))
  }

  private mutating func refused(_ reply: DAVReply, _ asked: Asked) {
    switch reply.status {
    case 401, 404, 410, 429, 503: return self.fail(self.error(reply))
    case 403 where reply.end.conditions.isEmpty: return self.fail(self.error(reply))
    case 400, 403, 405, 415, 501:
      if !reply.end.conditions.contains(.matchesWithinLimits) {
        // The server does not support this report: all cards are requested one by one.
        self.isRefused = true
        self.alone += asked.left.reversed()
        return
      }
    case 408, 413, 500...: break
    default: return self.fail(self.error(reply))
    }
    self.retry(asked)
  }

  private mutating func retry(_ asked: Asked) {
    if self.size.failed(asked: asked.hrefs.count) {
      self.waiting = asked.left[...] + self.waiting
    } else {
      self.alone += asked.left.reversed()
    }
  }

  /// Keeps the first error.
  private mutating func fail(_ error: DAVError) { self.failure = self.failure ?? error }

  private func error(_ reply: DAVReply) -> DAVError {
    .status(reply.status, place: self.place, retryAfter: reply.retryAfter)
  }
}

/// The outcome of reading one card.
///
/// ```swift
/// if case .card(let bytes, _) = fetched.outcome { let card = try Card(bytes) }
/// ```
public struct FetchedCard: Sendable, Equatable {
  /// What the server returned for the card.
  public enum Outcome: Sendable, Equatable {
    /// The card: UTF-8, with line ends as XML or the server left them.
    case card([UInt8], fingerprint: String)
    /// The server has no such card, or cannot read it itself.
    case gone
    /// This card cannot be read; other cards can.
    case failed(DAVError)
  }

  /// The resource, as it was requested.
  public let href: Href
  /// What the server returned for it.
  public let outcome: Outcome

  /// Makes the outcome of a card.
  public init(href: Href, outcome: Outcome) {
    self.href = href
    self.outcome = outcome
  }
}

/// How many cards are requested at once: as many as fill a reply of about 4 MB.
///
/// Two such replies fit into memory, and the time between requests does not matter.
struct BatchSize: Sendable {
  static let range = 10...500
  static let goal = 4 << 20

  private(set) var count = 100
  /// True once a reply has shown how large the cards are.
  private(set) var isMeasured = false
  /// The largest count that has not failed; a larger batch is not tried again.
  private var ceiling = Self.range.upperBound

  /// Adapts the size to a reply.
  mutating func succeeded(cards: Int, bytes: Int) {
    guard cards > 0 else { return }
    self.isMeasured = true
    let fitting = Self.goal / max(1, bytes / cards)
    // A batch of small cards says little about the next one: grow at most fourfold.
    self.count = min(max(min(fitting, self.count * 4), Self.range.lowerBound), self.ceiling)
  }

  /// Halves the size after a batch that was too large. Returns false if it cannot be smaller.
  mutating func failed(asked: Int) -> Bool {
    guard asked > Self.range.lowerBound else { return false }
    // Lowers the ceiling for good: of two batches in flight the larger one may fail later.
    self.ceiling = min(self.ceiling, max(Self.range.lowerBound, asked / 2))
    self.count = min(self.count, self.ceiling)
    return true
  }
}
