internal import Bus

/// Where the hub is reached by other machines.
struct TCPSettings: Sendable, Hashable {
  /// The first port: of the control plane. Events and work follow it, and then the three of an overlap of server keys.
  static let standardPort: UInt16 = 7750
  /// Planes, each with a port.
  static let planes: UInt16 = 3

  /// An address of this machine, or `*` for all of IPv4.
  let address: String
  /// The first port.
  let port: UInt16

  /// Takes an address and a port; nil when it cannot be one, or there is no room for the ports that follow.
  init?(address: String, port: Int = Int(Self.standardPort)) {
    let letters = address.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".:-_%*".contains($0)) }
    guard !address.isEmpty, letters, address == "*" || !address.contains("*"),
      (1...Int(UInt16.max - 2 * Self.planes)).contains(port)
    else { return nil }
    self.address = address
    self.port = UInt16(port)
  }

  /// Reads `ADDRESS`, `ADDRESS:PORT` or `[ADDRESS]:PORT`; nil for anything else.
  init?(text: String) {
    let isBare = text.count(where: { $0 == ":" }) > 1 && !text.hasPrefix("[")
    guard !isBare, let colon = text.lastIndex(of: ":"), text.last != "]" else {
      self.init(address: Self.unbracketed(text[...]))
      return
    }
    guard let port = Int(text[text.index(after: colon)...]) else { return nil }
    self.init(address: Self.unbracketed(text[..<colon]), port: port)
  }

  private static func unbracketed(_ text: Substring) -> String {
    text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text)
  }
}
