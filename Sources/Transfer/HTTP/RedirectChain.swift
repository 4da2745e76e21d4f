/// The redirects of one request: the next address, and what is sent to it.
///
/// RFC 9110 section 15.4 lets a client turn POST into GET at 301 and 302; this one never does, because a PROPFIND or a
/// REPORT without its body is another request. Only 303 leads to a GET.
struct RedirectChain: Sendable {
  /// The request to send now.
  private(set) var request: HTTPRequest
  private let origin: Origin
  private var count = 0
  private var isPermanent = true

  init(_ request: HTTPRequest) {
    self.request = request
    origin = request.url.origin
  }

  /// The address to which only permanent redirects led; nil otherwise.
  var permanentURL: WebURL? { count > 0 && isPermanent ? request.url : nil }

  /// Follows a redirect. Returns true if there is another request to send.
  ///
  /// - Throws: `tooManyRedirects`, `refusedRedirect`, and `insecure` for plain http.
  mutating func follow(status: Int, location: String?) throws(TransferError) -> Bool {
    guard [301, 302, 303, 307, 308].contains(status), let location else { return false }
    guard count < request.limits.redirects else { throw .tooManyRedirects(limit: request.limits.redirects, origin) }
    let from = request.url.origin
    let next: WebURL
    do throws(TransferError) {
      next = try request.url.resolving(location)
    } catch {
      throw .refusedRedirect(.invalidURL, from)
    }
    if from.isEncrypted, !next.origin.isEncrypted { throw .refusedRedirect(.downgrade, from) }
    count += 1
    isPermanent = isPermanent && (status == 301 || status == 308)
    request.url = next
    if status == 303 { dropBody() }
    if next.origin != origin { dropSecrets() }
    try request.check()
    return true
  }

  private mutating func dropBody() {
    if request.method != "HEAD" { request.method = "GET" }
    request.body = nil
    for name in ["Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Length"] {
      request.headers[name] = nil
    }
  }

  /// Removes them permanently: if the chain returns to its origin, another server led it there.
  private mutating func dropSecrets() {
    request.credentials = nil
    for name in ["Authorization", "Proxy-Authorization", "Cookie"] {
      request.headers[name] = nil
    }
  }
}
