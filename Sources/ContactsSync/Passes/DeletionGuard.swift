internal import Storage

/// Decides whether cards that are not in a listing are deleted, or held back because the source may be at fault.
///
/// Nothing is deleted without a listing that is proven whole. Of such a listing, a deletion of everything or of more than the
/// larger of 10 and 20 % is held back, until a person confirms it, or, when it is only a part, until the same cards were absent
/// in three passes over at least a day.
struct DeletionGuard {
  enum Decision: Equatable {
    /// Nothing is missing.
    case none
    /// Delete these.
    case delete([String])
    /// Delete nothing, and count one more pass that lacks these; from the start when others were missing before.
    case hold([String], beginsAnew: Bool, reason: HoldReason)
    /// Delete nothing and count nothing: the listing proves nothing. So many are missing in it.
    case unproven(Int)
  }

  enum HoldReason: String, Equatable {
    case allWouldGo = "ALL_WOULD_GO"
    case tooMany = "TOO_MANY"
  }

  /// Cards that may always go.
  static let allowance = 10
  /// The share of the live cards that may go: one in so many.
  static let share = 5
  static let passesToRelease = 3
  /// Nanoseconds.
  static let timeToRelease: Int64 = 24 * 3_600 * 1_000_000_000

  /// Whether the listing is whole, as its reply proves.
  let isWhole: Bool
  /// Whether a person confirmed that everything missing is to go.
  let isConfirmed: Bool
  /// Cards of the source that had a contact when the pass began.
  let live: Int
  /// Nanoseconds since 1970.
  let now: Int64

  /// Decides on the cards that are missing. Cards that a person restored by hand stay, and do not count.
  func decide(missing: [KnownCard]) -> Decision {
    let proposed = missing.filter { !$0.isKept }
    guard !proposed.isEmpty else { return .none }
    let hrefs = proposed.map(\.href).sorted()
    guard self.isWhole else { return .unproven(hrefs.count) }
    // A card that never gave a contact takes nothing with it.
    let contacts = proposed.count { !$0.contactID.isEmpty }
    guard !self.isConfirmed, let reason = self.objection(to: contacts) else { return .delete(hrefs) }
    guard let first = proposed.first, first.missingSince != 0,
      proposed.allSatisfy({ $0.missingSince == first.missingSince && $0.missingPasses == first.missingPasses })
    else { return .hold(hrefs, beginsAnew: true, reason: reason) }
    let isReleased =
      reason == .tooMany && first.missingPasses + 1 >= Self.passesToRelease
      && self.now - first.missingSince >= Self.timeToRelease
    return isReleased ? .delete(hrefs) : .hold(hrefs, beginsAnew: false, reason: reason)
  }

  private func objection(to contacts: Int) -> HoldReason? {
    guard contacts > 0 else { return nil }
    if contacts >= self.live { return .allWouldGo }
    return contacts > max(Self.allowance, self.live / Self.share) ? .tooMany : nil
  }
}
