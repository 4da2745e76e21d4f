internal import Dispatch
internal import EventLoop
internal import Glibc

/// The addresses of a host, looked up on a thread of its own: the resolver of the system can neither be told when to end nor be
/// stopped, and waits half a minute for name servers that are away. getaddrinfo(3).
final class HostLookup: Sendable {
  /// Where to connect.
  struct Address: Sendable, Hashable {
    let family: Int32
    /// A `sockaddr` of the family.
    let bytes: [UInt8]
  }

  /// Gives the addresses of a host and a port; may take its time.
  typealias Resolver = @Sendable (String, Int) -> Result<[Address], EngineFault>

  /// Readable when the result is there.
  let done: EventDescriptor
  private let result = Lock<Result<[Address], EngineFault>?>(nil)

  /// Begins to look a host up. A thread that is given up ends by itself.
  ///
  /// - Parameter resolve: Does it.
  init(_ host: String, port: Int, resolve: @escaping Resolver) throws(EngineFault) {
    do throws(LoopError) {
      self.done = try EventDescriptor()
    } catch {
      throw .temporary("no descriptor is left")
    }
    DispatchQueue(label: "kith.lookup").async {
      let result = resolve(host, port)
      self.result.withLock { $0 = result }
      self.done.wake()
    }
  }

  /// What was found; nil while it is looked up.
  ///
  /// - Throws: `unreachable` when it cannot be looked up now, `unavailable` when there is no such host.
  func addresses() throws(EngineFault) -> [Address]? { try self.result.withLock { $0 }?.get() }

  /// The resolver of the system.
  @Sendable static func ofSystem(_ host: String, port: Int) -> Result<[Address], EngineFault> {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    // Strings and structures outlive the call; the list is freed below.
    switch unsafe getaddrinfo(host, "\(port)", &hints, &list) {
    case 0: break
    case EAI_AGAIN: return .failure(.unreachable("the name \(host) cannot be looked up"))
    // Such names are answered for by the machine itself, so nobody does while it is off: RFC 6762, section 3.
    case _ where host.hasSuffix(".local"): return .failure(.unreachable("nobody answers for the name \(host)"))
    default: return .failure(.unavailable("there is no host named \(host)"))
    }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [Address] = []
    var next = unsafe list
    while let current = unsafe next {
      // The address is as long as the list says, and copied.
      let bytes = unsafe UnsafeRawBufferPointer(start: current.pointee.ai_addr, count: Int(current.pointee.ai_addrlen))
      unsafe addresses.append(Address(family: current.pointee.ai_family, bytes: Array(bytes)))
      unsafe next = current.pointee.ai_next
    }
    return .success(addresses)
  }
}
