internal import EventLoop
internal import Glibc
internal import Wyoming

/// A connection to a Wyoming server for one request. It blocks, so it needs a thread of its own.
struct WyomingConnection {
  /// The name or address of the server.
  let host: String
  /// Its port.
  let port: Int
  /// The time at which waiting for the answer ends.
  let deadline: ContinuousClock.Instant
  /// Becomes readable when the request is cancelled.
  let stop: Int32
  /// The resolver of the host name.
  var resolve: HostLookup.Resolver = HostLookup.ofSystem

  private static let connectLimit = Duration.seconds(5)
  // Bytes of the whole answer; a transcript is far shorter.
  private static let mostBytes = 4 << 20

  /// Sends messages, and passes received ones to `take` until it returns an answer.
  ///
  /// - Throws: `EngineFault`.
  func ask<Answer>(
    _ messages: [WyomingEvent], _ take: (WyomingEvent) throws(EngineFault) -> Answer?
  ) throws(EngineFault) -> Answer {
    let socket = try self.connect()
    defer { close(socket) }
    let output = messages.flatMap { $0.encoded() }
    var (sent, received) = (0, 0)
    var decoder = WyomingEvent.Decoder()
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      let ready = try self.wait(
        socket, for: sent < output.count ? [.readable, .writable] : .readable, until: self.deadline)
      if ready.contains(.writable), sent < output.count {
        // The array has `count` bytes, of which those from `sent` on are left.
        let count = unsafe output.withUnsafeBytes { buffer in
          unsafe send(socket, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, Int32(MSG_NOSIGNAL))
        }
        guard count >= 0 || errno == EAGAIN || errno == EINTR else { throw self.lost("it closed the connection") }
        sent += max(0, count)
      }
      guard ready.contains(.readable) || ready.contains(.failed) else { continue }
      // The array has `count` bytes.
      let count = unsafe recv(socket, &piece, piece.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 else { throw self.lost("it closed the connection without one") }
      received += count
      guard received <= Self.mostBytes else { throw .failed("\(self.name) sends a longer answer than any transcript") }
      decoder.append(Array(piece[..<count]))
      while let event = try Self.next(&decoder) {
        if let answer = try take(event) { return answer }
      }
    }
  }

  private var name: String { "\(self.host):\(self.port)" }

  private func lost(_ why: String) -> EngineFault { .temporary("\(self.name) gave no answer: \(why)") }

  private static func next(_ decoder: inout WyomingEvent.Decoder) throws(EngineFault) -> WyomingEvent? {
    do throws(WyomingEvent.Decoder.Fault) {
      return try decoder.next()
    } catch {
      throw .failed("it answered \(error.why)")
    }
  }

  /// Connects to the first address that accepts.
  private func connect() throws(EngineFault) -> Int32 {
    let lookup = try HostLookup(self.host, port: self.port, resolve: self.resolve)
    let limit = min(self.deadline, .now + Self.connectLimit)
    var addresses: [HostLookup.Address]?
    while addresses == nil {
      guard try self.ready(lookup.done.descriptor, for: .readable, until: limit) != nil else {
        throw .unreachable("the name \(self.host) cannot be looked up")
      }
      addresses = try lookup.addresses()
    }
    for address in addresses ?? [] {
      if let socket = try self.connect(address) { return socket }
    }
    throw .unreachable("nothing answers at \(self.name)")
  }

  private func connect(_ address: HostLookup.Address) throws(EngineFault) -> Int32? {
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(address.family, flags, 0)
    guard socket >= 0 else { return nil }
    var isConnected = false
    defer { if !isConnected { close(socket) } }
    // The bytes are an address of that family, and outlive the call.
    let code = unsafe address.bytes.withUnsafeBytes { bytes in
      unsafe Glibc.connect(
        socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    if code != 0 {
      guard errno == EINPROGRESS else { return nil }
      let limit = min(self.deadline, .now + Self.connectLimit)
      guard try self.ready(socket, for: .writable, until: limit) != nil else { return nil }
      var (code, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      // Both are as large as they say.
      guard unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length) == 0, code == 0 else { return nil }
    }
    isConnected = true
    return socket
  }

  /// Waits until the socket is ready.
  private func wait(
    _ socket: Int32, for interest: Readiness, until deadline: ContinuousClock.Instant
  ) throws(EngineFault) -> Readiness {
    guard let ready = try self.ready(socket, for: interest, until: deadline) else {
      throw .failed("\(self.name) did not answer in time")
    }
    return ready
  }

  /// Waits until a descriptor is ready; nil after the deadline.
  ///
  /// - Throws: `cancelled`.
  private func ready(
    _ descriptor: Int32, for interest: Readiness, until deadline: ContinuousClock.Instant
  ) throws(EngineFault) -> Readiness? {
    var items = [pollfd(self.stop, for: .readable), pollfd(descriptor, for: interest)]
    while true {
      let left = deadline - .now
      guard left > .zero else { return nil }
      // The array is not touched during the call and holds `count` elements.
      let ready = unsafe poll(&items, nfds_t(items.count), Int32(min(left / .milliseconds(1) + 1, 60_000)))
      guard ready > 0 else { continue }
      if items[0].revents != 0 { throw .cancelled }
      return Readiness(poll: items[1].revents)
    }
  }
}
