internal import Dispatch
internal import EventLoop
internal import Glibc

/// A look-up of a host's addresses on a thread of its own: the system's resolver takes no timeout, cannot be cancelled, and waits
/// half a minute for unreachable name servers. getaddrinfo(3).
final class HostLookup: Sendable {
  /// An address to connect to.
  struct Address: Sendable, Hashable {
    let family: Int32
    /// A `sockaddr` of the family.
    let bytes: [UInt8]
  }

  /// Returns the addresses of a host and a port; may block.
  typealias Resolver = @Sendable (String, Int) -> Result<[Address], EngineFault>

  /// Becomes readable when the result is available.
  let done: EventDescriptor
  private let result = Lock<Result<[Address], EngineFault>?>(nil)

  /// Begins the look-up of a host. An abandoned thread ends by itself.
  ///
  /// - Parameter resolve: The resolver.
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

  /// The addresses; nil while the look-up runs.
  ///
  /// - Throws: `unreachable` if no name server answers, `unavailable` if there is no such host.
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
    // A machine answers for its own .local name, so the name is unknown while it is off: RFC 6762, section 3.
    case _ where host.hasSuffix(".local"): return .failure(.unreachable("no machine answers for the name \(host)"))
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
