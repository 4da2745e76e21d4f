internal import KithMessages
internal import Storage

/// Finds known cards that were renamed. A card is identified by its UID first, and by its name if no other card has its
/// UID.
///
/// Which card has a name is certain only after all cards are read. A card that is read under the name of another one,
/// or before the known name of its UID was read, is therefore deferred; so is one that has changed as well, because another
/// card of its UID may be the same unchanged. So cards that swapped names keep their contacts, and two cards of one UID
/// stay two.
struct MovedCards: Sendable {
  /// A known card that gets another name.
  struct Move: Equatable, Sendable {
    let from: String
    let to: String
  }

  /// The UIDs of deferred cards, by their names.
  private(set) var putOff: [String: String] = [:]
  /// The deferred cards themselves, by their names.
  private var contents: [String: (name: String, digest: [UInt8])] = [:]
  /// The UIDs of known cards that were listed and will be read.
  private let awaited: Set<String>
  /// The UIDs of known cards in parts that could not be listed.
  private let unlisted: Set<String>
  /// Known cards whose names deferred cards have now, and those that were deleted after the listing, by their names.
  private var displaced: [String: KnownCard] = [:]
  /// The names of known cards that were found already: under other names, or, if deleted, under their own.
  private var taken: Set<String> = []

  /// - Parameters:
  ///   - known: The known cards that were listed and will be read.
  ///   - unlisted: The known cards in folders or address books that could not be listed.
  init(known: some Sequence<KnownCard>, unlisted: [KnownCard] = []) {
    self.awaited = Set(known.lazy.filter { $0.isIdentified && !$0.isDeleted }.map(\.uid))
    self.unlisted = Set(unlisted.lazy.filter { $0.isIdentified && !$0.isDeleted }.map(\.uid))
  }

  /// Whether a card has to wait until all others are read.
  ///
  /// - Parameters:
  ///   - known: The card that is known by its name.
  ///   - lost: The cards of its UID that are known to have lost their names.
  mutating func putsOff(_ read: CardRead, known: KnownCard?, lost: [KnownCard]) -> Bool {
    if read.vanished { self.displaced[read.href] = known }
    let uid = read.contact.uid
    guard read.hasContact, !read.isCutOff, !uid.isEmpty else { return false }
    if let known, known.uid == uid {
      // A deleted contact that reappeared under its own name is not available for another name.
      if known.isDeleted { self.taken.insert(known.href) }
      return false
    }
    let isNameTaken = known.map { !$0.contactID.isEmpty } ?? false
    let waits =
      lost.isEmpty
      ? self.awaited.contains(uid) || self.unlisted.contains(uid)
      : isNameTaken || !lost.contains { $0.semanticDigest == Array(read.semanticDigest) }
    guard known?.isIdentified == true || waits else { return false }
    self.putOff[read.href] = uid
    self.contents[read.href] = (read.contact.formattedName, Array(read.semanticDigest))
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
  ///   - names: What the contacts of ``contested(lost:)`` are called, by their ids.
  func moves(
    lost: [String: [KnownCard]], deleted: [String: [KnownCard]], names: [String: String] = [:]
  ) -> [Move] {
    var moves: [Move] = []
    var taken = self.taken
    var filled: Set<String> = []
    let displaced = self.displaced.values.filter { !$0.contactID.isEmpty }.sorted {
      ($0.isDeleted ? 1 : 0, $0.href) < ($1.isDeleted ? 1 : 0, $1.href)
    }
    let byUID = Dictionary(grouping: displaced, by: \.uid)
    func give(_ href: String, one candidates: [KnownCard]) {
      guard let card = candidates.first(where: { $0.href != href && !taken.contains($0.href) }) else { return }
      taken.insert(card.href)
      filled.insert(href)
      moves.append(Move(from: card.href, to: href))
    }
    let waiting = self.putOff.sorted { $0.key < $1.key }
    // Of several cards of one UID, each is rather one with its content, or else with its name.
    for (href, uid) in waiting {
      give(href, one: (lost[uid] ?? []).filter { $0.semanticDigest == self.contents[href]?.digest })
    }
    for (href, uid) in waiting where !filled.contains(href) {
      give(href, one: (lost[uid] ?? []).filter { names[$0.contactID] == self.contents[href]?.name })
    }
    for (href, uid) in waiting where !filled.contains(href) {
      // The live contact of a part that could not be listed comes before a deleted one.
      let places = self.unlisted.contains(uid) ? [lost, byUID] : [lost, byUID, deleted]
      give(href, one: places.flatMap { $0[uid] ?? [] })
    }
    for card in displaced where self.putOff[card.href] != nil && !taken.contains(card.href) {
      if filled.contains(card.href) || card.isDeleted && card.isIdentified {
        moves.append(Move(from: card.href, to: Self.aside(card)))
      }
    }
    return moves
  }

  /// The lost cards of UIDs that several cards may have, of which a deferred one: which of them is which, their names say.
  func contested(lost: [String: [KnownCard]]) -> [KnownCard] {
    Dictionary(grouping: self.putOff.values, by: \.self).flatMap { uid, all in
      let known = lost[uid] ?? []
      return all.count > 1 || known.count > 1 ? known : []
    }
  }

  /// The names under which a card has an unknown UID while the card known by that name was not found. In a complete
  /// listing it is the same card with a new UID; in an incomplete one the other card may be in the unlisted part. So may
  /// the card that is known by the UID of a card with a new name.
  ///
  /// - Parameter moves: The result of ``moves(lost:deleted:)``.
  func undecided(_ moves: [Move]) -> Set<String> {
    let found = Set(moves.map(\.to))
    let decided = found.union(moves.map(\.from)).union(self.taken)
    return Set(
      self.putOff.lazy.filter { href, uid in
        self.displaced[href]?.isIdentified == true && !decided.contains(href)
          || self.unlisted.contains(uid) && !found.contains(href)
      }.map(\.key))
  }

  /// The name for a card whose own name another card has now: that of a former part of its file.
  static func aside(_ card: KnownCard) -> String { "\(card.href)#!moved-\(card.contactID)" }
}

extension KnownCard {
  /// Whether it has a contact and a UID.
  fileprivate var isIdentified: Bool { !self.contactID.isEmpty && !self.uid.isEmpty }
}
