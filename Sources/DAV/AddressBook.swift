public import Transfer

/// One address book on a server.
///
/// It keeps nothing between calls: what the next look needs is in ``Listing/state``.
public struct AddressBook: Sendable {
  /// Where it is.
  public let url: WebURL
  private let client: DAVClient
  private let collection: Href

  /// One whose cards are taken, and one under way.
  private static let batchesAtOnce = 2

  /// Names an address book; asks nothing.
  ///
  /// - Throws: ``DAVError/notAnAddress(_:)`` for a URL without a path.
  public init(url: WebURL, client: DAVClient) throws(DAVError) {
    guard let collection = Href(url.path) else { throw .notAnAddress(url.description) }
    self.url = url
    self.client = client
    self.collection = collection
  }

  /// Looks what there is, or what has changed.
  ///
  /// - Parameters:
  ///   - known: The state of the last look whose cards were all read; nil lists everything.
  ///   - now: Nanoseconds since 1970.
  ///   - isWhole: Whether to list everything in any case.
  ///   - wantsETags: Whether a list of everything is to have the ETags, for which some servers read every card. Who reads all
  ///     the cards anyway has no use for them.
  ///   - toldToken: ``FoundBook/syncToken`` of a look at the home just now: where it is the known one, nothing is asked.
  /// - Returns: The listing, and the address to use from now on where the server says that the book has moved for good.
  public func list(
    since known: CollectionState?, now: Int64, isWhole: Bool = false, wantsETags: Bool = true,
    toldToken: String? = nil
  ) async throws(DAVError) -> (listing: Listing, movedTo: WebURL?) {
    var pass = CollectionPass(
      place: self.url.description, collection: self.collection, known: known, now: now, isWhole: isWhole,
      wantsETags: wantsETags, toldToken: toldToken)
    var directive = pass.first
    var movedTo: WebURL?
    while true {
      switch directive {
      case .finished(let listing): return (listing, movedTo)
      case .failed(let error): throw error
      case .send(let request):
        let outcome: Result<DAVReply, DAVError>
        do throws(DAVError) {
          let exchange = try await self.client.ask(request, ofBook: self.url)
          movedTo = exchange.permanentURL ?? movedTo
          outcome = .success(exchange.reply)
        } catch { outcome = .failure(error) }
        directive = pass.received(outcome)
      }
    }
  }

  /// Reads cards, in an order of the server's liking.
  ///
  /// While the cards of one batch are taken, the next one is under way; no more than these two answers are ever in memory. What
  /// came of the second one is dropped where the first one ends the reading.
  ///
  /// - Parameters:
  ///   - hrefs: As ``Listing/cards`` has them.
  ///   - form: ``Listing/form``.
  ///   - take: Takes each card once, as soon as it is read. What it throws ends the reading.
  /// - Returns: How many cards had to be read one by one, when each has its outcome; otherwise what ended the reading. What was
  ///   taken before is good.
  /// - Throws: What `take` throws.
  public func fetch<Stop: Error>(
    _ hrefs: [Href], form: CardForm, take: (FetchedCard) async throws(Stop) -> Void
  ) async throws(Stop) -> Result<Int, DAVError> {
    let ended: Result<Result<Int, DAVError>, Stop> = await withDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      var fetch = CardFetch(place: self.url.description, hrefs: hrefs, form: form)
      var underWay: [BatchAnswer] = []
      while true {
        do throws(Stop) {
          switch underWay.count < Self.batchesAtOnce ? fetch.next() : .wait {
          case .batch(let batch):
            let (answer, previous) = (BatchAnswer(to: batch), underWay.last)
            group.addTask(executorPreference: self.client.executor) { [client, url] in
              await answer.bring(from: url, client, after: previous)
            }
            underWay.append(answer)
          case .wait:
            guard try await !self.read(underWay.removeFirst(), into: &fetch, take) else { continue }
            // Nor were those after one that was not sent.
            for answer in underWay { fetch.putBack(answer.batch) }
            underWay = []
          case .single(let request):
            switch fetch.single(await self.ask(request)) {
            case .success(let card): try await take(card)
            case .failure(let error): return .success(.failure(error))
            }
          case .finished: return .success(.success(fetch.singles))
          case .failed(let error): return .success(.failure(error))
          }
        } catch { return .failure(error) }
      }
    }
    return try ended.get()
  }

  /// - Returns: Whether the batch was sent.
  private func read<Stop: Error>(
    _ answer: BatchAnswer, into fetch: inout CardFetch, _ take: (FetchedCard) async throws(Stop) -> Void
  ) async throws(Stop) -> Bool {
    var reading = BatchReading(place: self.url.description, limits: self.client.limits)
    for await element in answer.elements {
      for response in reading.read(element) {
        if let card = fetch.read(response, of: answer.batch) { try await take(card) }
      }
      if reading.hasFault { answer.stop() }
    }
    guard let outcome = reading.outcome else {
      fetch.putBack(answer.batch)
      return false
    }
    fetch.ended(answer.batch, outcome, bytes: reading.bytes)
    return true
  }

  private func ask(_ request: DAVRequest) async -> Result<DAVReply, DAVError> {
    do throws(DAVError) {
      return .success(try await self.client.ask(request, ofBook: self.url).reply)
    } catch { return .failure(error) }
  }
}
