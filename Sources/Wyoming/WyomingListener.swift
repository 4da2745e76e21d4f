internal import CLinux
internal import Glibc

/// A TCP socket that takes connections.
struct WyomingListener: ~Copyable, Sendable {
  /// Readable when a connection waits.
  let descriptor: Int32
  /// The port, also if any was asked for.
  let port: Int

  /// A call that failed.
  struct Fault: Error, CustomStringConvertible {
    let call: String
    let code: Int32
    var description: String { "\(self.call): \(unsafe String(cString: strerror(self.code)))" }
  }

  /// Listens at an address.
  init(_ address: WyomingAddress) throws(Fault) {
    let found = try Self.listen(address)
    (self.descriptor, self.port) = (found.descriptor, found.port)
  }

  deinit { close(self.descriptor) }

  /// Takes the next connection, which does not block; nil if none waits.
  func accept() throws(Fault) -> (descriptor: Int32, peer: String)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // The storage outlives the call, and is as long as it says.
    let connection = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.accept(self.descriptor, $0, &length)
      }
    }
    let code = errno
    guard connection >= 0 else {
      if code == EAGAIN || code == EINTR || code == ECONNABORTED { return nil }
      throw Fault(call: "accept", code: code)
    }
    _ = fcntl(connection, F_SETFL, O_NONBLOCK)
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    return (connection, Self.numbers(&storage, length).host)
  }

  private static func listen(_ address: WyomingAddress) throws(Fault) -> (descriptor: Int32, port: Int) {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    // The strings outlive the call; the list is freed below.
    guard unsafe getaddrinfo(address.host, String(address.port), &hints, &list) == 0, let info = unsafe list?.pointee
    else {
      throw Fault(call: "getaddrinfo", code: EINVAL)
    }
    defer { unsafe freeaddrinfo(list) }
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = unsafe socket(info.ai_family, flags, 0)
    guard descriptor >= 0 else { throw Fault(call: "socket", code: errno) }
    var on: Int32 = 1
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    for (call, isDone) in [
      ("bind", { unsafe bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 }),
      ("listen", { Glibc.listen(descriptor, 16) == 0 }),
    ] as [(String, () -> Bool)] where !isDone() {
      let code = errno
      close(descriptor)
      throw Fault(call: call, code: code)
    }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
    }
    return (descriptor, Int(Self.numbers(&storage, length).port) ?? address.port)
  }

  /// Host and port of a socket's address in digits.
  private static func numbers(_ storage: inout sockaddr_storage, _ length: socklen_t) -> (host: String, port: String) {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    // Everything outlives the call, and is as long as it says.
    let result = unsafe withUnsafePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getnameinfo(
          $0, length, &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
      }
    }
    guard result == 0 else { return ("", "") }
    let texts = [host, port].map { String(decoding: $0.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) }
    return (texts[0], texts[1])
  }
}
