/// The vCard version that is requested from a server, always the same one for a collection.
///
/// Servers may convert cards between versions, and the same card has the same ETag in both.
///
/// ```swift
/// CardForm(offered: ["3.0", "4.0"])  // .version3
/// ```
public enum CardForm: String, Sendable, Hashable {
  /// As stored. For servers that do not list their versions; RFC 6352 section 10.4 makes that 3.0.
  case asStored = "any"
  /// vCard 3.0, which most cards use and every server has to offer.
  case version3 = "3.0"
  /// vCard 4.0, if a server does not offer 3.0.
  case version4 = "4.0"

  /// Chooses the form.
  ///
  /// - Parameter offered: The versions in `CARDDAV:supported-address-data`; nil if the server does not list them.
  public init(offered: Set<String>?) {
    switch offered {
    case let offered? where offered.contains("3.0"): self = .version3
    case let offered? where offered.contains("4.0"): self = .version4
    default: self = .asStored
    }
  }

  /// Returns a text that changes if the card, or the form that it is sent in, may have changed.
  ///
  /// - Parameter entityTag: As the server sent it. Weak and strong ETags are equal: proxies that compress weaken them.
  /// - Returns: An empty text, which equals no other, if the server sent no ETag.
  public func fingerprint(entityTag: String?) -> String {
    guard let entityTag, !entityTag.isEmpty else { return "" }
    let strong = entityTag.hasPrefix("W/") ? String(entityTag.dropFirst(2)) : entityTag
    return self == .version4 ? strong + " 4.0" : strong
  }

  /// The attributes of `CARDDAV:address-data`.
  var attributes: String {
    self == .asStored ? "" : #" content-type="text/vcard" version="\#(self.rawValue)""#
  }

  /// The `Accept` header of a GET.
  var accept: String {
    self == .asStored ? "text/vcard, */*;q=0.5" : "text/vcard; version=\(self.rawValue), text/vcard;q=0.9, */*;q=0.5"
  }
}
