import EventLoop
import Testing
import Transfer

@Suite(.timeLimit(.minutes(5)))
struct ReplyTests {
  @Test func statusesAreReplies() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      for code in [204, 207, 304, 400, 401, 404, 412, 429, 500, 503] {
        let response = try await client.send(HTTPRequest("GET", try server.url("/status?code=\(code)")))
        #expect(response.status == code)
      }
    }
  }

  @Test func interimRepliesAreLeftOut() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let response = try await client.send(HTTPRequest("GET", try server.url("/interim")))
      #expect(response.status == 200)
      #expect(response.text == "final")
      #expect(response.headers["X-Early"] == nil)
      #expect(response.headers["x-final"] == "yes")
      #expect(response.headers.values(of: "X-Twice") == ["one", "two"])
    }
  }

  @Test func retryAfterComesInMilliseconds() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let base = "/status?code=429&Date=Fri,%2031%20Dec%201999%2023:59:00%20GMT&Retry-After="
      #expect(try await client.send(HTTPRequest("GET", try server.url(base + "7"))).retryAfterMilliseconds == 7_000)
      let date = try server.url(base + "Fri,%2031%20Dec%201999%2023:59:30%20GMT")
      #expect(try await client.send(HTTPRequest("GET", date)).retryAfterMilliseconds == 30_000)
      let none = try server.url("/status?code=429")
      #expect(try await client.send(HTTPRequest("GET", none)).retryAfterMilliseconds == nil)
    }
  }

  @Test func bodiesAreStreamedInOrder() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let size = 5_000_001
      let checked = Lock(0)
      let response = try await client.send(HTTPRequest("GET", try server.url("/bytes?size=\(size)"))) { piece in
        try checked.withLock { count in
          for index in piece.byteOffsets {
            let byte = piece.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            guard byte == UInt8(truncatingIfNeeded: count) else { throw TransferError.sink }
            count += 1
          }
        }
      }
      #expect(response.body.isEmpty)
      #expect(checked.withLock { $0 } == size)
      #expect(try await client.send(HTTPRequest("GET", try server.url("/bytes?size=\(size)"))).body.count == size)
    }
  }

  @Test func bodiesOfFailuresAreKeptInPart() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let sink = ByteCollector()
      let response = try await client.send(
        HTTPRequest("GET", try server.url("/status?code=500&size=100000")), sink: sink.take)
      #expect(response.body.count == 65_536)
      #expect(sink.count == 0)
    }
  }

  @Test func aSinkThatThrowsEndsTheTransfer() async throws {
    struct Full: Error {}
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let request = HTTPRequest("GET", try server.url("/endless"))
      #expect(await client.failure(request) { _ in throw Full() } == .sink)
    }
  }

  @Test func gzipIsUndone() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let response = try await client.send(HTTPRequest("GET", try server.url("/gzip")))
      #expect(response.headers["Content-Encoding"] == "gzip")
      #expect(response.text == String(repeating: "text ", count: 20_000))
      // Two members, one after the other, and a body that is empty before the first.
      #expect(try await client.send(HTTPRequest("GET", try server.url("/gzip-members"))).text == "onetwo")
      let empty = try server.url("/status?code=200&Content-Encoding=gzip")
      #expect(try await client.send(HTTPRequest("GET", empty)).body.isEmpty)
    }
  }

  @Test func hostileBodiesAreCutOff() async throws {
    let server = try await ScriptedServer.shared
    let origin = try server.origin()
    try await withClient { client in
      let small = TransferLimits(bodyBytes: 1_000_000)
      for (path, limits, expected) in [
        ("/bomb", TransferLimits(bodyBytes: 1 << 40), TransferError.compressionBomb(origin)),
        ("/bomb", small, .tooLarge(limit: 1_000_000, origin)),
        ("/endless", small, .tooLarge(limit: 1_000_000, origin)),
        ("/bytes?size=1000001", small, .tooLarge(limit: 1_000_000, origin)),
      ] {
        let url = try server.url(path)
        #expect(await client.failure(HTTPRequest("GET", url, limits: limits)) == expected)
        #expect(await client.failure(HTTPRequest("GET", url, limits: limits)) { _ in } == expected)
      }
      let exact = try await client.send(HTTPRequest("GET", try server.url("/bytes?size=1000000"), limits: small))
      #expect(exact.body.count == 1_000_000)
    }
  }

  @Test(arguments: ["length", "chunks", "gzip", "close"])
  func truncatedBodiesAreErrors(_ kind: String) async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let url = try server.url("/truncated?by=\(kind)")
      #expect(await client.failure(HTTPRequest("GET", url)) == .truncated(url.origin))
    }
  }

  @Test(arguments: ["/nonsense", "/bad-gzip", "/long-head"])
  func malformedReplies(_ path: String) async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let error = try await client.failure(HTTPRequest("GET", server.url(path)))
      guard case .malformedReply? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
}
