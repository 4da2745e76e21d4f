public import Transfer

/// The servers that may get the password of an account: the typed one, and its close relatives.
///
/// Providers spread an account over hosts (`contacts.example.com`, `p12-contacts.example.com`). For any other server
/// the person has to confirm.
///
/// ```swift
/// let family = ServerFamily(of: try WebURL("https://contacts.example.com/"))
/// family.includes(try WebURL("https://p12-contacts.example.com/"))  // true
/// family.includes(try WebURL("https://example.org/"))  // false
/// ```
public struct ServerFamily: Sendable, Hashable {
  private let origin: Origin

  /// Makes the family of the typed server.
  public init(of url: WebURL) { self.origin = url.origin }

  /// True for the same origin, or over TLS for the same host, a host below it, or a sister host.
  ///
  /// Sister hosts count only if the typed server itself named them over TLS: below some domains (`duckdns.org`) anybody
  /// can have a host.
  public func includes(_ url: WebURL) -> Bool {
    if self.holds(url) { return true }
    guard url.origin.scheme == "https", !Self.isAddress(url.origin.host), !Self.isAddress(self.origin.host),
      let parent = Self.parent(of: self.origin.host)
    else { return false }
    return url.origin.host == parent || url.origin.host.hasSuffix("." + parent)
  }

  /// True for the typed server, or over TLS for the same host or a host below it: only the owner of the domain has a
  /// certificate for those.
  public func holds(_ url: WebURL) -> Bool {
    if url.origin == self.origin { return true }
    guard url.origin.scheme == "https" else { return false }
    let own = self.origin.host
    return url.origin.host == own || !Self.isAddress(own) && url.origin.host.hasSuffix("." + own)
  }

  /// The domain above a host; nil if unrelated owners share it, or may do so (`com`, `co.uk`).
  private static func parent(of host: String) -> String? {
    let labels = host.split(separator: ".").dropFirst()
    guard labels.count >= 2, let first = labels.first, let last = labels.last else { return nil }
    if labels.count == 2, last.count == 2, first.count <= 3 { return nil }
    return labels.joined(separator: ".")
  }

  /// True for a numerical address, which has no relatives.
  static func isAddress(_ host: String) -> Bool {
    host.contains(":") || host.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
  }
}
