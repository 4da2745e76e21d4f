import CTraffic
import Glibc
import Testing

@testable import ZeroMQ

// Of the C library, or of CTraffic in its place; Swift's module of the C library leaves it out.
@_silgen_name("accept4")
private func accept4(
  _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ size: UnsafeMutablePointer<socklen_t>?,
  _ flags: Int32
) -> Int32

/// What is counted of connections that are accepted, on sockets of the kernel and without libzmq: who reads plays its part.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ConnectionTrafficTests {
  /// One connection, its two ends.
  private final class Pair {
    let far: Int32
    private(set) var near: Int32

    /// Connects to a listener of its own. The thread that accepts is the one that is counted, so a test must not wait.
    init() throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { Glibc.close(listener) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let far = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(listener, pointer, size) + listen(listener, 1) + getsockname(listener, pointer, &size)
            + connect(far, pointer, size)
        }
      }
      self.far = far
      self.near = accept4(listener, nil, nil, 0)
      try #require(status == 0 && self.near >= 0)
    }

    deinit {
      Glibc.close(self.far)
      if self.near >= 0 { Glibc.close(self.near) }
    }

    /// The peer writes, and the hub reads all of it in parts as libzmq would.
    ///
    /// - Returns: The bytes that were handed on; fewer than were sent when the connection was cut.
    func pass(_ bytes: [UInt8], room: Int = 64 << 10) -> Int {
      var buffer = [UInt8](repeating: 0, count: room)
      var (sent, got) = (0, 0)
      while got < bytes.count {
        if sent < bytes.count {
          let part = bytes[sent..<min(bytes.count, sent + room)]
          let count = part.withUnsafeBytes {
            Glibc.send(self.far, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          guard count > 0 else { return got }
          sent += count
        }
        let count = Glibc.recv(self.near, &buffer, room, 0)
        guard count > 0 else { return got }
        got += count
      }
      return got
    }

    func closeNear() {
      Glibc.close(self.near)
      self.near = -1
    }

    /// Whether the far end sees that the connection has ended.
    var hasEnded: Bool {
      var byte: UInt8 = 0
      return Glibc.recv(self.far, &byte, 1, 0) <= 0
    }
  }

  private static let reader = kith_traffic_reader()
  private static let greeting = [UInt8](repeating: 0, count: 64)
  private static let unlimited = ConnectionTraffic.Limits(received: 0, receivedInAll: 0, unsent: 0, unsentInAll: 0)

  /// A frame as ZMTP sends it (ZeroMQ RFC 37).
  private static func frame(_ count: Int, hasMore: Bool = false) -> [UInt8] {
    let more: UInt8 = hasMore ? 1 : 0
    let body = [UInt8](repeating: 7, count: count)
    guard count > 255 else { return [more, UInt8(count)] + body }
    return [more | 2] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) } + body
  }

  private static func limited<Result>(
    received: Int = 0, inAll: Int = 0, unsent: Int = 0, unsentInAll: Int = 0, _ body: () throws -> Result
  ) rethrows -> Result {
    ConnectionTraffic.limit(
      ConnectionTraffic.Limits(received: received, receivedInAll: inAll, unsent: unsent, unsentInAll: unsentInAll))
    defer { ConnectionTraffic.limit(Self.unlimited) }
    return try body()
  }

  @Test("what is received counts until it is taken, with 64 bytes for each frame")
  func received() throws {
    let before = ConnectionTraffic.totals.received
    let pair = try Pair()
    let message = Self.frame(1000, hasMore: true) + Self.frame(0)
    #expect(pair.pass(Self.greeting + message) == 64 + 1009 + 2)
    #expect(ConnectionTraffic.totals.received - before == 64 + 1009 + 2 + 2 * 64)
    // With encryption a frame measures more on the wire than its content does.
    kith_traffic_taken(pair.near, 1000, 2, Self.reader)
    #expect(ConnectionTraffic.totals.received == before)
    #expect(pair.pass(Self.frame(10)) == 12)
    #expect(ConnectionTraffic.totals.received - before == 12 + 64)
  }

  @Test("many empty frames cost what holding them does", arguments: [1, 2, 7, 64 << 10])
  func frames(room: Int) throws {
    let before = ConnectionTraffic.totals.received
    let pair = try Pair()
    let frames = (0..<500).flatMap { _ in Self.frame(0, hasMore: true) } + Self.frame(300)
    #expect(pair.pass(Self.greeting + frames, room: room) == 64 + frames.count)
    #expect(ConnectionTraffic.totals.received - before == 64 + frames.count + 501 * 64)
  }

  @Test("a connection that goes beyond its bound is cut, and what it held counts until all was taken")
  func cutBeyondItsBound() throws {
    let before = ConnectionTraffic.totals
    let pair = try Pair()
    Self.limited(received: 200_000) {
      let message = Self.greeting + (0..<10).flatMap { _ in Self.frame(50_000, hasMore: true) }
      let passed = pair.pass(message)
      #expect(passed > 100_000 && passed <= 200_000)
      #expect(ConnectionTraffic.totals.cut == before.cut + 1)
      #expect(pair.hasEnded)
      // What the kernel still has is not handed on.
      #expect(pair.pass([1]) == 0)
      pair.closeNear()
      // Else a peer that comes again each time it is cut could have anything queued.
      #expect(ConnectionTraffic.totals.received - before.received > 100_000)
      kith_traffic_taken(pair.near, 50_000, 1, Self.reader)
      #expect(ConnectionTraffic.totals.received - before.received > 100_000, "of another reader")
      kith_traffic_drained(Self.reader)
      #expect(ConnectionTraffic.totals.received == before.received)
    }
  }

  @Test("beyond the bound of all, the one goes that has held much for longest, not the one that is small")
  func cutTheOldest() throws {
    let before = ConnectionTraffic.totals
    let (small, first, second) = (try Pair(), try Pair(), try Pair())
    let held = before.received
    Self.limited(inAll: held + 250_000) {
      #expect(small.pass(Self.greeting + Self.frame(1000)) == 64 + 1009)
      #expect(first.pass(Self.greeting + Self.frame(100_000)) == 64 + 100_009)
      #expect(second.pass(Self.greeting + Self.frame(100_000)) == 64 + 100_009)
      #expect(ConnectionTraffic.totals.cut == before.cut)
      #expect(second.pass(Self.frame(100_000)) == 100_009)
      #expect(ConnectionTraffic.totals.cut == before.cut + 1 && first.hasEnded)
      #expect(small.pass(Self.frame(1000)) == 1009 && second.pass(Self.frame(1000)) == 1009)
    }
  }

  @Test("what a connection leaves behind counts until all was taken")
  func leftBehind() throws {
    let before = ConnectionTraffic.totals.received
    let pair = try Pair()
    #expect(pair.pass(Self.greeting + Self.frame(5000)) == 64 + 5009)
    // Its reader is known from the first message that was taken.
    kith_traffic_taken(pair.near, 1000, 1, Self.reader)
    let left = ConnectionTraffic.totals.received - before
    pair.closeNear()
    kith_traffic_drained(kith_traffic_reader())
    #expect(ConnectionTraffic.totals.received - before == left)
    kith_traffic_taken(-1, 1000, 1, Self.reader)
    #expect(ConnectionTraffic.totals.received - before == left - 1000 - 9 - 64)
    kith_traffic_drained(Self.reader)
    #expect(ConnectionTraffic.totals.received == before)
  }

  @Test("what is to be sent finds no room beyond a bound, and one that is alone always does")
  func unsent() throws {
    let before = ConnectionTraffic.totals.unsent
    let (one, other) = (try Pair(), try Pair())
    Self.limited(unsent: 10_000, unsentInAll: before + 15_000) {
      #expect(kith_traffic_offer(one.near, 50_000, 1))
      #expect(!kith_traffic_offer(one.near, 1, 1))
      #expect(kith_traffic_offer(other.near, 1, 1), "alone on its connection")
      #expect(!kith_traffic_offer(other.near, 1, 1), "all are beyond the bound")
      kith_traffic_withdraw(one.near, 50_000, 1)
      #expect(kith_traffic_offer(other.near, 1000, 1))
      kith_traffic_withdraw(other.near, 1000, 1)
      kith_traffic_withdraw(other.near, 1, 1)
      #expect(ConnectionTraffic.totals.unsent == before)
      // The kernel takes it: no longer the program's.
      #expect(kith_traffic_offer(one.near, 4000, 1))
      let bytes = [UInt8](repeating: 0, count: 4000)
      #expect(bytes.withUnsafeBytes { Glibc.send(one.near, $0.baseAddress, $0.count, 0) } == 4000)
      #expect(ConnectionTraffic.totals.unsent - before < 100)
    }
  }

  @Test("of connections without a message 128 of an address are kept, and the oldest goes for another one")
  func silence() throws {
    let before = ConnectionTraffic.totals.cut
    let spoken = try Pair()
    #expect(spoken.pass(Self.greeting + (0..<3).flatMap { _ in Self.frame(0) }) == 70)
    let silent = try (0..<128).map { _ in try Pair() }
    #expect(ConnectionTraffic.totals.cut == before)
    // A handshake is no message.
    #expect(silent[1].pass(Self.greeting + Self.frame(100) + Self.frame(100)) == 64 + 204)
    let more = try (0..<2).map { _ in try Pair() }
    #expect(ConnectionTraffic.totals.cut == before + 2)
    #expect(silent[0].hasEnded && silent[1].hasEnded)
    #expect(silent[2].pass([1]) == 1 && more[1].pass([1]) == 1 && spoken.pass([0, 0]) == 2)
  }

  @Test("a connection can be cut by its descriptor, and one that is none cannot")
  func cut() throws {
    let pair = try Pair()
    #expect(ConnectionTraffic.cut(pair.near))
    #expect(pair.hasEnded)
    #expect(!ConnectionTraffic.cut(pair.far) && !ConnectionTraffic.cut(-1) && !ConnectionTraffic.cut(1 << 20))
  }

  @Test("a meter knows by which connection a peer of a ROUTER comes")
  func meter() async throws {
    let before = ConnectionTraffic.totals.unsent
    let context = try Context()
    do {
      var router = try context.makeTestSocket(.router)
      router.startMeter(of: .router)
      try router.set(.routerMandatory, true)
      try router.bind("tcp://127.0.0.1:*")
      var dealer = try context.makeTestSocket(.dealer)
      try dealer.connect(router.lastEndpoint())
      #expect(try dealer.send([1, 2, 3], waiting: .allowed) == .sent)
      var message = MultipartMessage()
      #expect(try router.receive(&message, waiting: .allowed) == .received)
      let (peer, descriptor) = (message.bytes(at: 0), message.connection)
      let connection = try #require(descriptor)
      ConnectionTraffic.limit(ConnectionTraffic.Limits(received: 0, receivedInAll: 0, unsent: 1000, unsentInAll: 0))
      defer { ConnectionTraffic.limit(Self.unlimited) }
      // As if much were on its way.
      #expect(kith_traffic_offer(connection, 5000, 1))
      func answer() throws -> SendResult {
        var answer = MultipartMessage()
        try answer.append(peer)
        try answer.append([9])
        return try router.send(&answer)
      }
      #expect(try answer() == .wouldBlock)
      kith_traffic_withdraw(connection, 5000, 1)
      #expect(try answer() == .sent)
      #expect(try dealer.receive(&message, waiting: .allowed) == .received)
    }
    await context.terminateOffPool()
    #expect(ConnectionTraffic.totals.unsent == before)
  }
}
