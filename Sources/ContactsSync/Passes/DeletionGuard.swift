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
    /// Delete nothing; mark these missing since then, in so many passes.
    case hold([String], since: Int64, passes: Int, reason: HoldReason)
  }

  enum HoldReason: String, Equatable {
    case allWouldGo = "ALL_WOULD_GO"
    case tooMany = "TOO_MANY"
    case notWhole = "LISTING_NOT_WHOLE"
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
    guard self.isWhole else { return self.hold(proposed, hrefs, .notWhole, counts: false) }
    // A card that never gave a contact takes nothing with it.
    let contacts = proposed.count { !$0.contactID.isEmpty }
    guard !self.isConfirmed, let reason = self.objection(to: contacts) else { return .delete(hrefs) }
    let held = self.hold(proposed, hrefs, reason, counts: true)
    if reason == .tooMany, case .hold(_, let since, let passes, _) = held, passes >= Self.passesToRelease,
      self.now - since >= Self.timeToRelease
    {
      return .delete(hrefs)
    }
    return held
  }

  private func objection(to contacts: Int) -> HoldReason? {
    guard contacts > 0 else { return nil }
    if contacts >= self.live { return .allWouldGo }
    return contacts > max(Self.allowance, self.live / Self.share) ? .tooMany : nil
  }

  /// The same cards go on counting; another set begins anew.
  private func hold(
    _ proposed: [KnownCard], _ hrefs: [String], _ reason: HoldReason, counts: Bool
  ) -> Decision {
    let first = proposed.first
    let isSame = first.map { first in
      first.missingSince != 0
        && proposed.allSatisfy { $0.missingSince == first.missingSince && $0.missingPasses == first.missingPasses }
    }
    guard let first, isSame == true else { return .hold(hrefs, since: self.now, passes: counts ? 1 : 0, reason: reason) }
    return .hold(hrefs, since: first.missingSince, passes: first.missingPasses + (counts ? 1 : 0), reason: reason)
  }
}
