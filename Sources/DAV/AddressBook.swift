public import Transfer

/// One address book on a server.
///
/// It keeps no state between calls: the caller stores ``Listing/state`` and passes it to the next
/// ``list(since:now:isWhole:wantsETags:toldToken:)``.
///
/// ```swift
/// let book = try AddressBook(url: url, client: client)
/// let (listing, _) = try await book.list(since: nil, now: now)
/// _ = await book.fetch(listing.cards.map(\.href), form: listing.form) { card in print(card.href, card.outcome) }
/// ```
public struct AddressBook: Sendable {
  /// The URL of the address book.
  public let url: WebURL
  private let client: DAVClient
  private let collection: Href

  /// One batch that is being read, and one in flight.
  private static let batchesAtOnce = 2

  /// Makes an address book; sends no request.
  ///
  /// - Throws: ``DAVError/notAnAddress(_:)`` for a URL without a path.
  public init(url: WebURL, client: DAVClient) throws(DAVError) {
    guard let collection = Href(url.path) else { throw .notAnAddress(url.description) }
    self.url = url
    self.client = client
    self.collection = collection
  }

  /// Lists the cards, or what has changed since an earlier listing.
  ///
  /// - Parameters:
  ///   - known: The state of the last listing whose cards were all read; nil lists every card.
  ///   - now: Nanoseconds since 1970.
  ///   - isWhole: True to list every card in any case.
  ///   - wantsETags: True if a full listing needs ETags, for which some servers read every card. A caller that reads
  ///     all cards anyway does not need them.
  ///   - toldToken: The ``FoundBook/syncToken`` from a listing of the home just now. If it equals the known token, no
  ///     request is sent.
  /// - Returns: The listing, and the new URL if the server says that the address book has moved permanently.
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

  /// Reads cards, in an order that the server chooses.
  ///
  /// While one batch is being read, the next one is in flight, so at most two answers are in memory. If the first one
  /// ends the fetch, the second one is discarded.
  ///
  /// - Parameters:
  ///   - hrefs: From ``Listing/cards``.
  ///   - form: From ``Listing/form``.
  ///   - take: Called once for each card, as soon as it is read. An error that it throws ends the fetch.
  /// - Returns: How many cards were requested one by one, if each card has its outcome; otherwise the error that ended
  ///   the fetch. Cards passed to `take` before the error are valid.
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
            // The batches after an unsent batch were not sent either.
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

  /// - Returns: True if the batch was sent.
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
