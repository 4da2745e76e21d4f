/// Reading cards by name: how many at once, and what to do about those that a server leaves out or cannot send. No I/O.
///
/// Cards come in batches (RFC 6352 section 8.7). A batch that is too much, or whose answer cannot be read, is halved; what
/// remains of the smallest is asked for one by one, so that one bad card costs nothing but itself.
public struct CardFetch: Sendable {
  /// What the caller does next.
  public enum Directive: Sendable, Equatable {
    /// Send this to the collection; give each response to ``CardFetch/read(_:)`` as it comes, then the outcome to
    /// ``CardFetch/batchEnded(_:bytes:)``.
    case batch(DAVRequest)
    /// Send this, and give the outcome to ``CardFetch/single(_:)``.
    case single(DAVRequest)
    /// All are done.
    case finished
    /// Nothing more can be had now. What was given is good.
    case failed(DAVError)
  }

  private let place: String
  private let form: CardForm
  private var waiting: ArraySlice<Href>
  /// What could not be had in a batch.
  private var alone: [Href] = []
  private var asked: [Href] = []
  private var open: Set<Href> = []
  private var size = BatchSize()
  private var isRefused = false
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
    if !self.waiting.isEmpty, !self.isRefused {
      self.asked = Array(self.waiting.prefix(self.size.count))
      self.waiting = self.waiting.dropFirst(self.asked.count)
      self.open = Set(self.asked)
      return .batch(.multiget(self.asked, form: self.form))
    }
    if let href = self.alone.last ?? self.waiting.first { return .single(.get(href, form: self.form)) }
    return .finished
  }

  /// Takes a response of the batch.
  ///
  /// - Returns: What became of a card; nil when that is not known yet, or the response is about none that was asked for.
  public mutating func read(_ response: DAVResponse) -> FetchedCard? {
    guard let href = Href(response.href), self.open.contains(href) else { return nil }
    if response.isGone {
      self.open.remove(href)
      return FetchedCard(href: href, outcome: .gone)
    }
    // Without the card it is as if the member had been left out.
    guard let card = response.properties.addressData, !card.isEmpty else { return nil }
    self.open.remove(href)
    return FetchedCard(
      href: href,
      outcome: .card(card, fingerprint: self.form.fingerprint(entityTag: response.properties.entityTag)))
  }

  /// Takes the outcome of the batch.
  ///
  /// - Parameter bytes: The size of the answer.
  /// - Returns: An error that ends the fetch; nil to go on with ``next()``.
  public mutating func batchEnded(_ outcome: Result<DAVReply, DAVError>, bytes: Int) -> DAVError? {
    let left = self.asked.filter { self.open.contains($0) }
    switch outcome {
    case .success(let reply) where reply.status == 207:
      self.size.succeeded(cards: self.asked.count, bytes: bytes)
      self.absences = 0
      self.alone += left.reversed()
      return nil
    case .success(let reply): return self.refused(reply, left: left)
    case .failure(let error):
      guard error.isTooMuch else { return error }
      self.retry(left)
      return nil
    }
  }

  /// Takes the outcome of a single card.
  ///
  /// - Returns: What became of it, or an error that ends the fetch.
  public mutating func single(_ outcome: Result<DAVReply, DAVError>) -> Result<FetchedCard, DAVError> {
    guard let href = self.alone.popLast() ?? self.waiting.popFirst() else {
      return .failure(.notFound(place: self.place))
    }
    switch outcome {
    case .success(let reply):
      switch reply.status {
      case 200 where !Self.isCard(reply.body):
        // A page for people, or a part of a card: taken for the card, it would stand until the card changes.
        return self.failed(href, .malformed(place: self.place, what: "a card was asked for, and it is not a whole one"))
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

  private mutating func refused(_ reply: DAVReply, left: [Href]) -> DAVError? {
    switch reply.status {
    case 401, 404, 410, 429, 503: return self.error(reply)
    case 403 where reply.end.conditions.isEmpty: return self.error(reply)
    case 400, 403, 405, 415, 501:
      if !reply.end.conditions.contains(.matchesWithinLimits) {
        // The server has no such report: all go one by one.
        self.isRefused = true
        self.alone += left.reversed()
        return nil
      }
    case 408, 413, 500...: break
    default: return self.error(reply)
    }
    self.retry(left)
    return nil
  }

  private mutating func retry(_ left: [Href]) {
    if self.size.failed(asked: self.asked.count) {
      self.waiting = left[...] + self.waiting
    } else {
      self.alone += left.reversed()
    }
  }

  private func error(_ reply: DAVReply) -> DAVError {
    .status(reply.status, place: self.place, retryAfter: reply.retryAfter)
  }
}
