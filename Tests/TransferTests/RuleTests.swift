import Testing

@testable import Transfer

/// The rules that are values: redirects, heads, limits, waits.
struct RuleTests {
  private func request(_ method: String = "REPORT", limits: TransferLimits = TransferLimits()) throws -> HTTPRequest {
    HTTPRequest(
      method, try WebURL("https://a.example/dav"),
      headers: ["Depth": "1", "Content-Type": "application/xml", "Cookie": "c", "authorization": "x"],
      body: .bytes([1, 2]), credentials: .basic(username: "ann", password: "s3cret"), limits: limits)
  }

  @Test(arguments: [301, 302, 307, 308])
  func methodAndBodyAreKept(_ status: Int) throws {
    var chain = RedirectChain(try request())
    #expect(try chain.follow(status: status, location: "/other"))
    #expect(chain.request.method == "REPORT")
    #expect(chain.request.body != nil)
    #expect(chain.request.headers == (try request()).headers)
    #expect(chain.request.credentials != nil)
    #expect(chain.request.url.description == "https://a.example/other")
  }

  @Test(arguments: [("POST", "GET"), ("HEAD", "HEAD")])
  func seeOtherDropsTheBody(_ method: String, _ expected: String) throws {
    var chain = RedirectChain(try request(method))
    #expect(try chain.follow(status: 303, location: "/other"))
    #expect(chain.request.method == expected)
    #expect(chain.request.body == nil)
    #expect(chain.request.headers["Content-Type"] == nil)
    #expect(chain.request.headers["Depth"] == "1")
  }

  @Test(
    "Credentials stay within one origin, and do not come back",
    arguments: ["https://b.example/", "https://a.example:8443/", "https://a.example.b.example/"])
  func credentials(_ target: String) throws {
    var chain = RedirectChain(try request())
    #expect(try chain.follow(status: 307, location: target))
    #expect(chain.request.credentials == nil)
    #expect(chain.request.headers["Cookie"] == nil)
    #expect(chain.request.headers["Authorization"] == nil)
    #expect(chain.request.headers["Depth"] == "1")
    #expect(try chain.follow(status: 307, location: "https://a.example/dav"))
    #expect(chain.request.credentials == nil)
  }

  @Test func downgradesAndOtherSchemesAreRefused() throws {
    let origin = try request().url.origin
    for (target, fault) in [
      ("http://a.example/dav", TransferError.RedirectFault.downgrade), ("http://127.0.0.1/", .downgrade),
      ("file:///etc/passwd", .invalidURL), ("https://u:p@a.example/", .invalidURL),
    ] {
      var chain = RedirectChain(try request())
      #expect(throws: TransferError.refusedRedirect(fault, origin)) {
        try chain.follow(status: 301, location: target)
      }
    }
  }

  @Test func plainHTTPLeadsToLoopbackOnlyUnlessAllowed() throws {
    var request = HTTPRequest("GET", try WebURL("http://127.0.0.1:8080/"))
    var chain = RedirectChain(request)
    #expect(throws: TransferError.insecure(try WebURL("http://b.example").origin)) {
      try chain.follow(status: 302, location: "http://b.example/")
    }
    request.allowsPlainHTTP = true
    chain = RedirectChain(request)
    #expect(try chain.follow(status: 302, location: "http://b.example/"))
  }

  @Test func redirectsAreCounted() throws {
    var chain = RedirectChain(try request(limits: TransferLimits(redirects: 2)))
    #expect(try chain.follow(status: 302, location: "/1"))
    #expect(try chain.follow(status: 302, location: "/2"))
    #expect(throws: TransferError.tooManyRedirects(limit: 2, try request().url.origin)) {
      try chain.follow(status: 302, location: "/3")
    }
  }

  @Test(arguments: [(200, "/x"), (300, "/x"), (304, "/x"), (305, "/x"), (401, "/x")])
  func otherStatusesAreReplies(_ status: Int, _ location: String) throws {
    var chain = RedirectChain(try request())
    #expect(try !chain.follow(status: status, location: location))
    #expect(try !chain.follow(status: 301, location: nil))
  }

  @Test func permanentAddress() throws {
    var chain = RedirectChain(try request())
    #expect(chain.permanentURL == nil)
    _ = try chain.follow(status: 301, location: "/1")
    _ = try chain.follow(status: 308, location: "/2")
    #expect(chain.permanentURL?.path == "/2")
    _ = try chain.follow(status: 302, location: "/3")
    _ = try chain.follow(status: 301, location: "/4")
    #expect(chain.permanentURL == nil)
  }

  @Test(
    arguments: [
      ("120", 120_000), ("0", 0), ("-1", nil), ("", nil), ("soon", nil), ("99999999999", 86_400_000),
      ("Fri, 31 Dec 1999 23:59:59 GMT", 59_000), ("Friday, 31-Dec-99 23:59:59 GMT", 59_000),
      ("Fri Dec 31 23:59:59 1999", 59_000), ("Fri, 31 Dec 1999 23:00:00 GMT", 0),
      ("Sun, 31 Dec 2000 23:00:00 GMT", 86_400_000),
    ] as [(String, Int64?)])
  func retryAfter(_ value: String, _ expected: Int64?) {
    let date = "Fri, 31 Dec 1999 23:59:00 GMT"
    #expect(RetryAfter.milliseconds(value, date: date, now: 0) == expected)
    #expect(RetryAfter.milliseconds(value, date: nil, now: 946_684_740) == expected)
  }

  @Test func headersAreComparedWithoutCase() {
    var headers: HTTPHeaders = ["ETag": "1", "etag": "2", "X": "y"]
    #expect(headers["ETAG"] == "2")
    #expect(headers.values(of: "eTag") == ["1", "2"])
    headers["Etag"] = "3"
    #expect(headers.values(of: "ETag") == ["3"])
    #expect(headers["X-"] == nil)
    #expect(!"\(headers)".contains("y"))
  }

  @Test func bodiesAreGauged() throws {
    let origin = try request().url.origin
    var gauge = ReplyGauge(TransferLimits(bodyBytes: 20_000_000, compressionRatio: 100), origin)
    gauge.receive(1)
    try gauge.admit(1 << 20)
    #expect(throws: TransferError.compressionBomb(origin)) { try gauge.admit(1) }
    gauge.receive(10_485)
    try gauge.admit(99)
    #expect(throws: TransferError.compressionBomb(origin)) { try gauge.admit(1_000) }
    gauge.receive(1_000_000)
    #expect(throws: TransferError.tooLarge(limit: 20_000_000, origin)) { try gauge.admit(20_000_000) }
    #expect(throws: TransferError.tooLarge(limit: 20_000_000, origin)) { try gauge.admit(announced: 20_000_001) }
  }

  @Test(arguments: [
    (["Basic realm=\"x, Digest\""], ["basic"]), (["Digest realm=\"x\", qop=\"auth\""], ["digest"]),
    (["Digest realm=\"x\"", "Basic realm=\"x\""], ["digest", "basic"]),
    (["Digest realm=\"x\", basic realm = \"x\""], ["digest", "basic"]), (["Bearer"], ["bearer"]), ([], []),
    (["Negotiate, NTLM ,Basic realm=\"a \\\"b\\\", c=d\", charset=UTF-8"], ["negotiate", "ntlm", "basic"]),
    (["=,\"", "Digest realm=\"x"], ["digest"]),
  ])
  func challengesAreTold(lines: [String], schemes: [String]) {
    #expect(AuthenticationChallenge.challenges(lines).map(\.scheme) == schemes)
  }

  @Test func parametersOfAChallengeAreRead() {
    let challenges = AuthenticationChallenge.challenges(["Basic realm=\"a \\\"b\\\", c=d\", CharSet=UTF-8"])
    #expect(challenges.map(\.parameters) == [["realm": "a \"b\", c=d", "charset": "UTF-8"]])
  }

  /// The examples of RFC 7616 section 3.9.1, and of RFC 2617 section 3.5 without a quality.
  @Test(arguments: [
    (", qop=\"auth, auth-int\", algorithm=MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    (", qop=\"auth, auth-int\", algorithm=SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    (", qop=\"auth\"", "8ca523f5e9506fed4657c9700eebdbec"),
  ])
  func digestsAreThoseOfTheStandard(_ more: String, _ response: String) throws {
    let line = "Digest realm=\"http-auth@example.org\", nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\"" + more
    var login = try #require(DigestLogin(AuthenticationChallenge.challenges([line])))
    func proof() -> String {
      login.proof(
        username: "Mufasa", password: "Circle of Life", method: "GET", target: "/dir/index.html",
        clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ") ?? ""
    }
    let first = proof()
    #expect(first.contains("response=\"\(response)\"") && first.contains("nc=00000001") && first.hasPrefix("Digest "))
    #expect(proof().contains("nc=00000002"), "the nonce is used again, and counted")
  }

  @Test func whatCannotBeProvenIsNoDigestLogin() {
    for more in ["", ", nonce=\"n\", algorithm=SHA-512-256", ", nonce=\"n\", qop=\"auth-int\""] {
      #expect(DigestLogin(AuthenticationChallenge.challenges(["Digest realm=\"x\"" + more])) == nil)
    }
    let challenges = AuthenticationChallenge.challenges(["Digest nonce=\"n\", stale=TRUE"])
    #expect(DigestLogin(challenges)?.isStale == true)
  }

  @Test func nothingShowsSecrets() throws {
    let request = try request()
    for text in ["\(request)", String(reflecting: request)] {
      #expect(!text.contains("s3cret"))
    }
    for credentials in [
      Credentials.basic(username: "ann", password: "s3cret"), .bearer(token: "s3cret"),
    ] {
      var dumped = ""
      dump(credentials, to: &dumped)
      for text in ["\(credentials)", String(reflecting: credentials), dumped] {
        #expect(!text.contains("s3cret"))
      }
    }
  }
}
