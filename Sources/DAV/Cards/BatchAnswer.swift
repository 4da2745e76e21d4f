internal import Transfer

/// The answer to a batch, piece by piece as it comes.
///
/// One task brings it and another one reads it, so that a server is asked for the next batch while this one is being read.
struct BatchAnswer: Sendable {
  /// What it consists of.
  enum Element: Sendable {
    case piece([UInt8])
    /// The reply without its responses, which are in the pieces; the last element.
    case end(Result<DAVReply, DAVError>)
    /// The batch was not sent; the only element.
    case unsent
  }

  let batch: CardFetch.Batch
  /// Ends early where the task that reads it is cancelled.
  let elements: AsyncStream<Element>
  /// Has one element when the first piece comes, and ends without one where none does.
  private let beginning: AsyncStream<Void>
  private let output: AsyncStream<Element>.Continuation
  private let begins: AsyncStream<Void>.Continuation

  init(to batch: CardFetch.Batch) {
    self.batch = batch
    (self.elements, self.output) = AsyncStream.makeStream()
    (self.beginning, self.begins) = AsyncStream.makeStream()
  }

  /// Sends the batch, as soon as the answer to the one before begins to come: most servers have made it then, and one that
  /// makes two answers at a time takes longer for both. Where the one before was refused or failed, this one is not sent.
  func bring(from url: WebURL, _ client: DAVClient, after previous: BatchAnswer?) async {
    defer {
      self.begins.finish()
      self.output.finish()
    }
    guard await previous?.hasBegun() ?? true else {
      self.output.yield(.unsent)
      return
    }
    let asking = Task(executorPreference: client.executor) { await self.ask(url, client) }
    // Also when the reader wants no more.
    self.output.onTermination = { _ in asking.cancel() }
    await withTaskCancellationHandler {
      await asking.value
    } onCancel: {
      asking.cancel()
    }
  }

  /// Ends it: what has not come is not wanted.
  func stop() { self.output.finish() }

  private func hasBegun() async -> Bool {
    for await _ in self.beginning { return true }
    return false
  }

  private func ask(_ url: WebURL, _ client: DAVClient) async {
    do throws(DAVError) {
      let exchange = try await client.ask(self.batch.request, ofBook: url) { piece in
        self.begins.yield()
        self.begins.finish()
        // The bytes are copied: the piece lives for the call.
        self.output.yield(.piece(unsafe piece.withUnsafeBytes { unsafe Array($0) }))
      }
      self.output.yield(.end(.success(exchange.reply)))
    } catch {
      self.output.yield(.end(.failure(error)))
    }
  }
}

/// Reads the answer to a batch: its responses as they come, and what became of the whole.
struct BatchReading: ~Copyable {
  private let place: String
  private var reader: MultistatusReader?
  private var fault: XMLFault?
  /// The size of what was read.
  private(set) var bytes = 0
  /// Nil where the batch was not sent. `cancelled` where its answer was not brought to its end.
  private(set) var outcome: Result<DAVReply, DAVError>? = .failure(.transfer(.cancelled))

  init(place: String, limits: XMLLimits) {
    self.place = place
    do throws(XMLFault) {
      self.reader = try MultistatusReader(limits: limits)
    } catch {
      self.fault = error
      self.outcome = .failure(.xml(error, place: place))
    }
  }

  /// Whether it cannot be read on.
  var hasFault: Bool { self.fault != nil }

  /// Takes what comes next, and gives the responses that are complete now. After a fault nothing counts any more.
  mutating func read(_ element: BatchAnswer.Element) -> [DAVResponse] {
    guard !self.hasFault else { return [] }
    switch element {
    case .unsent:
      self.outcome = nil
      return []
    case .piece(let piece):
      self.bytes += piece.count
      do throws(XMLFault) {
        // The span lives for the call.
        return unsafe try self.reader?.read(piece.span.bytes) ?? []
      } catch { return self.fail(error) }
    case .end(let outcome):
      self.outcome = outcome
      guard case .success(var reply) = outcome, reply.status == 207 else { return [] }
      do throws(XMLFault) {
        guard let (rest, end) = try self.reader?.finish() else { return [] }
        reply.end = end
        self.outcome = .success(reply)
        return rest
      } catch { return self.fail(error) }
    }
  }

  private mutating func fail(_ fault: XMLFault) -> [DAVResponse] {
    self.fault = fault
    self.outcome = .failure(.xml(fault, place: self.place))
    return self.reader?.rescued() ?? []
  }
}
