internal import Bus
internal import KithMessages

/// Who waits for a job, in this process: what belongs to its command, and where news go.
struct JobCaller: Sendable {
  /// What the caller is told.
  enum News: Sendable {
    case progress(Progress)
    /// To be stored; the next but one comes when it is.
    case batch(UInt32, [UInt8])
    /// The last.
    case ended(Result<[UInt8], Failure>)
    /// The last: it had ended before the caller came, and the store has its end.
    case over
  }

  /// Tells one caller of a job from a later one.
  let token: String
  let isInBatches: Bool
  /// What a worker fetches, by digest.
  let inputs: [String: [UInt8]]
  let news: AsyncStream<News>.Continuation

  func end(_ result: Result<[UInt8], Failure>) {
    self.news.yield(.ended(result))
    self.news.finish()
  }
}
