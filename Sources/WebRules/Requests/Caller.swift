public import Bus

/// From where a request really comes, and how well it is protected on its way.
///
/// Behind a proxy both stand in fields that only a trusted proxy may set.
public struct Caller: Sendable, Hashable {
  /// How the bytes travel.
  public enum Way: Sendable, Hashable {
    /// Encrypted.
    case tls
    /// Not encrypted, but within this machine.
    case loopback
    /// Readable by everybody in the network.
    case plain
  }

  /// The address, without its port.
  public let address: String
  /// How the bytes travel.
  public let way: Way
  /// The `Host` that the browser has.
  public let authority: String

  /// The scheme of the address that the browser has.
  public var scheme: String { self.way == .tls ? "https" : "http" }
  /// The browser's address of the door: what `Origin` says if the page is ours.
  public var origin: String { "\(self.scheme)://\(self.authority)" }

  /// Finds the caller of a request.
  ///
  /// - Parameters:
  ///   - isTLS: Whether the connection itself is encrypted.
  ///   - proxies: From where `X-Forwarded-…` is believed; empty = from nowhere.
  public init(of head: RequestHead, isTLS: Bool, proxies: [AddressRange]) {
    let isProxied = proxies.contains { $0.has(head.peer) }
    let forwarded = isProxied ? head.fields["x-forwarded-for"] ?? [] : []
    let chain = forwarded.flatMap { $0.split(separator: ",").map { HostNames.bare($0.filter { $0 != " " }) } }
    // The last one that no trusted proxy wrote: what stands before it may be made up.
    let address = chain.last { address in !proxies.contains { $0.has(address) } } ?? chain.first ?? head.peer
    let found = chain.isEmpty || AddressRange(address) == nil ? head.peer : address
    self.address = found
    self.authority = (isProxied ? head.field("x-forwarded-host") : nil) ?? head.authority
    if isTLS || (isProxied && head.field("x-forwarded-proto")?.lowercased() == "https") {
      self.way = .tls
    } else {
      // A proxy that does not say for whom it asks may ask for somebody far away.
      let isLocal =
        (!isProxied || !chain.isEmpty) && HostNames.isLoopback(self.authority)
        && AddressRange.loopback.contains { $0.has(found) }
      self.way = isLocal ? .loopback : .plain
    }
  }
}
