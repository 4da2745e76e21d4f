import Foundation
import TestKit
import Testing
import Transfer

@Suite(.timeLimit(.minutes(5)))
struct RequestTests {
  @Test func methodsAndBodiesArrive() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      for method in ["GET", "PROPFIND", "REPORT", "PUT", "POST", "DELETE", "MKCOL", "OPTIONS"] {
        var request = HTTPRequest(
          method, try server.url("/echo?a=b"),
          headers: ["Depth": "1", "X-Empty": "", "Content-Type": "application/xml"])
        var echo = Echo(try await client.send(request))
        #expect(echo.line == "\(method) /echo?a=b")
        #expect(echo.header("depth") == "1")
        #expect(echo.header("x-empty") == "")
        #expect(echo.header("content-type") == "application/xml")
        #expect(echo.header("user-agent") == "Kith")
        #expect(echo.header("expect") == nil)
        #expect(echo.header("content-length") == (["PUT", "POST"].contains(method) ? "0" : nil))
        #expect(echo.header("transfer-encoding") == nil)
        request.body = .bytes(Array("<propfind/>".utf8))
        echo = Echo(try await client.send(request))
        #expect(echo.line == "\(method) /echo?a=b")
        #expect(echo.header("content-length") == "11")
        #expect(echo.body == "<propfind/>")
      }
    }
  }

  @Test func headHasNoBody() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let response = try await client.send(HTTPRequest("HEAD", try server.url("/status?code=200&size=100000000")))
      #expect(response.status == 200)
      #expect(response.headers["Content-Length"] == "100000000")
      #expect(response.body.isEmpty)
    }
  }

  @Test func pathsAreSentAsTheyAre() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let echo = Echo(try await client.send(HTTPRequest("GET", try server.url("/echo?p=%2e%2E/%c3%bc&s=a b"))))
      #expect(echo.line == "GET /echo?p=%2e%2E/%c3%bc&s=a%20b")
    }
  }

  @Test func bodiesComeFromFilesAndPieces() async throws {
    let server = try await ScriptedServer.shared
    let directory = try TemporaryDirectory()
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try Data(content).write(to: URL(fileURLWithPath: directory.file("body")))
    let pieces: @Sendable () -> () -> [UInt8]? = {
      var offset = 0
      return {
        defer { offset += 7_000 }
        return offset < content.count ? Array(content[offset..<min(offset + 7_000, content.count)]) : nil
      }
    }
    try await withClient { client in
      var digests: Set<String> = []
      for body in [
        RequestBody.bytes(content), .file(directory.file("body")), .pieces(length: content.count, open: pieces),
        .pieces(length: nil, open: pieces),
      ] {
        // A redirect, for which the body is read a second time.
        let response = try await client.send(
          HTTPRequest("PUT", try server.redirect(307, to: "/digest-of-body"), body: body))
        digests.insert(response.text)
      }
      #expect(digests.count == 1)
      #expect(digests.first?.count == 64)
      #expect(digests.first != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }
  }

  @Test func bodiesThatCannotBeReadAreNamed() async throws {
    struct Broken: Error {}
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let url = try server.url("/echo")
      for body in [
        RequestBody.file("/nonexistent"), .file("/tmp"), .pieces(length: nil) { throw Broken() },
        .pieces(length: 10) { { nil } },
      ] {
        let error = await client.failure(HTTPRequest("PUT", url, body: body))
        guard case .requestBody? = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
    }
  }

  @Test func credentialsAreShown() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      var request = HTTPRequest("GET", try server.url("/echo"))
      #expect(Echo(try await client.send(request)).header("authorization") == nil)
      request.credentials = .basic(username: "ann", password: "p:ä")
      let basic = "Basic " + Data("ann:p:ä".utf8).base64EncodedString()
      #expect(Echo(try await client.send(request)).header("authorization") == basic)
      request.credentials = .bearer(token: "t0ken")
      #expect(Echo(try await client.send(request)).header("authorization") == "Bearer t0ken")
    }
  }

  /// As in sabre/dav: a REPORT without a body fails before a login is required, and a nonce is valid until it is stale.
  @Test func aPasswordGoesAsADigestWhereNothingElseIsTaken() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let password = Credentials.basic(username: "ann", password: "s3cret")
      let name = UUID().uuidString
      var refusals: [String] = []
      for use in 1...6 {
        let response = try await client.send(
          HTTPRequest(
            "REPORT", try server.url("/digest?\(name)"), body: .bytes(Array("query \(use)".utf8)),
            credentials: password))
        #expect(response.status == 200)
        #expect(response.text == "query \(use)")
        refusals.append(response.headers["X-Refusals"] ?? "")
      }
      // One before the first response, and one after four uses of the nonce.
      #expect(refusals == ["1", "1", "1", "1", "2", "2"])
      let wrong = Credentials.basic(username: "ann", password: "wrong")
      let refused = try await client.send(
        HTTPRequest("REPORT", try server.url("/digest?\(name)"), body: .bytes([1]), credentials: wrong))
      #expect(refused.status == 401)
      // Another path of the server requires basic credentials, and its refusal of the digest says so.
      let barred = try await client.send(HTTPRequest("GET", try server.url("/barred"), credentials: password))
      #expect(barred.status == 401)
      let echo = Echo(try await client.send(HTTPRequest("GET", try server.url("/echo"), credentials: password)))
      #expect(echo.header("authorization")?.hasPrefix("Basic ") == true)
    }
  }

  @Test func requestsThatWouldBreakTheHeadAreRefused() async throws {
    let url = try await ScriptedServer.shared.url("/echo")
    try await withClient { client in
      for request in [
        HTTPRequest("GE T", url), HTTPRequest("GET\r\nX: y", url), HTTPRequest("", url),
        HTTPRequest("GET", url, headers: ["X": "a\r\nY: b"]), HTTPRequest("GET", url, headers: ["X\r\nY": "b"]),
        HTTPRequest("GET", url, headers: ["": "b"]), HTTPRequest("GET", url, headers: ["Content-Length": "5"]),
        HTTPRequest("GET", url, headers: ["transfer-encoding": "chunked"]),
      ] {
        let error = await client.failure(request)
        guard case .invalidRequest? = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
    }
  }

  @Test func plainHTTPStaysOnThisMachine() async throws {
    try await withClient { client in
      let url = try WebURL("http://192.0.2.1/")
      #expect(await client.failure(HTTPRequest("GET", url)) == .insecure(url.origin))
    }
  }

  @Test func connectionsAreKept() async throws {
    let server = try await ScriptedServer()
    try await withClient { client in
      let request = HTTPRequest("GET", try server.url("/connection"))
      for count in 1...5 {
        #expect(try await client.send(request).text == "1 \(count)")
      }
      // A body is sent on a connection that is found closed: it is sent again on a new one.
      let once = HTTPRequest("POST", try server.url("/once"), body: .bytes([1]))
      #expect(try await client.send(once).text == "1 6")
      #expect(try await client.send(once).text == "2 1")
    }
  }

  @Test(arguments: [true, false])
  func whatMustNotHappenTwiceGoesOutOnce(_ isRepeatable: Bool) async throws {
    let server = try await ScriptedServer()
    try await withClient { client in
      let count = HTTPRequest("GET", try server.url("/swallowed"))
      // On a reused connection, where libcurl itself sends again.
      #expect(try await client.send(count).text == "0")
      let request = HTTPRequest("POST", try server.url("/swallow"), body: .bytes([1]), isRepeatable: isRepeatable)
      guard case .connectionLost(_, request.url.origin)? = await client.failure(request) else {
        Issue.record("a request without a reply came to an end")
        return
      }
      #expect(try await client.send(count).text == (isRepeatable ? "2" : "1"))
    }
  }

  @Test func connectionsAreLimited() async throws {
    let server = try await ScriptedServer()
    try await withClient(connectionsPerHost: 2) { client in
      let request = HTTPRequest("GET", try server.url("/connection"))
      let numbers = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<20 {
          group.addTask { try await client.send(request).text }
        }
        return try await group.reduce(into: Set<Substring>()) { $0.formUnion($1.split(separator: " ").prefix(1)) }
      }
      #expect(numbers.isSubset(of: ["1", "2"]))
    }
  }

  @Test func environmentProxiesAreIgnored() async {
    // In a process of its own: the environment belongs to all tests.
    await #expect(processExitsWith: .success) {
      setenv("http_proxy", "http://127.0.0.1:1", 1)
      let server = try await ScriptedServer()
      let request = HTTPRequest("GET", try server.url("/echo"))
      #expect(try await withClient { try await $0.send(request) }.status == 200)
      server.process.stop()
    }
  }
}
