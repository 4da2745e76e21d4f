internal import CCurl

/// One request and its reply, without redirects.
final class HTTPExchange: Transfer {
  /// The bytes kept of a body whose status is not 2xx.
  private static let keptOfFailure = 64 << 10
  /// The bytes that libcurl reads from a socket at once; it passes a body on in pieces of 16 KiB in any case.
  private static let receiveBuffer = 64 << 10

  private let request: HTTPRequest
  private let settings: HTTPClient.Settings
  private let proof: String?
  private let remaining: Duration
  private let sink: HTTPClient.Sink?
  private var lines = StringList()
  private var reader: BodyReader?
  private var head = ReplyHead()
  private var gauge: ReplyGauge
  /// Decompresses a gzip body.
  private var inflater: Inflater?
  private var hasBody = false
  private var body: [UInt8] = []
  /// The deadline, set when the transfer begins.
  private var deadline = ContinuousClock.now
  /// Why this side ended the transfer; nil if it did not.
  private var failure: TransferError?

  /// Makes an exchange.
  ///
  /// - Parameters:
  ///   - request: The request, already checked.
  ///   - proof: The value of `Authorization`; nil to send the credentials themselves.
  ///   - remaining: The time left.
  ///   - sink: Receives the body of a reply with status 2xx.
  init(
    _ request: HTTPRequest, _ settings: HTTPClient.Settings, proof: String?, remaining: Duration, sink: HTTPClient.Sink?
  ) {
    self.request = request
    self.settings = settings
    self.proof = proof
    self.remaining = remaining
    self.sink = sink
    gauge = ReplyGauge(request.limits, request.url.origin)
  }

  // MARK: - Request

  func configure(_ easy: borrowing EasyHandle) throws(TransferError) {
    try easy.set(.protocols, "http,https")
    try easy.set(.url, request.url.description)
    try easy.set(.keepsPath, true)
    try easy.set(.httpVersion, Int(CURL_HTTP_VERSION_2TLS))
    try easy.set(.waitsToShare, true)
    try easy.set(.userAgent, settings.userAgent)
    try easy.set(.receiveBuffer, Self.receiveBuffer)
    try easy.set(.connectMilliseconds, request.limits.connect.curlMilliseconds)
    deadline = .now + .milliseconds(remaining.curlMilliseconds)
    try easy.set(.totalMilliseconds, remaining.curlMilliseconds)
    try easy.set(.idleSpeed, 1)
    try easy.set(.idleSeconds, (request.limits.idle.curlMilliseconds + 999) / 1000)
    try settings.tls.configure(easy)
    if proof == nil { try request.credentials?.configure(easy) }
    try configureBody(easy)
    try configureHeaders(easy)
  }

  private func configureBody(_ easy: borrowing EasyHandle) throws(TransferError) {
    if request.method == "HEAD" {
      try easy.set(.expectsNoBody, true)
      return
    }
    // Methods whose requests have a length even without a body: RFC 9110 section 8.6.
    let content = request.body ?? (["POST", "PUT", "PATCH"].contains(request.method) ? .bytes([]) : nil)
    if let content {
      let opened = try BodyReader(content)
      try easy.set(.sendsBody, true)
      try easy.set(.bodySize, Int64(opened.length ?? -1))
      reader = consume opened
    }
    try easy.set(.method, request.method)
  }

  private func configureHeaders(_ easy: borrowing EasyHandle) throws(TransferError) {
    // A line with nothing after the colon removes libcurl's own header, with which it would wait a second for a 100 Continue
    // that many servers never send.
    try lines.append("Expect:")
    if request.headers["Accept-Encoding"] == nil { try lines.append("Accept-Encoding: gzip") }
    if let proof { try lines.append("Authorization: \(proof)") }
    for field in request.headers.fields {
      // A semicolon stands for an empty value: CURLOPT_HTTPHEADER(3).
      try lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    try easy.set(.headerLines, lines)
  }

  // MARK: - Data

  func receive(head line: UnsafeRawBufferPointer) -> Bool {
    attempt { () throws(TransferError) in
      // Libcurl's bytes, valid during the call.
      guard unsafe head.take(line) else {
        throw TransferError.malformedReply("its head has more than \(ReplyHead.limit) bytes", request.url.origin)
      }
      guard head.isComplete, !hasBody else { return }
      inflater = head.isCompressed ? Inflater() : nil
      guard head.isSuccess, request.method != "HEAD", let size = head.announcedSize else { return }
      try gauge.admit(announced: size)
      if sink == nil { body.reserveCapacity(size) }
    }
  }

  func receive(body chunk: UnsafeRawBufferPointer) -> Bool {
    attempt { () throws(TransferError) in
      hasBody = true
      gauge.receive(chunk.count)
      guard inflater != nil else { return try unsafe keep(chunk) }
      // Libcurl's bytes, valid during the call.
      guard try unsafe inflater?.decode(chunk, { bytes throws(TransferError) in try unsafe keep(bytes) }) == true else {
        throw TransferError.malformedReply("its body is not gzip, although its header says so", request.url.origin)
      }
    }
  }

  private func keep(_ bytes: UnsafeRawBufferPointer) throws(TransferError) {
    try gauge.admit(bytes.count)
    if !head.isSuccess {
      // At most the bytes of the buffer.
      unsafe body.append(contentsOf: bytes.prefix(Self.keptOfFailure - body.count))
    } else if let sink {
      do {
        // Valid during the call, which the span cannot leave.
        try sink(unsafe bytes.bytes)
      } catch {
        throw .sink
      }
    } else {
      unsafe body.append(contentsOf: bytes)
    }
  }

  func give(into room: UnsafeMutableRawBufferPointer) -> Int? {
    var count: Int?
    _ = attempt { () throws(TransferError) in
      // Libcurl's buffer, valid during the call.
      count = try unsafe reader?.read(into: room) ?? 0
    }
    return count
  }

  func rewind() -> Bool {
    guard request.isRepeatable else { return false }
    reader?.rewind()
    return true
  }

  /// Stores the error that `body` throws. Returns true to continue.
  private func attempt(_ body: () throws(TransferError) -> Void) -> Bool {
    do throws(TransferError) {
      try body()
      return true
    } catch {
      failure = error
      return false
    }
  }

  // MARK: - Result

  func finish(_ code: CURLcode, _ easy: borrowing EasyHandle) throws(TransferError) -> HTTPResponse {
    if let failure { throw failure }
    guard code == CURLE_OK else {
      throw TransferError(code, easy, request.url.origin, hasHead: head.isComplete, deadline: deadline)
    }
    guard head.isComplete else { throw .malformedReply("it has no status", request.url.origin) }
    // HTTP reported a complete body, but the gzip stream is cut off.
    if hasBody, inflater?.isComplete == false { throw .truncated(request.url.origin) }
    return HTTPResponse(
      status: head.status, headers: head.headers, url: request.url, body: body,
      retryAfterMilliseconds: head.headers["Retry-After"].flatMap {
        RetryAfter.milliseconds($0, date: head.headers["Date"], now: Int64(time(nil)))
      })
  }
}

extension Duration {
  /// At least 1, because 0 is no limit for libcurl; at most what a C `long` holds on every platform.
  var curlMilliseconds: Int {
    let whole = components.seconds.multipliedReportingOverflow(by: 1000)
    guard !whole.overflow, whole.partialValue < Int64(Int32.max) else { return Int(Int32.max) }
    return max(1, Int(whole.partialValue + components.attoseconds / 1_000_000_000_000_000))
  }
}

/// Checks the size of a reply's body against its limits while it arrives.
struct ReplyGauge: Sendable {
  /// The decompressed bytes that are always allowed, because the beginning of a text compresses better than the rest.
  static let floor = 1 << 20

  private let limits: TransferLimits
  private let origin: Origin
  private var received = 0
  private var count = 0

  init(_ limits: TransferLimits, _ origin: Origin) {
    self.limits = limits
    self.origin = origin
  }

  /// Checks the announced size of a reply.
  func admit(announced size: Int) throws(TransferError) {
    guard size <= limits.bodyBytes else { throw .tooLarge(limit: limits.bodyBytes, origin) }
  }

  /// Counts bytes on the wire.
  mutating func receive(_ size: Int) {
    received += size
  }

  /// Checks a further piece, decompressed.
  mutating func admit(_ size: Int) throws(TransferError) {
    count += size
    guard count <= limits.bodyBytes else { throw .tooLarge(limit: limits.bodyBytes, origin) }
    guard count <= Self.floor || count / limits.compressionRatio <= received else { throw .compressionBomb(origin) }
  }
}
