/// The reply to a request, after all redirects.
public struct HTTPResponse: Sendable, CustomStringConvertible {
  /// From 200 to 599.
  public let status: Int
  /// Fields of its head.
  public let headers: HTTPHeaders
  /// Where it came from.
  public internal(set) var url: WebURL
  /// Its body: whole when the status is 2xx and it did not go to a sink, otherwise the first 64 KiB.
  public let body: [UInt8]
  /// Where permanent redirects (301, 308) alone have led: the address to use from now on. Nil without any.
  public internal(set) var permanentURL: WebURL?
  /// How long to wait before the next request, if the server says so (`Retry-After`), from when the reply came.
  public let retryAfterMilliseconds: Int64?

  /// Whether the status is one of success.
  public var isSuccess: Bool { (200..<300).contains(status) }

  /// Status and origin.
  public var description: String { "\(status) from \(url.origin)" }
}
