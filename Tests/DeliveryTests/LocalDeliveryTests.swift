import Bus
import EventLoop
import Glibc
import KithMessages
import TestKit
import Testing

@testable import Delivery

/// What does not leave the machine: programs and the desktop.
@Suite(.timeLimit(.minutes(5))) struct LocalDeliveryTests {
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
      let delivery = DesktopDelivery(request: DeliverRequest(), addresses: "unix:path=\(path)")
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

  @Test(arguments: [true, false])
  func `a bus that goes before its greeting got nothing, and a call that is given up ends`(goes: Bool) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("bus")
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(Self.with(path) { bind(listener, $0, $1) } == 0 && listen(listener, 1) == 0)
    let call = Task {
      do throws(DeliveryFault) {
        _ = try await DesktopDelivery(request: DeliverRequest(), addresses: "unix:path=\(path)").run()
        return DeliveryFault?.none
      } catch {
        return error
      }
    }
    try await Self.readable(listener)
    if goes { close(listener) } else { call.cancel() }
    let fault = await call.value
    if goes {
      #expect(fault?.failure(on: "desktop").reason == "CHANNEL_UNAVAILABLE")
    } else {
      #expect(fault?.failure(on: "desktop").code == .cancelled)
      close(listener)
    }
  }

  @Test func `nothing is sent to a bus that does not answer the greeting`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("bus")
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    #expect(Self.with(path) { bind(listener, $0, $1) } == 0 && listen(listener, 1) == 0)
    let call = Task { try await DesktopDelivery(request: DeliverRequest(), addresses: "unix:path=\(path)").run() }
    try await Self.readable(listener)
    let caller = accept(listener, nil, nil)
    defer { close(caller) }
    // The bus lets the client in: D-Bus Specification, "Authentication Protocol".
    let welcome = Array("DATA\r\nOK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n".utf8)
    #expect(send(caller, welcome, welcome.count, 0) == welcome.count)
    var received = ""
    func receive() async throws -> Bool {
      try await Self.readable(caller)
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(caller, &buffer, buffer.count, 0)
      received += String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      return count > 0
    }
    while !received.contains("Hello"), try await receive() {}
    call.cancel()
    while try await receive() {}
    #expect(received.contains("Hello") && !received.contains("Notify"))
    await #expect(throws: DeliveryFault.self) { try await call.value }
  }

  @Test func `only sockets of this machine are tried`() {
    let list =
      "tcp:host=localhost,port=1;unix:path=/run/a%20b,guid=0;unix:runtime=yes,guid=0;unix:nonsense;unixexec:path=/bin/sh;unix:abstract=/tmp/x;unix:runtime=yes"
    #expect(
      DesktopDelivery.sockets(list, runtime: "unix:path=/run/user/1/bus")
        == "unix:path=/run/a%20b;unix:path=/run/user/1/bus;unix:abstract=/tmp/x;unix:path=/run/user/1/bus")
    #expect(DesktopDelivery.sockets("autolaunch:;unix:runtime=yes", runtime: "").isEmpty)
  }

  /// Waits until a socket has a caller or bytes, or has ended, without holding a thread that the call under test may need.
  private static func readable(_ fd: Int32) async throws {
    try await until {
      var item = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
      return poll(&item, 1, 0) == 1
    }
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
