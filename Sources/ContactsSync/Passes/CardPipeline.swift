internal import Bus
internal import KithMessages

/// Reads cards of a source for one pass: while one batch is stored, the next one is prepared and another one read.
struct CardPipeline: Sendable {
  /// The bytes of one request, whose body may have 256 KiB. Fewer requests are better: the source is idle between two.
  private static let requestBytes = 252 << 10
  /// The most bytes that an href takes besides its text.
  private static let tagBytes = 4

  let source: any BatchPort
  let location: SourceLocation
  let token: String
  let context: CallContext
  /// The name of the source.
  let name: String
  let now: @Sendable () -> Int64

  /// Reads the named items.
  ///
  /// - Parameter store: Takes one batch after another.
  /// - Returns: How many cards could not be read now.
  func run(
    _ hrefs: [String], store: @Sendable ([PreparedCard]) async throws(Failure) -> Void
  ) async throws(Failure) -> UInt32 {
    let read = Handoff<[CardRead]>()
    let prepared = Handoff<[PreparedCard]>()
    // Cancelled and awaited if a batch could not be stored.
    async let reading = self.read(hrefs, into: read)
    async let preparing = self.prepare(read, into: prepared)
    do throws(Failure) {
      while let batch = await prepared.take() { try await store(batch) }
    } catch {
      // Both, because the reading is cancelled only after the preparing, which is awaited first, has ended.
      await prepared.close()
      await read.close()
      throw error
    }
    try await preparing.get()
    return try await reading.get()
  }

  private func read(_ hrefs: [String], into read: Handoff<[CardRead]>) async -> Result<UInt32, Failure> {
    let result: Result<UInt32, Failure>
    do throws(Failure) {
      result = .success(try await self.readAll(hrefs, into: read))
    } catch {
      result = .failure(error)
    }
    await read.close()
    return result
  }

  private func readAll(_ hrefs: [String], into read: Handoff<[CardRead]>) async throws(Failure) -> UInt32 {
    var failed: UInt32 = 0
    // In the order of the store's indexes, so that a batch writes few of their pages.
    var rest = hrefs.sorted()[...]
    while !rest.isEmpty {
      var request = FetchItemsRequest()
      request.source = self.location
      request.token = self.token
      var bytes = try Encoding.pb.encode(request).count
      let fitting = rest.prefix {
        bytes += $0.utf8.count + Self.tagBytes
        return bytes <= Self.requestBytes
      }
      request.hrefs = Array(fitting.isEmpty ? rest.prefix(1) : fitting)
      rest = rest.dropFirst(request.hrefs.count)
      let reply = try await self.source.call(request, self.context) {
        batch throws(Failure) in try await read.give(batch.cards)
      }
      failed += reply.failed
    }
    guard !Task.isCancelled else { throw .cancelled }
    return failed
  }

  /// Prepares batches in a separate task, so that the source is asked for the next one at once.
  private func prepare(
    _ read: Handoff<[CardRead]>, into prepared: Handoff<[PreparedCard]>
  ) async -> Result<Void, Failure> {
    let result: Result<Void, Failure>
    do throws(Failure) {
      while let cards = await read.take() {
        try await prepared.give(try await PreparedCard.prepare(cards, source: self.name, now: self.now()))
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    // After a batch could not be prepared or stored, no later batch is used.
    await read.close()
    await prepared.close()
    return result
  }
}
