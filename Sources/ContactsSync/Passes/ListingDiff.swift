internal import KithMessages
internal import Storage

/// Compares a listing with the known cards: which items to read, which are unchanged, which are missing.
///
/// An item is a card, or a file of several cards (see ``CardKeys``).
struct ListingDiff {
  /// Items to read, in the order of the listing.
  private(set) var toFetch: [String] = []
  /// Known cards whose item is unchanged.
  private(set) var unchanged = 0
  /// Known cards that were missing in earlier passes and are listed again.
  private(set) var reappeared: [String] = []
  /// Items that were listed.
  private(set) var listed = 0

  private var known: [KnownCard]
  /// Places in ``known``: of each card by its href, and of the cards of files by the name of the file.
  private var places: [String: Int]
  private var parts: [Substring: [Int]]
  /// Whether the item of each known card is listed, or counts as present although it could not be checked.
  private var isPresent: [Bool]
  /// Whether the item of each known card is listed.
  private var isListed: [Bool]
  /// Places of known cards that were found under other names.
  private var found: Set<Int> = []
  /// Items that the source reports as deleted.
  private var gone: Set<String> = []
  /// Listed items that are named like parts of a file.
  private var listedParts: Set<String> = []
  private let readsAll: Bool

  /// Begins a comparison.
  ///
  /// - Parameters:
  ///   - known: The cards of the source in the store.
  ///   - readsAll: Whether every item is read again, changed or not.
  init(known: [KnownCard], readsAll: Bool) {
    self.known = known
    self.readsAll = readsAll
    self.isPresent = Array(repeating: false, count: known.count)
    self.isListed = self.isPresent
    var places: [String: Int] = [:]
    var parts: [Substring: [Int]] = [:]
    places.reserveCapacity(known.count)
    for (place, card) in known.enumerated() {
      places[card.href] = place
      let file = CardKeys.file(of: card.href)
      if file.utf8.count < card.href.utf8.count { parts[file, default: []].append(place) }
    }
    self.places = places
    self.parts = parts
  }

  /// Compares the next part of the listing.
  mutating func add(_ items: [SourceItem]) {
    for item in items {
      self.listed += 1
      let places = self.places(of: item.href)
      self.markPresent(item.href, places)
      for place in places { self.isListed[place] = true }
      let live = places.filter { !self.known[$0].isDeleted }
      // An empty fingerprint equals no other.
      let isSame =
        !item.fingerprint.isEmpty && !live.isEmpty
        && live.allSatisfy { self.known[$0].fingerprint == item.fingerprint }
      guard isSame && !self.readsAll else {
        self.toFetch.append(item.href)
        continue
      }
      self.unchanged += live.count
      for place in live where self.known[place].missingSince != 0 || self.known[place].isKept {
        self.reappeared.append(self.known[place].href)
      }
    }
  }

  /// Records the items that the source reports as deleted.
  mutating func addGone(_ hrefs: [String]) { self.gone.formUnion(hrefs) }

  /// Keeps the previous state of every unnamed card whose href starts with one of these beginnings.
  mutating func keep(under beginnings: [String]) {
    for place in self.unnamed(under: beginnings) {
      let card = self.known[place]
      guard !card.isDeleted, card.missingSince == 0, !card.isKept, !self.gone.contains(card.href) else { continue }
      self.listed += 1
      self.unchanged += 1
      self.isPresent[place] = true
      self.isListed[place] = true
    }
  }

  /// Marks the known cards under these beginnings as present: their folder or address book could not be listed.
  mutating func addPresent(under beginnings: [String]) {
    for place in self.unnamed(under: beginnings) { self.isPresent[place] = true }
  }

  /// The known cards with one of these beginnings that are not listed.
  func cards(under beginnings: [String]) -> [KnownCard] {
    guard !beginnings.isEmpty else { return [] }
    return self.known.indices.lazy.filter { place in
      !self.isListed[place] && beginnings.contains { self.known[place].href.utf8.starts(with: $0.utf8) }
    }.map { self.known[$0] }
  }

  private func unnamed(under beginnings: [String]) -> [Int] {
    guard !beginnings.isEmpty else { return [] }
    return self.known.indices.filter { place in
      !self.isPresent[place] && beginnings.contains { self.known[place].href.utf8.starts(with: $0.utf8) }
    }
  }

  /// Counts items that could not be checked as present.
  mutating func addPresent(_ hrefs: [String]) {
    for href in hrefs { self.markPresent(href, self.places(of: href)) }
  }

  /// The known cards, deleted ones left out, whose item is not listed.
  var missing: [KnownCard] {
    self.known.indices.lazy.filter { !self.isPresent[$0] && !self.known[$0].isDeleted }.map { self.known[$0] }
  }

  /// Counts a known card as listed, because it was found under another name. Its old name no longer counts.
  mutating func show(_ href: String) { if let place = self.places[href] { self.found.insert(place) } }

  /// The number of listed known cards with a contact.
  ///
  /// - Parameter lost: Cards that are missing in a listed file.
  func shownContacts(without lost: [String: KnownCard]) -> Int {
    self.known.indices.count { place in
      let card = self.known[place]
      let isShown = self.isListed[place] || self.found.contains(place)
      return isShown && !card.isDeleted && !card.contactID.isEmpty && lost[card.href] == nil
    }
  }

  /// Whether any listed item, known or new, has an href with this prefix.
  func lists(under beginning: String) -> Bool {
    self.toFetch.contains { $0.utf8.starts(with: beginning.utf8) }
      || self.known.indices.contains { place in
        self.isListed[place] && self.known[place].href.utf8.starts(with: beginning.utf8)
      }
  }

  /// The prefixes of the hrefs of known and listed cards, each with whether any listed card has it.
  func beginnings(_ beginning: (String) -> String) -> [String: Bool] {
    var found: [String: Bool] = [:]
    for href in self.toFetch { found[beginning(href)] = true }
    for place in self.known.indices {
      let beginning = beginning(self.known[place].href)
      found[beginning] = found[beginning] == true || self.isListed[place]
    }
    return found
  }

  /// The item that a card which was read belongs to: itself, or its file.
  func item(of href: String) -> String {
    let file = CardKeys.file(of: href)
    return file.utf8.count == href.utf8.count || self.listedParts.contains(href) ? href : String(file)
  }

  /// The known card of a name.
  func card(_ href: String) -> KnownCard? { self.places[href].map { self.known[$0] } }

  /// The known cards of these UIDs whose contacts are deleted, by UID, wherever they were.
  func deleted(of uids: some Sequence<String>) -> [String: [KnownCard]] {
    let uids = Set(uids)
    return Dictionary(grouping: self.known.lazy.filter { $0.isDeleted && uids.contains($0.uid) }, by: \.uid)
  }

  /// Renames known cards.
  ///
  /// - Parameter isListed: Whether the source lists the name.
  mutating func carryOut(_ moves: [MovedCards.Move], isListed: (String) -> Bool) {
    let places = moves.map { self.places.removeValue(forKey: $0.from) }
    for (move, place) in zip(moves, places) {
      guard let place else { continue }
      self.known[place].href = move.to
      self.places[move.to] = place
      self.isListed[place] = isListed(move.to)
      self.isPresent[place] = self.isListed[place]
      let file = CardKeys.file(of: move.to)
      if file.utf8.count < move.to.utf8.count { self.parts[file, default: []].append(place) }
    }
  }

  /// The known cards of an item, without those that were found under other names.
  func cards(of item: String) -> [KnownCard] {
    self.places(of: item).filter { !self.found.contains($0) }.map { self.known[$0] }
  }

  private func places(of item: String) -> [Int] {
    let own = self.places[item].map { [$0] } ?? []
    return self.parts.isEmpty ? own : own + (self.parts[item[...]] ?? [])
  }

  private mutating func markPresent(_ item: String, _ places: [Int]) {
    for place in places { self.isPresent[place] = true }
    if CardKeys.file(of: item).utf8.count < item.utf8.count { self.listedParts.insert(item) }
  }
}
