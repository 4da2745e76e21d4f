public import Bus

/// How the door is set up. See `docs/operations.md`.
public struct Settings: Sendable {
  /// Who answers for the door's name.
  public enum Protection: Sendable, Hashable {
    /// A certificate and its key, in PEM files.
    case certificate(certificate: String, key: String)
    /// A certificate of a CA of our own, kept in the state directory.
    case ownCA
    /// A proxy in front of the door.
    case proxy
    /// Nobody: everybody in the network can read along.
    case none

    /// The word for it in `Door.tls`.
    public var word: String {
      switch self {
      case .certificate: "certificate"
      case .ownCA: "own-ca"
      case .proxy: "proxy"
      case .none: "none"
      }
    }

    /// Whether the door's own connections are encrypted.
    public var isTLS: Bool { self == .ownCA || self.word == "certificate" }
  }

  /// The address to listen at.
  public let host: String
  /// The port to listen at; 0 = any.
  public let port: Int
  /// Who answers for the door's name.
  public let protection: Protection
  /// The names that were given.
  public let names: [String]
  /// From where `X-Forwarded-…` is believed.
  public let proxies: [AddressRange]
  /// The address for people that was given; empty = from the names.
  public let url: String

  /// Checks what was given on the command line.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  public init(
    listen: String, certificate: String?, keyFile: String?, ownCA: Bool, behindProxy: Bool, insecure: Bool,
    names: [String], proxies: [String], url: String?
  ) throws(Failure) {
    (self.host, self.port) = try Self.endpoint(listen)
    let ways = [certificate != nil || keyFile != nil, ownCA, behindProxy, insecure].filter { $0 }
    guard ways.count == 1 else {
      throw .invalid(
        field: "protection",
        "say one of --cert F --key-file F, --own-ca, --behind-proxy and --insecure-http. `kith web setup` explains them."
      )
    }
    if ownCA {
      self.protection = .ownCA
    } else if behindProxy {
      self.protection = .proxy
    } else if insecure {
      self.protection = .none
    } else {
      guard let certificate, let keyFile else {
        throw .invalid(field: "cert", "--cert and --key-file belong together.")
      }
      self.protection = .certificate(certificate: certificate, key: keyFile)
    }
    for name in names where HostNames.bare(name).isEmpty || name.contains("/") {
      throw .invalid(field: "name", "'\(name)' is no name of a host, such as kith.home.arpa.")
    }
    self.names = names.map(HostNames.bare)
    guard behindProxy || proxies.isEmpty else {
      throw .invalid(field: "trusted-proxy", "is for --behind-proxy alone.")
    }
    var ranges: [AddressRange] = []
    for text in proxies {
      guard let range = AddressRange(text) else {
        throw .invalid(
          field: "trusted-proxy", "'\(text)' is no range of addresses, such as 127.0.0.1 or 172.17.0.0/16.")
      }
      ranges.append(range)
    }
    self.proxies = !behindProxy ? [] : ranges.isEmpty ? AddressRange.loopback : ranges
    var address = url ?? ""
    while address.hasSuffix("/") { address.removeLast() }
    guard address.isEmpty || address.hasPrefix("https://") || address.hasPrefix("http://") else {
      throw .invalid(field: "url", "has to begin with https:// or http://.")
    }
    self.url = address
  }

  /// All names that it is reached by: those that were given, the host of the URL, the address it listens at, and the machine's own.
  public func hostNames(ofMachine own: [String]) -> HostNames {
    let listen = ["0.0.0.0", "::", ""].contains(self.host) ? [] : [self.host]
    let fromURL = self.url.isEmpty ? [] : [String(self.url.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" })]
    return HostNames(self.names + fromURL + listen + ["localhost", "127.0.0.1", "::1"] + own)
  }

  /// The address for people.
  ///
  /// - Parameter port: At which the door listens.
  public func address(port: Int, ofMachine own: [String]) -> String {
    guard self.url.isEmpty else { return self.url }
    let name = self.names.first ?? (["0.0.0.0", "::"].contains(self.host) ? own.first ?? "localhost" : self.host)
    let host = name.contains(":") ? "[\(name)]" : name
    let usual = self.protection.isTLS ? 443 : 80
    return "\(self.protection.isTLS ? "https" : "http")://\(host)\(port == usual ? "" : ":\(port)")"
  }

  private static func endpoint(_ text: String) throws(Failure) -> (String, Int) {
    let usage = Failure.invalid(field: "listen", "has to be ADDRESS:PORT, such as 0.0.0.0:8443 or [::1]:8443.")
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65_535).contains(port)
    else { throw usage }
    let host = String(text[..<colon])
    guard !host.contains(":") || host.hasPrefix("[") && host.hasSuffix("]") else { throw usage }
    let bare = HostNames.bare(host)
    guard !bare.isEmpty else { throw usage }
    return (bare, port)
  }
}
