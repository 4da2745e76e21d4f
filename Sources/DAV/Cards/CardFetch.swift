/// Reading cards by name: how many at once, and what to do about those that a server leaves out or cannot send. No I/O.
///
/// Cards come in batches (RFC 6352 section 8.7), of which several may be under way. A batch that is too much, or whose answer
/// cannot be read, is halved; what remains of the smallest is asked for one by one, so that one bad card costs nothing but
/// itself.
public struct CardFetch: Sendable {
  /// What the caller does next.
  public enum Directive: Sendable, Equatable {
    /// Send its request to the collection; give each response to ``CardFetch/read(_:of:)`` as it comes, then the outcome to
    /// ``CardFetch/ended(_:_:bytes:)``.
    case batch(Batch)
    /// Send this, and give the outcome to ``CardFetch/single(_:)``.
    case single(DAVRequest)
    /// Wait until a batch that is under way has ended: it shows how large the cards are, and what it lacks is asked for again.
    case wait
    /// All are done.
    case finished
    /// Nothing more can be had now. What was given is good.
    case failed(DAVError)
  }

  /// Some cards that are asked for at once.
  public struct Batch: Sendable, Equatable {
    /// What to send.
    public let request: DAVRequest
    fileprivate let number: Int
  }

  /// What was asked for in a batch, and which of it has not come.
  private struct Asked: Sendable {
    let hrefs: [Href]
    var open: Set<Href>

    var left: [Href] { self.hrefs.filter { self.open.contains($0) } }
  }

  private let place: String
  private let form: CardForm
  private var waiting: ArraySlice<Href>
  /// What could not be had in a batch.
  private var alone: [Href] = []
  /// The batches under way, by their numbers.
  private var asked: [Int: Asked] = [:]
  private var number = 0
  private var failure: DAVError?
  private var size = BatchSize()
  private var isRefused = false
  /// How many cards were asked for one by one.
  private(set) var singles = 0
  /// Cards in a row that nobody answered for.
  private var absences = 0

  /// After so many the server is taken to be down, rather than each card to be bad.
  static let absenceLimit = 5

  /// Makes a fetch.
  ///
  /// - Parameters:
  ///   - place: The address book in words, for errors.
  ///   - hrefs: The cards. One that is named twice is read once.
  ///   - form: The form of ``Listing/form``.
  public init(place: String, hrefs: [Href], form: CardForm) {
    self.place = place
    self.form = form
    var seen: Set<Href> = []
    self.waiting = hrefs.filter { seen.insert($0).inserted }[...]
  }

  /// Says what to do now.
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

  /// Takes a response of a batch.
  ///
  /// - Returns: What became of a card; nil when that is not known yet, or the response is about none that was asked for.
  public mutating func read(_ response: DAVResponse, of batch: Batch) -> FetchedCard? {
    guard let href = Href(response.href), self.asked[batch.number]?.open.contains(href) == true else { return nil }
    if response.isGone {
      self.asked[batch.number]?.open.remove(href)
      return FetchedCard(href: href, outcome: .gone)
    }
    // Without the card it is as if the member had been left out.
    guard let card = response.properties.addressData, !card.isEmpty else { return nil }
    self.asked[batch.number]?.open.remove(href)
    return FetchedCard(
      href: href,
      outcome: .card(card, fingerprint: self.form.fingerprint(entityTag: response.properties.entityTag)))
  }

  /// Takes the outcome of a batch. An error of it that ends the fetch is what ``next()`` says from then on.
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

  /// Takes back a batch that was not sent.
  public mutating func putBack(_ batch: Batch) {
    guard let asked = self.asked.removeValue(forKey: batch.number) else { return }
    self.waiting = asked.left[...] + self.waiting
  }

  /// Takes the outcome of a single card.
  ///
  /// - Returns: What became of it, or an error that ends the fetch.
  public mutating func single(_ outcome: Result<DAVReply, DAVError>) -> Result<FetchedCard, DAVError> {
    guard let href = self.alone.popLast() ?? self.waiting.popFirst() else {
      return .failure(.notFound(place: self.place))
    }
    self.singles += 1
    switch outcome {
    case .success(let reply):
      switch reply.status {
      case 200 where !Self.isCard(reply.body):
        // A page for people, or a part of a card: taken for the card, it would stand until the card changes.
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
      // One card that takes too long after its batch did: the server has no time for the others either.
      if error.isTimeout { return .failure(error) }
      return error.isTooMuch ? self.failed(href, error) : .failure(error)
    }
  }

  /// Whether a body is one whole vCard, from BEGIN to END (RFC 6350 section 6.1), as far as its ends tell.
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
        // The server has no such report: all go one by one.
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

  /// The first error counts.
  private mutating func fail(_ error: DAVError) { self.failure = self.failure ?? error }

  private func error(_ reply: DAVReply) -> DAVError {
    .status(reply.status, place: self.place, retryAfter: reply.retryAfter)
  }
}

/// What reading one card came to.
public struct FetchedCard: Sendable, Equatable {
  /// What became of it.
  public enum Outcome: Sendable, Equatable {
    /// The card. UTF-8, with the line ends that XML or the server left.
    case card([UInt8], fingerprint: String)
    /// The server has no such card (any more), or none that it can read itself.
    case gone
    /// It cannot be had. The others can.
    case failed(DAVError)
  }

  /// The resource, as it was asked for.
  public let href: Href
  /// What became of it.
  public let outcome: Outcome

  /// Makes the outcome of a card.
  public init(href: Href, outcome: Outcome) {
    self.href = href
    self.outcome = outcome
  }
}

/// How many cards are asked for at once: as many as fill a reply of about 4 MB.
///
/// Small enough to hold two of them, large enough that the time between requests does not count.
struct BatchSize: Sendable {
  static let range = 10...500
  static let goal = 4 << 20

  private(set) var count = 100
  /// Whether a reply has shown how large the cards are.
  private(set) var isMeasured = false
  /// What a failure has taught: more than this is not tried again.
  private var ceiling = Self.range.upperBound

  /// Learns from a reply.
  mutating func succeeded(cards: Int, bytes: Int) {
    guard cards > 0 else { return }
    self.isMeasured = true
    let fitting = Self.goal / max(1, bytes / cards)
    // One batch of small cards says little of the next: at most four times as many.
    self.count = min(max(min(fitting, self.count * 4), Self.range.lowerBound), self.ceiling)
  }

  /// Halves the batch after one that was too much. Returns false when it cannot be smaller.
  mutating func failed(asked: Int) -> Bool {
    guard asked > Self.range.lowerBound else { return false }
    // Never more again: of two batches under way the larger one may fail later.
    self.ceiling = min(self.ceiling, max(Self.range.lowerBound, asked / 2))
    self.count = min(self.count, self.ceiling)
    return true
  }
}
