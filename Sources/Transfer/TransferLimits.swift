/// How long a transfer may take and how much it may bring.
public struct TransferLimits: Hashable, Sendable {
  /// Until a connection stands, look-up of the name and TLS included.
  public var connect: Duration
  /// Without a byte in either direction; counted in whole seconds, at least one. Libcurl looks at the average of five
  /// seconds, so after a quick beginning it takes a few seconds more.
  public var idle: Duration
  /// From the call to the end of the reply, redirects included.
  public var total: Duration
  /// Bytes of the body of a reply, decompressed.
  public var bodyBytes: Int
  /// How many times its size on the wire a body may have. A mebibyte is always allowed.
  public var compressionRatio: Int
  /// Redirects that are followed.
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
