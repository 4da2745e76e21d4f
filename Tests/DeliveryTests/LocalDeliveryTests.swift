import Bus
import EventLoop
import Glibc
import KithMessages
import TestKit
import Testing

@testable import Delivery

/// What does not leave the machine: programs and the desktop.
@Suite(.timeLimit(.minutes(1))) struct LocalDeliveryTests {
  private static func program(_ script: String) -> CommandDelivery {
    var channel = CommandChannel()
    channel.program = "/bin/sh"
    channel.arguments = ["-c", script]
    var request = DeliverRequest()
    request.notice = WebMessageTests.notice()
    return CommandDelivery(request: request, channel: channel)
  }

  @Test func `a program that says much has delivered, and its first words are the receipt`() async throws {
    let reply = try await Self.program("echo sent; head -c 3000000 /dev/zero | tr '\\0' x").run()
    #expect(reply.receipt.hasPrefix("sent xxx") && reply.receipt.count == 1000)
  }

  @Test func `what is kept of a receipt is whole characters in any language`() async throws {
    let reply = try await Self.program("yes 送 | head -n 1000 | tr -d '\\n'").run()
    let kept = reply.receipt.unicodeScalars.prefix(200)
    #expect(kept.count == 200 && kept.allSatisfy { $0 == "送" })
  }

  @Test func `a bus without room is tried again, and one that is not there is not`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("bus")
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var callers: [Int32] = []
    defer { for descriptor in callers + [listener] { close(descriptor) } }
    #expect(Self.with(path) { bind(listener, $0, $1) } == 0 && listen(listener, 0) == 0)
    // Nobody lets in who has come, until no more are taken.
    while true {
      let caller = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      callers.append(caller)
      guard Self.with(path, { connect(caller, $0, $1) }) == 0, callers.count < 10 else { break }
    }
    func failure(_ path: String) async throws -> Failure? {
      let delivery = DesktopDelivery(request: DeliverRequest(), addresses: [.path(path)])
      do throws(DeliveryFault) {
        _ = try await delivery.run()
        return nil
      } catch {
        return error.failure(on: "desktop")
      }
    }
    let busy = try await failure(path)
    #expect(busy?.reason == "CHANNEL_TROUBLE" && busy?.isTransient == true)
    let absent = try await failure(directory.file("nowhere"))
    #expect(absent?.reason == "CHANNEL_UNAVAILABLE" && absent?.isTransient == false)
  }

  /// Calls `body` with the address of a socket.
  private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
    return withUnsafePointer(to: place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
