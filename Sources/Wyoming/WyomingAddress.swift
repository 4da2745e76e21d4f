public import Bus
internal import Glibc

/// Where sentences are taken, and from whom: `ADDRESS` or `ADDRESS:PORT`.
///
/// The protocol has neither passwords nor encryption, so an address that other machines reach needs the addresses of those that may
/// connect.
///
/// ```swift
/// let address = try WyomingAddress("192.168.1.10:10700", from: ["192.168.1.5"])
/// ```
public struct WyomingAddress: Sendable, Hashable {
  /// The port, unless another one is given.
  public static let standardPort = 10_700

  /// An address of this machine, without brackets.
  public let host: String
  /// 0 = any that is free.
  public let port: Int
  /// Who may connect.
  public let peers: [AddressRange]

  /// Reads an address.
  ///
  /// - Parameter from: Addresses or ranges of other machines; empty = this machine alone.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` naming `wyoming` or `wyoming-from`.
  public init(_ text: String, from: [String] = []) throws(Failure) {
    let wrong = Failure.invalid(
      field: "wyoming",
      "has to be an address of this machine, and if need be a port: 127.0.0.1, 192.168.1.10:10700, [::1]:10700.")
    var (host, port) = (text, Self.standardPort)
    let end = text.lastIndex(of: "]") ?? text.startIndex
    if AddressRange.bytes(of: text) == nil, let colon = text[end...].lastIndex(of: ":") {
      guard let number = Int(text[text.index(after: colon)...]), (0...65_535).contains(number) else { throw wrong }
      (host, port) = (String(text[..<colon]), number)
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.contains("%"), AddressRange.bytes(of: host) != nil else { throw wrong }
    var peers: [AddressRange] = []
    for text in from {
      guard let range = AddressRange(text) else {
        throw .invalid(
          field: "wyoming-from", "'\(text)' is no range of addresses, such as 192.168.1.5 or 192.168.1.0/24.")
      }
      peers.append(range)
    }
    let isLocal = AddressRange.loopback.contains { $0.has(host) }
    guard isLocal || !peers.isEmpty else {
      throw .invalid(
        field: "wyoming-from",
        "\(host) is reached by other machines, and Wyoming has no passwords. Name those that may connect: --wyoming-from ADDRESS."
      )
    }
    (self.host, self.port, self.peers) = (host, port, peers + AddressRange.loopback)
  }

  /// Whether a machine may connect.
  func admits(_ peer: String) -> Bool { self.peers.contains { $0.has(peer) } }

  /// The address with its port, for people.
  public var description: String { "\(self.host.contains(":") ? "[\(self.host)]" : self.host):\(self.port)" }
}
