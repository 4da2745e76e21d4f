/// What has to be kept of an address book between two passes to read only what changed.
///
/// It may be stored only when all that its listing named is stored: what a token passes over is never listed again.
public struct CollectionState: Sendable, Hashable {
  /// By what a change of the collection is noticed. Both are opaque.
  public enum Mark: Sendable, Hashable {
    /// Nothing: each pass lists everything.
    case none
    /// `DAV:sync-token`.
    case token(String)
    /// `getctag`, where there is no token.
    case tag(String)
  }

  /// By what a change is noticed.
  public var mark: Mark
  /// When everything was listed last, in nanoseconds since 1970.
  public var listedAt: Int64
  /// The form that the cards came in.
  public var form: CardForm

  /// Makes a state.
  public init(mark: Mark, listedAt: Int64, form: CardForm) {
    self.mark = mark
    self.listedAt = listedAt
    self.form = form
  }

  /// Reads what ``encoded`` wrote; nil for anything else, which then leads to a listing of everything.
  public init?(encoded: String) {
    let fields = encoded.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
    guard fields.count == 5, fields[0] == Self.version, let listedAt = Int64(fields[1]),
      let form = CardForm(rawValue: String(fields[2]))
    else { return nil }
    switch fields[3] {
    case "none": self.mark = .none
    case "token": self.mark = .token(String(fields[4]))
    case "tag": self.mark = .tag(String(fields[4]))
    default: return nil
    }
    self.listedAt = listedAt
    self.form = form
  }

  /// The state as a text.
  public var encoded: String {
    let (kind, value) =
      switch self.mark {
      case .none: ("none", "")
      case .token(let token): ("token", token)
      case .tag(let tag): ("tag", tag)
      }
    return "\(Self.version) \(self.listedAt) \(self.form.rawValue) \(kind) \(value)"
  }

  private static let version = "dav1"
}
