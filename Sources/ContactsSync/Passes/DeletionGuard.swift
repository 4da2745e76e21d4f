internal import KithMessages
internal import Storage

/// Decides whether the contacts of missing cards are deleted, or held back because the source may be at fault.
///
/// Without a listing that is proven complete, nothing is deleted. Nothing is deleted either from a part of the source,
/// such as an address book, that lists no card at all or no longer exists: this rule depends on the listing alone, so
/// that no stored state can break it. Otherwise a deletion of every card, or of more than the larger of 10 cards and 20
/// %, is held back until a person confirms it. A held deletion that is not of every card is also released if the same
/// cards were missing in three passes, each at least twelve hours after the one before: a clock that is set forward
/// once replaces one of the two gaps, never both.
struct DeletionGuard {
  /// A separately guarded part of a source: a folder, a subfolder, a file, or one address book of an account.
  struct Part: Equatable {
    /// The prefix of the hrefs of its cards.
    let beginning: String
    /// Whether its listing contains any card, known or new.
    let listsCards: Bool
    /// Whether the account no longer has this address book.
    var isGone = false

    fileprivate var objection: HoldReason? { self.isGone ? .bookGone : self.listsCards ? nil : .listingEmpty }
  }

  struct Decision: Equatable {
    /// The cards to delete.
    var deleted: [String] = []
    /// The missing cards whose contacts stay.
    var held: [String] = []
    /// The cards of ``held`` that are released if they stay missing. Passes that show no card at all do not count for
    /// them.
    var counted: [String] = []
    /// Whether the absence of ``counted`` counts from the start, because other cards were missing before.
    var restarts = false
    /// Whether this pass does not count for ``counted``, because it comes too soon after the last one that did.
    var waits = false
    /// Why they are held; the first of ``HoldReason`` if several apply.
    var reason: HoldReason?
  }

  /// The most serious first.
  enum HoldReason: String, CaseIterable {
    /// The listing proves nothing, so absences are not counted either.
    case listingNotWhole = "LISTING_NOT_WHOLE"
    case bookGone = "BOOK_GONE"
    case listingEmpty = "LISTING_EMPTY"
    case allWouldGo = "ALL_WOULD_GO"
    case tooMany = "TOO_MANY"
  }

  /// The number of cards that may always be deleted.
  static let allowance = 10
  /// The share of the cards that may be deleted: one in this number.
  static let share = 5
  static let passesToRelease = 3
  /// The shortest time between two passes that count towards a release: 12 hours, in nanoseconds.
  static let gap: Int64 = 12 * 3_600 * 1_000_000_000

  /// Whether the reply proves that the listing is complete.
  let isWhole: Bool
  /// Whether a person confirmed the deletion of cards that an earlier pass missed. Cards that this pass is the first to
  /// miss were not shown as held.
  let isConfirmed: Bool
  /// Listed known cards with a contact.
  let shown: Int
  /// The listed parts. A card without a part belongs to an address book that no longer exists.
  let parts: [Part]
  /// Nanoseconds since 1970.
  let now: Int64

  /// Decides on the missing cards. Cards whose contact a person restored by hand stay, and are not counted.
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
      // Deleting a card that never had a contact deletes no contact.
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

  /// When a pass last counted towards the release of exactly these cards; nil if the count begins now, as after the
  /// clock was set back.
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
    // The keys of its cards are UIDs, which may contain slashes.
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
