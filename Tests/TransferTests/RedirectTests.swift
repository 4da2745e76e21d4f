import Testing
import Transfer

@Suite(.timeLimit(.minutes(5)))
struct RedirectTests {
  private func request(_ url: WebURL) -> HTTPRequest {
    HTTPRequest(
      "REPORT", url, headers: ["Depth": "1"], body: .bytes(Array("<query/>".utf8)),
      credentials: .basic(username: "ann", password: "s3cret"))
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func followed(_ status: Int) async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let response = try await client.send(request(try server.redirect(status, to: "/echo")))
      let echo = Echo(response)
      #expect(echo.line == (status == 303 ? "GET /echo" : "REPORT /echo"))
      #expect(echo.body == (status == 303 ? "" : "<query/>"))
      #expect(echo.header("depth") == "1")
      #expect(echo.header("authorization") != nil)
      #expect(response.url == (try server.url("/echo")))
      #expect(response.permanentURL == (status == 301 || status == 308 ? response.url : nil))
    }
  }

  @Test func credentialsDoNotLeaveTheirOrigin() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let target = try server.otherURL("/echo")
      let response = try await client.send(request(try server.redirect(307, to: target.description)))
      #expect(response.url == target)
      let echo = Echo(response)
      #expect(echo.line == "REPORT /echo")
      #expect(echo.body == "<query/>")
      #expect(echo.header("authorization") == nil)
    }
  }

  @Test func loopsEnd() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      for path in ["/loop", "/hops?left=6"] {
        let request = request(try server.url(path))
        #expect(await client.failure(request) == .tooManyRedirects(limit: 5, request.url.origin))
      }
      #expect(try await client.send(request(try server.url("/hops?left=5"))).text == "arrived")
    }
  }

  @Test func otherProtocolsAreRefused() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      for target in ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "//ann:x@127.0.0.1/"] {
        let request = request(try server.redirect(302, to: target))
        #expect(await client.failure(request) == .refusedRedirect(.invalidURL, request.url.origin))
      }
    }
  }

  @Test func theSinkGetsTheLastReplyOnly() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let sink = ByteCollector()
      let response = try await client.send(request(try server.redirect(301, to: "/echo")), sink: sink.take)
      #expect(response.body.isEmpty)
      #expect(sink.text.hasPrefix("REPORT /echo\n"))
    }
  }
}
