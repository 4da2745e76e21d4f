internal import KithMessages
internal import Storage

/// Finds known cards that were renamed. A card is identified by its UID first, and by its name if no other card has its
/// UID.
///
/// Which card has a name is certain only after all cards are read. A card that is read under the name of another one,
/// or before the known name of its UID was read, is therefore deferred. So cards that swapped names keep their
/// contacts, and two cards of one UID stay two.
struct MovedCards: Sendable {
  /// A known card that gets another name.
  struct Move: Equatable, Sendable {
    let from: String
    let to: String
  }

  /// The UIDs of deferred cards, by their names.
  private(set) var putOff: [String: String] = [:]
  /// The UIDs of known cards that were listed and will be read.
  private let awaited: Set<String>
  /// Known cards whose names deferred cards have now, and those that were deleted after the listing, by their names.
  private var displaced: [String: KnownCard] = [:]
  /// The names of known cards that were found already: under other names, or, if deleted, under their own.
  private var taken: Set<String> = []

  /// - Parameter known: The known cards that were listed and will be read.
  init(known: some Sequence<KnownCard>) {
    self.awaited = Set(known.lazy.filter { $0.isIdentified && !$0.isDeleted }.map(\.uid))
  }

  /// Whether a card has to wait until all others are read.
  ///
  /// - Parameters:
  ///   - known: The card that is known by its name.
  ///   - isFound: Whether a card of its UID is known to have lost its name.
  mutating func putsOff(_ read: CardRead, known: KnownCard?, isFound: Bool) -> Bool {
    if read.vanished { self.displaced[read.href] = known }
    let uid = read.contact.uid
    guard read.hasContact, !read.isCutOff, !uid.isEmpty else { return false }
    if let known, known.uid == uid {
      // A deleted contact that reappeared under its own name is not available for another name.
      if known.isDeleted { self.taken.insert(known.href) }
      return false
    }
    let isNameTaken = known.map { !$0.contactID.isEmpty } ?? false
    guard known?.isIdentified == true || (isFound ? isNameTaken : self.awaited.contains(uid)) else { return false }
    self.putOff[read.href] = uid
    self.displaced[read.href] = known
    return true
  }

  /// Records that known cards already have other names.
  ///
  /// - Parameter hrefs: Their old names.
  mutating func leave(_ hrefs: Set<String>) { self.taken.formUnion(hrefs) }

  /// Decides which known cards get which names, after everything was read.
  ///
  /// A displaced card that is found nowhere gets a name outside every listing, if another card has its name or its
  /// contact is deleted. Otherwise it is the same card with a new UID.
  ///
  /// - Parameters:
  ///   - lost: Known cards by UID that the source does not list.
  ///   - deleted: Known cards by UID whose contacts are deleted. One that was moved aside counts by its UID alone: its
  ///     name begins like that of another card, which is listed.
  func moves(lost: [String: [KnownCard]], deleted: [String: [KnownCard]]) -> [Move] {
    var moves: [Move] = []
    var taken = self.taken
    var filled: Set<String> = []
    let displaced = self.displaced.values.filter { !$0.contactID.isEmpty }.sorted {
      ($0.isDeleted ? 1 : 0, $0.href) < ($1.isDeleted ? 1 : 0, $1.href)
    }
    let byUID = Dictionary(grouping: displaced, by: \.uid)
    for (href, uid) in self.putOff.sorted(by: { $0.key < $1.key }) {
      let candidates = [lost, byUID, deleted].flatMap { $0[uid] ?? [] }
      guard let card = candidates.first(where: { $0.href != href && !taken.contains($0.href) }) else { continue }
      taken.insert(card.href)
      filled.insert(href)
      moves.append(Move(from: card.href, to: href))
    }
    for card in displaced where self.putOff[card.href] != nil && !taken.contains(card.href) {
      if filled.contains(card.href) || card.isDeleted && card.isIdentified {
        moves.append(Move(from: card.href, to: Self.aside(card)))
      }
    }
    return moves
  }

  /// The names under which a card has an unknown UID while the card known by that name was not found. In a complete
  /// listing it is the same card with a new UID; in an incomplete one the other card may be in the unlisted part.
  ///
  /// - Parameter moves: The result of ``moves(lost:deleted:)``.
  func undecided(_ moves: [Move]) -> Set<String> {
    let decided = Set(moves.flatMap { [$0.from, $0.to] }).union(self.taken)
    return Set(self.putOff.keys.filter { self.displaced[$0]?.isIdentified == true && !decided.contains($0) })
  }

  /// The name for a card whose own name another card has now: that of a former part of its file.
  static func aside(_ card: KnownCard) -> String { "\(card.href)#!moved-\(card.contactID)" }
}

extension KnownCard {
  /// Whether it has a contact and a UID.
  fileprivate var isIdentified: Bool { !self.contactID.isEmpty && !self.uid.isEmpty }
}
