import EventLoop
import Foundation
import Logging
import TestKit
import Testing
import Transfer

@Suite(.timeLimit(.minutes(5)))
struct LifeTests {
  /// A transfer that has begun and never ends by itself.
  private func withStalled(
    _ client: HTTPClient, _ server: ScriptedServer, _ body: (Task<HTTPResponse, any Error>) async throws -> Void
  ) async throws {
    let (begun, signal) = AsyncStream.makeStream(of: Void.self)
    let request = HTTPRequest("GET", try server.url("/stalled"))
    let task = Task { try await client.send(request) { _ in signal.finish() } }
    for await _ in begun {}
    try await body(task)
  }

  @Test func cancellingEndsATransfer() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      try await withStalled(client, server) { task in
        task.cancel()
        await #expect(throws: TransferError.cancelled) { try await task.value }
      }
      let url = try server.url("/echo")
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await client.send(HTTPRequest("GET", url))
      }
      await #expect(throws: TransferError.cancelled) { try await task.value }
      #expect(try await client.send(HTTPRequest("GET", url)).status == 200)
    }
  }

  @Test func cancellingOneOfManyLeavesTheOthers() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      try await withStalled(client, server) { stalled in
        let request = HTTPRequest("GET", try server.url("/bytes?size=3000000"))
        async let first = client.send(request)
        async let second = client.send(request)
        stalled.cancel()
        #expect(try await first.body.count == 3_000_000)
        #expect(try await second.body.count == 3_000_000)
        await #expect(throws: TransferError.cancelled) { try await stalled.value }
      }
    }
  }

  @Test func closingEndsEverything() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      try await withStalled(client, server) { task in
        await client.close()
        await #expect(throws: TransferError.closed) { try await task.value }
      }
      #expect(try await client.failure(HTTPRequest("GET", server.url("/echo"))) == .closed)
      await client.close()
    }
  }

  @Test func closingLeavesNeitherSocketsNorThreads() async throws {
    let server = try await ScriptedServer()
    try await withClient(loopName: "xfer-life") { client in
      for host in ["127.0.0.1", "localhost"] {
        #expect(try await client.send(HTTPRequest("GET", try server.url("/echo", host: host))).status == 200)
      }
      #expect(
        try await client.failure(HTTPRequest("GET", server.url("/endless"), limits: TransferLimits(bodyBytes: 10)))
          != nil)
      try await withStalled(client, server) { task in
        #expect(sockets(to: server.port) > 0)
        #expect(threads(named: "xfer-life") == 1)
        task.cancel()
        _ = await task.result
      }
    }
    #expect(sockets(to: server.port) == 0)
    // The system may list a thread for a moment after it was joined.
    try await until { self.threads(named: "xfer-life") == 0 }
  }

  @Test func aClientThatIsDroppedClosesItsConnections() async throws {
    let server = try await ScriptedServer()
    let loop = try LoopExecutor(name: "dropped", poller: try DescriptorPoller(), logger: Logger(label: "transfer.test"))
    var client: HTTPClient? = HTTPClient(on: loop)
    #expect(try await client?.send(HTTPRequest("GET", try server.url("/echo"))).status == 200)
    #expect(sockets(to: server.port) == 1)
    client = nil
    await loop.shutdown()
    #expect(sockets(to: server.port) == 0)
  }

  /// Descriptors of this process that are connected to a port.
  private func sockets(to port: Int) -> Int {
    (0..<1024).count { descriptor in
      var address = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(descriptor), $0, &size) }
      }
      return result == 0 && address.sin_family == sa_family_t(AF_INET)
        && Int(UInt16(bigEndian: address.sin_port)) == port
    }
  }

  private func threads(named name: String) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count { task in
      (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "\(name)\n"
    }
  }
}
