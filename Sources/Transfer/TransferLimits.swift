/// Limits of time and size for a transfer.
public struct TransferLimits: Hashable, Sendable {
  /// The time to connect, with name look-up and TLS.
  public var connect: Duration
  /// The time without a byte in either direction, in whole seconds, at least one. Libcurl measures the average of five seconds, so
  /// after a quick beginning it takes a few seconds more.
  public var idle: Duration
  /// The time from the call to the end of the reply, redirects included.
  public var total: Duration
  /// The most bytes of a reply's decompressed body.
  public var bodyBytes: Int
  /// The largest ratio of a decompressed body to its size on the wire. A mebibyte is always allowed.
  public var compressionRatio: Int
  /// The most redirects to follow.
  public var redirects: Int

  /// Makes limits; the defaults suit a listing of a large address book.
  public init(
    connect: Duration = .seconds(30), idle: Duration = .seconds(60), total: Duration = .seconds(600),
    bodyBytes: Int = 64 << 20, compressionRatio: Int = 100, redirects: Int = 5
  ) {
    self.connect = connect
    self.idle = idle
    self.total = total
    self.bodyBytes = bodyBytes
    self.compressionRatio = compressionRatio
    self.redirects = redirects
  }
}
