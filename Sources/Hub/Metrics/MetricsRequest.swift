/// What a client of the metrics socket asks for: HTTP/1.0 (RFC 1945), as far as `GET /metrics` needs it.
enum MetricsRequest: Hashable, Sendable {
  /// The metrics.
  case metrics
  /// Another path.
  case otherPath
  /// Another method than GET.
  case otherMethod
  /// No request, or one that is too long.
  case malformed

  /// The longest request, in bytes.
  static let limit = 8 << 10

  /// The text format of Prometheus.
  static let metricsType = "text/plain; version=0.0.4; charset=utf-8"

  /// Reads a request.
  ///
  /// - Parameter bytes: What has come so far.
  /// - Returns: Nil while more has to come.
  init?(_ bytes: [UInt8]) {
    let lines = bytes.filter { $0 != UInt8(ascii: "\r") }.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // The header ends with an empty line. The last of these is what follows the last line feed, and no whole line.
    guard lines.dropFirst().dropLast().contains(where: \.isEmpty) else {
      guard bytes.count >= Self.limit else { return nil }
      self = .malformed
      return
    }
    let words = String(decoding: lines[0], as: UTF8.self).split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
      self = .malformed
      return
    }
    guard words[0] == "GET" else {
      self = .otherMethod
      return
    }
    self = words[1] == "/metrics" ? .metrics : .otherPath
  }

  /// The answer to a request that is not for the metrics; nil for one that is.
  var refusal: [UInt8]? {
    switch self {
    case .metrics: nil
    case .otherMethod: Self.answer(405, "Method Not Allowed", "Only GET is served here.\n", more: "Allow: GET\r\n")
    case .otherPath: Self.answer(404, "Not Found", "Only /metrics is served here.\n")
    case .malformed: Self.answer(400, "Bad Request", "This is no request of HTTP/1.0 for /metrics.\n")
    }
  }

  /// An answer, after which the connection ends.
  static func answer(
    _ code: Int, _ reason: String, _ body: String, type: String = "text/plain; charset=utf-8", more: String = ""
  ) -> [UInt8] {
    let head =
      "HTTP/1.0 \(code) \(reason)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
      + "\(more)Connection: close\r\n\r\n"
    return Array((head + body).utf8)
  }
}
