internal import CCurl

/// The reply to a request, after all redirects.
public struct HTTPResponse: Sendable, CustomStringConvertible {
  /// From 200 to 599.
  public let status: Int
  /// Its header fields.
  public let headers: HTTPHeaders
  /// The address that sent it.
  public internal(set) var url: WebURL
  /// Its body. With status 2xx it is whole, or empty if a sink received it; with any other status its first 64 KiB.
  public let body: [UInt8]
  /// The address to use in future, if only permanent redirects (301, 308) led here; nil otherwise.
  public internal(set) var permanentURL: WebURL?
  /// The time to wait before the next request (`Retry-After`), from the arrival of the reply; nil if the server named none.
  public let retryAfterMilliseconds: Int64?

  /// Whether the status is 2xx.
  public var isSuccess: Bool { (200..<300).contains(status) }

  /// Status and origin.
  public var description: String { "\(status) from \(url.origin)" }
}

/// The header field `Retry-After`. RFC 9110 section 10.2.3.
enum RetryAfter {
  /// The longest accepted wait: a day.
  static let longest: Int64 = 86_400_000

  /// Milliseconds from now, 0 for a past date; nil if the value is neither a number nor a date.
  ///
  /// - Parameters:
  ///   - value: The value of the field: seconds, or a date in one of the three forms of HTTP.
  ///   - date: The `Date` field of the same reply: the server's clock may be wrong.
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
