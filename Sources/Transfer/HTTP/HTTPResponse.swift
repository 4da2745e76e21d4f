internal import CCurl

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

/// The field that says when to come again. RFC 9110 section 10.2.3.
enum RetryAfter {
  /// The longest wait that is believed: a day.
  static let longest: Int64 = 86_400_000

  /// Milliseconds from now; nil for what is neither a number nor a date. What is past counts as 0.
  ///
  /// - Parameters:
  ///   - value: Of the field: seconds, or a date in one of the three forms of HTTP.
  ///   - date: The `Date` field of the same reply: the server's clock may differ from ours.
  ///   - now: Seconds since 1970, for replies without `Date`.
  static func milliseconds(_ value: String, date: String?, now: Int64) -> Int64? {
    if let seconds = Int64(value) {
      return seconds < 0 ? nil : min(seconds, longest / 1000) * 1000
    }
    guard let then = time(value) else { return nil }
    let wait = then - (date.flatMap(time) ?? now)
    return min(max(0, wait), longest / 1000) * 1000
  }

  /// Seconds since 1970 of a date. curl_getdate(3).
  private static func time(_ text: String) -> Int64? {
    // The string outlives the call; the second argument is not used.
    let seconds = unsafe curl_getdate(text, nil)
    return seconds == -1 ? nil : Int64(seconds)
  }
}
