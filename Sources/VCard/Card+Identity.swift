extension Card {
  /// The identifier as written (UID).
  public var uid: String? { firstText("UID") }

  /// The identifier without `urn:uuid:`, for comparison.
  public var bareUID: String? { uid.map(Self.withoutScheme) }

  /// What the card describes, from KIND, X-ADDRESSBOOKSERVER-KIND, or X-ABShowAs.
  public var kind: CardKind {
    if let kind = firstText("KIND") ?? firstText("X-ADDRESSBOOKSERVER-KIND") {
      return switch kind.lowercased() {
      case "individual": .individual
      case "group": .group
      case "org", "organization": .organization
      case "location": .location
      case let other: .other(other)
      }
    }
    return firstText("X-ABSHOWAS")?.uppercasedASCII == "COMPANY" ? .organization : .individual
  }

  /// The cards of a group, by identifier without `urn:uuid:` (MEMBER, X-ADDRESSBOOKSERVER-MEMBER).
  public var members: [String] {
    (properties(named: "MEMBER") + properties(named: "X-ADDRESSBOOKSERVER-MEMBER")).compactMap(\.text.nonEmpty)
      .map(Self.withoutScheme)
  }

  /// The categories of all CATEGORIES properties.
  public var categories: [String] { limited(properties(named: "CATEGORIES").flatMap(\.list)) }

  private static func withoutScheme(_ uid: String) -> String {
    uid.uppercasedASCII.hasPrefix("URN:UUID:") ? String(uid.dropFirst(9)) : uid
  }
}
