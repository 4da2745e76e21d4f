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

  /// Whether somebody was changing the collection while it was looked at.
  public enum Activity: String, Sendable, Hashable {
    /// Nothing had changed since the look before.
    case quiet
    /// Something had.
    case changed
    /// Something had in two looks in a row. A server whose writers work side by side may have given a token that passes over
    /// a change it commits later: everything is compared by ETag until a look finds the token as it was.
    case busy
  }

  /// By what a change is noticed.
  public var mark: Mark
  /// When everything was listed last, in nanoseconds since 1970.
  public var listedAt: Int64
  /// The form that the cards came in.
  public var form: CardForm
  /// Whether somebody was changing it.
  public var activity: Activity

  /// Makes a state.
  public init(mark: Mark, listedAt: Int64, form: CardForm, activity: Activity = .quiet) {
    self.mark = mark
    self.listedAt = listedAt
    self.form = form
    self.activity = activity
  }

  /// Reads what ``encoded`` wrote; nil for anything else, which then leads to a listing of everything.
  public init?(encoded: String) {
    // The mark is the rest, whatever it holds. The first version had no activity.
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
