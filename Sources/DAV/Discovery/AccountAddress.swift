public import Transfer

/// What a person gives to name an account: a URL, a host, or an e-mail address.
public struct AccountAddress: Sendable, Hashable {
  /// Where to begin.
  public let url: WebURL
  /// Whether the URL was given as such; otherwise it was made of a host.
  public let isURL: Bool
  /// The domain whose name service may know more; nil for numerical addresses, this machine, and where a port was given.
  public let domain: String?

  /// Reads what was given.
  ///
  /// - Throws: ``DAVError/notAnAddress(_:)``.
  public init(_ text: String) throws(DAVError) {
    let trimmed = text.drop { $0.isWhitespace }
    let given = String(trimmed.prefix(trimmed.count - trimmed.reversed().prefix { $0.isWhitespace }.count))
    guard !given.isEmpty, !given.contains(where: { $0.isWhitespace }) else { throw .notAnAddress(text) }
    self.isURL = given.contains("://")
    do {
      if self.isURL {
        self.url = try WebURL(given)
      } else {
        // What stands before the @ is the user's name, which is given apart.
        let host = given.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let url = try WebURL("https://\(host)")
        // There is no one to listen in on this machine, and servers there have no certificate.
        self.url = url.isLoopback ? try WebURL("http://\(host)") : url
      }
    } catch { throw .notAnAddress(text) }
    let origin = self.url.origin
    guard origin.scheme == "http" || origin.scheme == "https" else { throw .notAnAddress(text) }
    let isPlain = origin.port == 443 && !self.url.isLoopback && !ServerFamily.isAddress(origin.host)
    self.domain = isPlain && origin.host.contains(".") ? origin.host : nil
  }
}
