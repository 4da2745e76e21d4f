internal import EventLoop
internal import Glibc

/// A connection to the bus of a session, for one call. It blocks: it belongs on a thread of its own.
struct SessionBus {
  /// Where it may listen, in the order in which that is tried.
  let addresses: [BusAddress]
  /// When an answer is no longer waited for.
  let deadline: ContinuousClock.Instant
  /// Readable when the call is given up.
  let stop: Int32

  /// Why there is no answer.
  enum Fault: Error, Hashable {
    /// Nothing was sent: there is no bus, or it does not let us in.
    case noBus
    /// Nothing was sent: more want to be let in than the bus has room for just now.
    case busy
    /// The call was sent, and nothing was heard of it.
    case noAnswer
    /// The call was refused, with the name of the error.
    case refused(String)
    /// It was given up.
    case cancelled
  }

  /// Calls a method and waits for its answer.
  ///
  /// - Throws: `Fault`.
  func call(_ call: BusMessage.Call, signature: String, body: BusWriter) throws(Fault) {
    let socket = try self.connect()
    defer { close(socket) }
    try self.introduce(to: socket)
    let hello = BusMessage.Call(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
      member: "Hello")
    // The bus takes nothing before its greeting, and what follows it in turn.
    let greeting = Array("BEGIN\r\n".utf8) + hello.bytes(serial: 1)
    try self.send(greeting + call.bytes(serial: 2, signature: signature, body: body), to: socket)
    var input: [UInt8] = []
    while true {
      while let message = try Self.next(&input) {
        switch (message.kind, message.answers) {
        case (.answer, 2): return
        case (.failure, 2): throw .refused(message.error)
        case (.failure, 1): throw .noBus
        default: continue
        }
      }
      input += try self.receive(from: socket, else: .noAnswer)
    }
  }

  private static func next(_ input: inout [UInt8]) throws(Fault) -> BusMessage? {
    do throws(BusMessage.Garbled) {
      return try BusMessage.take(from: &input)
    } catch {
      throw .noAnswer
    }
  }

  /// Says who we are; the kernel tells the bus whether that is so. D-Bus Specification, "Authentication Protocol".
  private func introduce(to socket: Int32) throws(Fault) {
    let user = String(geteuid()).utf8.map { String($0, radix: 16) }.joined()
    try self.send(Array("\0AUTH EXTERNAL \(user)\r\n".utf8), to: socket)
    var line: [UInt8] = []
    while !line.contains(UInt8(ascii: "\n")), line.count < 4096 { line += try self.receive(from: socket, else: .noBus) }
    guard line.starts(with: "OK ".utf8) else { throw .noBus }
  }

  private func connect() throws(Fault) -> Int32 {
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    var isBusy = false
    for address in self.addresses {
      guard let name = address.name else { continue }
      let socket = Glibc.socket(AF_UNIX, flags, 0)
      guard socket >= 0 else { continue }
      var place = sockaddr_un()
      place.sun_family = sa_family_t(AF_UNIX)
      // The name is at most as long as the place for it.
      unsafe withUnsafeMutableBytes(of: &place.sun_path) { path in unsafe path.copyBytes(from: name) }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
      // The structure outlives the call and has at least `length` bytes.
      let code = unsafe withUnsafePointer(to: place) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe Glibc.connect(socket, $0, length) }
      }
      if code == 0 { return socket }
      // connect(2): the queue of those who wait to be let in is full.
      if errno == EAGAIN { isBusy = true }
      close(socket)
    }
    throw isBusy ? .busy : .noBus
  }

  private func send(_ bytes: [UInt8], to socket: Int32) throws(Fault) {
    var sent = 0
    while sent < bytes.count {
      try self.wait(for: .writable, at: socket, else: .noBus)
      // The array has `count` bytes, of which those from `sent` on are left.
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          socket, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count >= 0 || errno == EAGAIN || errno == EINTR else { throw .noBus }
      sent += max(0, count)
    }
  }

  private func receive(from socket: Int32, else fault: Fault) throws(Fault) -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      try self.wait(for: .readable, at: socket, else: fault)
      // The array has `count` bytes.
      let count = unsafe recv(socket, &piece, piece.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 else { throw fault }
      return Array(piece[..<count])
    }
  }

  private func wait(for interest: Readiness, at socket: Int32, else fault: Fault) throws(Fault) {
    var items = [pollfd(self.stop, for: .readable), pollfd(socket, for: interest)]
    while true {
      let left = self.deadline - .now
      guard left > .zero else { throw fault }
      // The array is not touched during the call and holds `count` elements.
      let ready = unsafe poll(&items, nfds_t(items.count), Int32(min(left / .milliseconds(1) + 1, 60_000)))
      guard ready > 0 else { continue }
      if items[0].revents != 0 { throw .cancelled }
      return
    }
  }
}
