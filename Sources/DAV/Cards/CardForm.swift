/// The version of vCard that a server is asked to give, always the same one for a collection.
///
/// Servers may convert cards between versions, and an ETag does not tell: the same card has the same ETag in both.
public enum CardForm: String, Sendable, Hashable {
  /// As it is stored. For servers that do not say what they can give; RFC 6352 section 10.4 makes that 3.0.
  case asStored = "any"
  /// vCard 3.0, which most cards in use are, and which each server has to offer.
  case version3 = "3.0"
  /// vCard 4.0, where a server offers nothing else.
  case version4 = "4.0"

  /// Chooses the form.
  ///
  /// - Parameter offered: The versions in `CARDDAV:supported-address-data`; nil when the server does not say.
  public init(offered: Set<String>?) {
    switch offered {
    case let offered? where offered.contains("3.0"): self = .version3
    case let offered? where offered.contains("4.0"): self = .version4
    default: self = .asStored
    }
  }

  /// A text that changes when the card may have, or the form that it comes in.
  ///
  /// - Parameter entityTag: As the server gave it. Weak and strong ones are the same: proxies that compress weaken them.
  /// - Returns: Empty, which equals no other, when the server gave no ETag.
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
