internal import EventLoop
internal import Transfer

/// Carries out a ``CardFetch``, and puts its cards into a stream.
struct FetchStream: Sendable {
  /// What comes out.
  enum Element: Sendable {
    case card(FetchedCard)
    case batchEnd
  }

  let client: DAVClient
  let url: WebURL
  let output: AsyncStream<Element>.Continuation
  /// Whether something came that nobody takes any more.
  private let isCut = Lock(false)

  init(client: DAVClient, url: WebURL, output: AsyncStream<Element>.Continuation) {
    self.client = client
    self.url = url
    self.output = output
  }

  /// Reads all cards. The stream ends when this does.
  ///
  /// A stream that was ended by its taker, as a cancelled task ends it, makes this fail with `cancelled`, also where all was
  /// read.
  ///
  /// - Parameter permits: One is taken before each request.
  func run(_ fetch: CardFetch, _ permits: AsyncStream<Void>) async -> Result<Void, DAVError> {
    defer { self.output.finish() }
    do throws(DAVError) { return .success(try await self.carryOut(fetch, permits)) } catch { return .failure(error) }
  }

  private func carryOut(_ fetch: CardFetch, _ permits: AsyncStream<Void>) async throws(DAVError) {
    // The loop reads responses into it while the request is under way.
    let fetch = Lock(fetch)
    var permits = permits.makeAsyncIterator()
    while true {
      let directive = fetch.withLock { $0.next() }
      if case .finished = directive {
        guard !self.isCut.withLock({ $0 }) else { throw .transfer(.cancelled) }
        return
      }
      if case .failed(let error) = directive { throw error }
      guard await permits.next(isolation: #isolation) != nil else { throw .transfer(.cancelled) }
      defer { self.hand(on: .batchEnd) }
      if case .batch(let request) = directive { try await self.batch(request, fetch) }
      if case .single(let request) = directive { try await self.single(request, fetch) }
    }
  }

  private func batch(_ request: DAVRequest, _ fetch: Lock<CardFetch>) async throws(DAVError) {
    let bytes = Lock(0)
    let outcome = await self.ask(request) { response in
      bytes.withLock { $0 += 512 + (response.properties.addressData?.count ?? 0) }
      if let card = fetch.withLock({ $0.read(response) }) { self.hand(on: .card(card)) }
    }
    let size = bytes.withLock { $0 }
    if let error = fetch.withLock({ $0.batchEnded(outcome, bytes: size) }) { throw error }
  }

  private func single(_ request: DAVRequest, _ fetch: Lock<CardFetch>) async throws(DAVError) {
    let outcome = await self.ask(request)
    self.hand(on: .card(try fetch.withLock { $0.single(outcome) }.get()))
  }

  private func hand(on element: Element) {
    if case .terminated = self.output.yield(element) { self.isCut.withLock { $0 = true } }
  }

  private func ask(
    _ request: DAVRequest, each: (@Sendable (DAVResponse) -> Void)? = nil
  ) async -> Result<DAVReply, DAVError> {
    do throws(DAVError) {
      return .success(try await self.client.ask(request, ofBook: self.url, each: each).reply)
    } catch { return .failure(error) }
  }
}
