internal import Transfer

/// The answer to a batch, piece by piece as it comes.
///
/// One task brings it and another one reads it, so that a server is asked for the next batch while this one is being read.
struct BatchAnswer: Sendable {
  /// What it consists of.
  enum Element: Sendable {
    case piece([UInt8])
    /// The reply without its responses, which are in the pieces; always the last element.
    case end(Result<DAVReply, DAVError>)
  }

  let batch: CardFetch.Batch
  /// Ends early where the task that reads it is cancelled.
  let elements: AsyncStream<Element>
  /// Ends when the answer begins to come: then the server has made it.
  private let beginning: AsyncStream<Never>
  private let output: AsyncStream<Element>.Continuation
  private let begins: AsyncStream<Never>.Continuation

  init(to batch: CardFetch.Batch) {
    self.batch = batch
    (self.elements, self.output) = AsyncStream.makeStream()
    (self.beginning, self.begins) = AsyncStream.makeStream()
  }

  /// Sends the batch, as soon as the answer to the one before begins to come: a server that makes two answers at a time takes
  /// longer for both.
  func bring(from url: WebURL, _ client: DAVClient, after previous: BatchAnswer?) async {
    defer {
      self.begins.finish()
      self.output.finish()
    }
    if let previous { for await _ in previous.beginning {} }
    do throws(DAVError) {
      let exchange = try await client.ask(self.batch.request, ofBook: url) { piece in
        self.begins.finish()
        // The bytes are copied: the piece lives for the call.
        let bytes = unsafe piece.withUnsafeBytes { unsafe Array($0) }
        if case .terminated = self.output.yield(.piece(bytes)) { throw TransferError.cancelled }
      }
      self.output.yield(.end(.success(exchange.reply)))
    } catch {
      self.output.yield(.end(.failure(error)))
    }
  }

  /// Ends it: what has not come is not wanted.
  func stop() { self.output.finish() }
}
