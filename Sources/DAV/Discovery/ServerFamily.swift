public import Transfer

/// The servers that may see the password of an account: the one that the person named, and its close relatives.
///
/// Providers spread an account over hosts (`contacts.example.com`, `p12-contacts.example.com`). Anything further away needs
/// the word of the person.
public struct ServerFamily: Sendable, Hashable {
  private let origin: Origin

  /// Makes the family of the server that a person named.
  public init(of url: WebURL) { self.origin = url.origin }

  /// Whether a server belongs to it: the same origin, or over TLS the same host, a host below it, or a sister of it.
  ///
  /// Sisters are for what the named server itself said over TLS: below some domains (`duckdns.org`) everybody may have one.
  public func includes(_ url: WebURL) -> Bool {
    if self.holds(url) { return true }
    guard url.origin.scheme == "https", !Self.isAddress(url.origin.host), !Self.isAddress(self.origin.host),
      let parent = Self.parent(of: self.origin.host)
    else { return false }
    return url.origin.host == parent || url.origin.host.hasSuffix("." + parent)
  }

  /// Whether a server is the named one, or over TLS one of the same host or a host below it: whoever says so, nobody but the
  /// owner of the name has a certificate for it.
  public func holds(_ url: WebURL) -> Bool {
    if url.origin == self.origin { return true }
    guard url.origin.scheme == "https" else { return false }
    let own = self.origin.host
    return url.origin.host == own || !Self.isAddress(own) && url.origin.host.hasSuffix("." + own)
  }

  /// The domain above a host; nil where that is, or looks like, one that strangers share (`com`, `co.uk`).
  private static func parent(of host: String) -> String? {
    let labels = host.split(separator: ".").dropFirst()
    guard labels.count >= 2, let first = labels.first, let last = labels.last else { return nil }
    if labels.count == 2, last.count == 2, first.count <= 3 { return nil }
    return labels.joined(separator: ".")
  }

  /// Whether a host is a numerical address, which has no relatives.
  static func isAddress(_ host: String) -> Bool {
    host.contains(":") || host.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
  }
}
