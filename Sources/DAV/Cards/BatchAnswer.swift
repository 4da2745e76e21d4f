internal import Transfer

/// The answer to a batch, piece by piece as it arrives.
///
/// One task receives it and another one reads it, so that the next batch is requested while this one is being read.
struct BatchAnswer: Sendable {
  /// A piece of the answer, or its end.
  enum Element: Sendable {
    case piece([UInt8])
    /// The reply without its responses, which are in the pieces; always the last element.
    case end(Result<DAVReply, DAVError>)
    /// The batch was not sent; the only element.
    case unsent
  }

  let batch: CardFetch.Batch
  /// Ends early if the task that reads it is cancelled.
  let elements: AsyncStream<Element>
  /// Has one element when the first piece arrives; ends without an element if no piece arrives.
  private let beginning: AsyncStream<Void>
  private let output: AsyncStream<Element>.Continuation
  private let begins: AsyncStream<Void>.Continuation

  init(to batch: CardFetch.Batch) {
    self.batch = batch
    (self.elements, self.output) = AsyncStream.makeStream()
    (self.beginning, self.begins) = AsyncStream.makeStream()
  }

  /// Sends the batch as soon as the answer to the previous batch begins to arrive. By then most servers have finished
  /// making that answer, and a server that makes two answers at a time takes longer for both. If the previous batch was
  /// refused or failed, this one is not sent.
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
    // Also cancels the request when the reader stops early.
    self.output.onTermination = { _ in asking.cancel() }
    await withTaskCancellationHandler {
      await asking.value
    } onCancel: {
      asking.cancel()
    }
  }

  /// Ends the answer; pieces that have not arrived are discarded.
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

/// Reads the answer to a batch: its responses as they arrive, and the outcome of the batch.
struct BatchReading: ~Copyable {
  private let place: String
  private var reader: MultistatusReader?
  private var fault: XMLFault?
  /// Bytes read so far.
  private(set) var bytes = 0
  /// nil if the batch was not sent. `cancelled` if its answer did not arrive completely.
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

  /// True if the answer cannot be read any further.
  var hasFault: Bool { self.fault != nil }

  /// Reads the next element and returns the responses that are now complete. After a fault, elements are ignored.
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
