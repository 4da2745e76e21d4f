/// The answer to a ``DAVRequest``, read to its end.
public struct DAVReply: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// Seconds of `Retry-After`.
  public var retryAfter: Int?
  /// The responses of a multistatus, unless they were taken one by one while it was read.
  public var responses: [DAVResponse] = []
  /// What was said of the whole: of a multistatus, or in the body of a refusal.
  public var end = MultistatusEnd()
  /// The `ETag` header.
  public var entityTag: String?
  /// The body of a GET.
  public var body: [UInt8] = []

  /// Makes a reply without a body.
  public init(status: Int, retryAfter: Int? = nil) {
    self.status = status
    self.retryAfter = retryAfter
  }
}
