/// A match of a search among people and contacts.
struct NameHit: Comparable {
  /// How well it matches; the lower, the better.
  enum Rank: Int, Comparable {
    /// A name has the words as they are.
    case name
    /// A name has them in another script or spelling system.
    case otherScript
    /// Another field has them.
    case anyField
    /// A name is like them.
    case misspelt

    /// On the wire.
    var name: String {
      switch self {
      case .name: "name"
      case .otherScript: "other_script"
      case .anyField: "any_field"
      case .misspelt: "misspelt"
      }
    }

    static func < (one: Rank, other: Rank) -> Bool { one.rawValue < other.rawValue }
  }

  let owner: NameOwner
  let rank: Rank
  /// Of two of one rank, the one with the smaller difference comes first.
  let distance: Int
  /// Its key in lists.
  let key: String

  static func < (one: NameHit, other: NameHit) -> Bool {
    (one.rank, one.distance, one.key, one.owner.number) < (other.rank, other.distance, other.key, other.owner.number)
  }
}
