/// What is stored of an address book between two passes, so that the next pass reads only changes.
///
/// Store it only after every card of its listing is stored: a change before its token is never listed again.
///
/// ```swift
/// if let state = listing.state { file.write(state.encoded) }
/// let known = CollectionState(encoded: file.read())
/// ```
public struct CollectionState: Sendable, Hashable {
  /// How a change of the collection is noticed. Both texts are opaque.
  public enum Mark: Sendable, Hashable {
    /// Not at all: each pass lists every card.
    case none
    /// `DAV:sync-token`.
    case token(String)
    /// `getctag`, used if there is no token.
    case tag(String)
  }

  /// Whether the collection was being changed during the pass.
  public enum Activity: String, Sendable, Hashable {
    /// Unchanged since the previous pass.
    case quiet
    /// Changed since the previous pass.
    case changed
    /// Changed in two passes in a row. A server with concurrent writers may have issued a token before a change that it
    /// commits later: every card is compared by ETag until a pass finds the token unchanged.
    case busy
  }

  /// How a change is noticed.
  public var mark: Mark
  /// The time of the last full listing, in nanoseconds since 1970.
  public var listedAt: Int64
  /// The form that the cards were sent in.
  public var form: CardForm
  /// Whether the collection was being changed.
  public var activity: Activity

  /// Makes a state.
  public init(mark: Mark, listedAt: Int64, form: CardForm, activity: Activity = .quiet) {
    self.mark = mark
    self.listedAt = listedAt
    self.form = form
    self.activity = activity
  }

  /// Parses what ``encoded`` wrote; nil for any other text, which leads to a full listing.
  public init?(encoded: String) {
    // The mark is the rest of the text. The first version had no activity.
    let isFirst = encoded.hasPrefix("dav1 ")
    let fields = encoded.split(separator: " ", maxSplits: isFirst ? 4 : 5, omittingEmptySubsequences: false)
    guard fields.count == (isFirst ? 5 : 6), isFirst || fields[0] == Self.version, let listedAt = Int64(fields[1]),
      let form = CardForm(rawValue: String(fields[2])),
      let activity = isFirst ? .quiet : Activity(rawValue: String(fields[3]))
    else { return nil }
    let value = String(fields[fields.count - 1])
    switch fields[fields.count - 2] {
    case "none": self.mark = .none
    case "token": self.mark = .token(value)
    case "tag": self.mark = .tag(value)
    default: return nil
    }
    self.listedAt = listedAt
    self.form = form
    self.activity = activity
  }

  /// The state as a text.
  public var encoded: String {
    let (kind, value) =
      switch self.mark {
      case .none: ("none", "")
      case .token(let token): ("token", token)
      case .tag(let tag): ("tag", tag)
      }
    return "\(Self.version) \(self.listedAt) \(self.form.rawValue) \(self.activity.rawValue) \(kind) \(value)"
  }

  private static let version = "dav2"
}
