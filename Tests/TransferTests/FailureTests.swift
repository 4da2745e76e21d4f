import EventLoop
import Foundation
import Testing
import Transfer

@Suite(.timeLimit(.minutes(5)))
struct FailureTests {
  /// A bound port of this machine that refuses connections, or listens without accepting them.
  private struct Port: ~Copyable {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let number: Int

    init(listening: Bool) {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let socket = descriptor
      withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(socket, pointer, size)
          if listening { listen(socket, 8) }
          getsockname(socket, pointer, &size)
        }
      }
      number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
  }

  @Test func unknownHostsAreNamed() async throws {
    try await withClient { client in
      let url = try WebURL("https://no-such-host.invalid/")
      #expect(await client.failure(HTTPRequest("GET", url)) == .unresolvable(url.origin))
    }
  }

  @Test func closedPortsAreNamed() async throws {
    let port = Port(listening: false)
    let url = try WebURL("http://127.0.0.1:\(port.number)/")
    try await withClient { client in
      #expect(await client.failure(HTTPRequest("GET", url)) == .refused(url.origin))
    }
  }

  @Test func connectionsThatDoNotStandTimeOut() async throws {
    let port = Port(listening: true)
    let url = try WebURL("https://127.0.0.1:\(port.number)/")
    try await withClient { client in
      let limits = TransferLimits(connect: .milliseconds(200))
      #expect(
        await client.failure(HTTPRequest("GET", url, limits: limits)) == .timeout(.connect, url.origin))
    }
  }

  @Test(arguments: ["/stalled", "/silent"])
  func silenceTimesOut(_ path: String) async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let request = HTTPRequest("GET", try server.url(path), limits: TransferLimits(idle: .seconds(1)))
      #expect(await client.failure(request) == .timeout(.idle, request.url.origin))
    }
  }

  @Test(arguments: ["/slow", "/endless", "/silent"])
  func theWholeTimesOut(_ path: String) async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let limits = TransferLimits(total: .milliseconds(300), bodyBytes: .max)
      let request = HTTPRequest("GET", try server.url(path), limits: limits)
      #expect(await client.failure(request) { _ in } == .timeout(.total, request.url.origin))
    }
  }

  @Test func repliesThatNeverCome() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let error = try await client.failure(HTTPRequest("GET", server.url("/hung-up")))
      guard case .connectionLost(_, try server.origin())? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func anUploadThatIsResetIsAnErrorAndNoSignal() async throws {
    let server = try await ScriptedServer.shared
    try await withClient { client in
      let body = RequestBody.bytes([UInt8](repeating: 1, count: 20_000_000))
      let error = try await client.failure(HTTPRequest("PUT", server.url("/reset-upload"), body: body))
      guard case .connectionLost? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test(
    "Every error has a sentence that ends",
    arguments: [
      TransferError.invalidURL("it is empty"), .cancelled, .closed, .sink, .failed("why"),
    ])
  func sentences(_ error: TransferError) {
    #expect(error.description.hasSuffix("."))
    #expect(error.description.count > 15)
  }
}
