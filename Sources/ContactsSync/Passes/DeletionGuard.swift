internal import KithMessages
internal import Storage

/// Decides whether the contacts of missing cards are deleted, or held back because the source may be at fault.
///
/// Nothing is deleted without a listing that is proven whole, and nothing of a part of the source, such as an address book,
/// that lists no card at all or is not there any more: that rule looks at the listing alone, so that nothing stored can spoil
/// it. Of the rest, a deletion of everything or of more than the larger of 10 and 20 % is held back. A person confirms what
/// an earlier pass held; the 20 % are also released when the same cards were absent in three passes, each at least twelve
/// hours after the one before: a clock that is set forward once makes up for one of the two gaps, and never for both.
struct DeletionGuard {
  /// A part of a source that is listed by itself: a folder, a folder in it, a file, or one address book of an account.
  struct Part: Equatable {
    /// What the hrefs of its cards begin with.
    let beginning: String
    /// Whether its listing names any card, known or new.
    let listsCards: Bool
    /// Whether the account says that it has no such address book any more.
    var isGone = false

    fileprivate var objection: HoldReason? { self.isGone ? .bookGone : self.listsCards ? nil : .listingEmpty }
  }

  struct Decision: Equatable {
    /// The cards to delete.
    var deleted: [String] = []
    /// The cards that are missing and whose contacts stay.
    var held: [String] = []
    /// Of ``held``, those that are released when they stay away. Passes that show nothing at all do not count for them.
    var counted: [String] = []
    /// Whether the absence of ``counted`` counts from the start, because other cards were missing before.
    var restarts = false
    /// Whether this pass does not count for ``counted``, because it comes too soon after the last one that did.
    var waits = false
    /// Why they are held; the first of ``HoldReason`` where there are several reasons.
    var reason: HoldReason?
  }

  /// The gravest first.
  enum HoldReason: String, CaseIterable {
    /// The listing proves nothing, so absences are not counted either.
    case listingNotWhole = "LISTING_NOT_WHOLE"
    case bookGone = "BOOK_GONE"
    case listingEmpty = "LISTING_EMPTY"
    case allWouldGo = "ALL_WOULD_GO"
    case tooMany = "TOO_MANY"
  }

  /// Cards that may always go.
  static let allowance = 10
  /// The share of the cards that may go: one in so many.
  static let share = 5
  static let passesToRelease = 3
  /// The shortest time between two passes that count towards a release: 12 hours, in nanoseconds.
  static let gap: Int64 = 12 * 3_600 * 1_000_000_000

  /// Whether the listing is whole, as its reply proves.
  let isWhole: Bool
  /// Whether a person confirmed that what was missing before is to go. What this pass is the first to miss nobody has seen held.
  let isConfirmed: Bool
  /// Known cards with a contact that the listing shows.
  let shown: Int
  /// The parts that were listed. A card that belongs to none is one of an address book that is gone.
  let parts: [Part]
  /// Nanoseconds since 1970.
  let now: Int64

  /// Decides on the cards that are missing. Cards whose contact a person restored by hand stay, and do not count.
  func decide(missing: [KnownCard]) -> Decision {
    let proposed = missing.filter { !$0.isKept }.sorted { $0.href < $1.href }
    guard !proposed.isEmpty else { return Decision() }
    let hrefs = proposed.map(\.href)
    guard self.isWhole else { return Decision(held: hrefs, reason: .listingNotWhole) }
    var decision = Decision()
    var reasons: Set<HoldReason> = []
    var rest: [KnownCard] = []
    for card in proposed {
      if self.isConfirmed, card.missingSince != 0 {
        decision.deleted.append(card.href)
        continue
      }
      // A card that never gave a contact takes nothing with it.
      if !card.contactID.isEmpty, let reason = self.objection(toListingOf: card) {
        decision.held.append(card.href)
        reasons.insert(reason)
      } else {
        rest.append(card)
      }
    }
    let reason = self.objection(to: rest.count { !$0.contactID.isEmpty })
    let lastCount = self.lastCount(of: rest)
    let isDue = lastCount.map { self.now - $0 >= Self.gap } ?? true
    let isLast = lastCount != nil && isDue && rest.allSatisfy { $0.missingPasses + 1 >= Self.passesToRelease }
    if reason == nil || reason == .tooMany && isLast {
      decision.deleted += rest.map(\.href)
    } else if let reason {
      decision.held += rest.map(\.href)
      reasons.insert(reason)
      if reason == .tooMany {
        decision.counted = rest.map(\.href)
        decision.restarts = lastCount == nil
        decision.waits = !isDue
      }
    }
    decision.reason = HoldReason.allCases.first { reasons.contains($0) }
    return decision
  }

  private func objection(toListingOf card: KnownCard) -> HoldReason? {
    let part = self.parts.first { card.href.utf8.starts(with: $0.beginning.utf8) }
    return part.map(\.objection) ?? .bookGone
  }

  private func objection(to contacts: Int) -> HoldReason? {
    guard contacts > 0 else { return nil }
    if self.shown == 0 { return .allWouldGo }
    return contacts > max(Self.allowance, (self.shown + contacts) / Self.share) ? .tooMany : nil
  }

  /// When a pass last counted towards the release of these cards, and no others; nil if the count begins now, as it does when
  /// the clock was set back since.
  private func lastCount(of cards: [KnownCard]) -> Int64? {
    guard let first = cards.first, first.missingSince != 0, first.missingPasses > 0, first.countedAt <= self.now else {
      return nil
    }
    let isSameSet = cards.allSatisfy {
      $0.missingSince == first.missingSince && $0.missingPasses == first.missingPasses
        && $0.countedAt == first.countedAt
    }
    return isSameSet ? first.countedAt : nil
  }
}

extension DeletionGuard.Part {
  /// The address books of an account, the folders of a folder; a file is one part.
  static func parts(of listing: ListItemsReply, _ location: SourceLocation, _ diff: ListingDiff) -> [Self] {
    switch location.kind {
    case .carddav:
      let gone = Set(listing.problems.lazy.filter { $0.kind == CardProblem.bookMissing }.map(\.sourceIdentifier))
      return AccountPosition.books(ofIdentity: listing.identity).map { book in
        let beginning = book.key + "/"
        return Self(
          beginning: beginning, listsCards: diff.lists(under: beginning), isGone: gone.contains(beginning))
      }
    // The keys of its cards are UIDs, which may hold slashes.
    case .vcf: return [Self(beginning: "", listsCards: diff.lists(under: ""))]
    case .vdir, nil:
      let folders = diff.beginnings(CardPlace.beginning(ofCard:)).sorted { $0.key > $1.key }
      return folders.map { Self(beginning: $0.key, listsCards: $0.value) }
    }
  }
}

extension SourceLocation {
  /// Whether it is an account with address books, and not on disk.
  var isAccount: Bool { if case .carddav? = self.kind { true } else { false } }
}
