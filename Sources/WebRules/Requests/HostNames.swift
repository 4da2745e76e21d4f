internal import Bus
internal import KithMessages

/// The names and addresses by which the door may be reached. Any other `Host` is refused, so that a name of somebody else that leads to
/// this machine cannot make a browser talk to it (DNS rebinding).
///
/// ```swift
/// HostNames(["kith.home.arpa"]).has("Kith.home.arpa:8443")  // true
/// ```
public struct HostNames: Sendable, Hashable {
  /// In lower case, without ports and brackets.
  public let names: [String]

  /// Takes names and addresses.
  public init(_ names: [String]) {
    var seen: Set<String> = []
    self.names = names.map(Self.bare).filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  /// Whether a `Host`, with or without a port, is one of them.
  public func has(_ authority: String) -> Bool { self.names.contains(Self.bare(authority)) }

  /// Checks a `Host`.
  ///
  /// - Throws: 421 (RFC 9110, 15.5.20).
  public func check(_ authority: String) throws(Refusal) {
    guard !self.has(authority) else { return }
    throw Refusal(
      421,
      Failure(
        .invalidArgument, "HOST_UNKNOWN",
        "This is not the address of kith-web. If it should be, start kith-web with --name and the name in the address.")
    )
  }

  /// A host without its port, its brackets and a dot at its end.
  public static func bare(_ authority: String) -> String {
    let whole = authority.lowercased()
    // By bytes: this is read several times a request, and none of these signs is part of another letter's bytes.
    var host = whole.utf8[...]
    if host.first == UInt8(ascii: "[") {
      host = host.dropFirst().prefix { $0 != UInt8(ascii: "]") }
    } else if let colon = host.firstIndex(of: UInt8(ascii: ":")),
      host[colon...].dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    {
      host = host[..<colon]
    }
    if host.last == UInt8(ascii: ".") { host = host.dropLast() }
    return String(Substring(host))
  }

  /// Whether a host is this machine's own by its form: `localhost` or an address of the loopback.
  public static func isLoopback(_ authority: String) -> Bool {
    let host = Self.bare(authority)
    return host == "localhost" || host == "::1" || AddressRange.loopback.contains { $0.has(host) }
  }
}
