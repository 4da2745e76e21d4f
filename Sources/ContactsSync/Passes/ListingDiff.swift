internal import KithMessages
internal import Storage

/// What a listing means for the cards that are known: which items to read, which are as they were, which are not there.
///
/// An item is a card, or a file of several whose cards are named in it (see ``CardKeys``).
struct ListingDiff {
  /// Items to read, in the order of the listing.
  private(set) var toFetch: [String] = []
  /// Known cards whose item is as it was.
  private(set) var unchanged = 0
  /// Known cards that were missing in earlier passes and are listed again.
  private(set) var reappeared: [String] = []
  /// Items that were listed.
  private(set) var listed = 0

  private let known: [String: KnownCard]
  private let byItem: [Substring: [String]]
  private var isListed: Set<Substring> = []
  private let readsAll: Bool

  /// Begins a comparison.
  ///
  /// - Parameters:
  ///   - known: The cards of the source in the store.
  ///   - readsAll: Whether every item is read again, changed or not.
  init(known: [KnownCard], readsAll: Bool) {
    self.known = Dictionary(known.map { ($0.href, $0) }, uniquingKeysWith: { first, _ in first })
    self.byItem = Dictionary(grouping: known.map(\.href), by: CardKeys.file(of:)).merging(
      known.map { ($0.href[...], [$0.href]) }, uniquingKeysWith: { cards, _ in cards })
    self.readsAll = readsAll
  }

  /// Compares the next part of the listing.
  mutating func add(_ items: [SourceItem]) {
    for item in items {
      self.listed += 1
      let cards = self.cards(of: item.href).filter { !$0.isDeleted }
      self.isListed.insert(item.href[...])
      let isSame = !cards.isEmpty && cards.allSatisfy { $0.fingerprint == item.fingerprint }
      if isSame && !self.readsAll {
        self.unchanged += cards.count
        self.reappeared += cards.filter { $0.missingSince != 0 || $0.isKept }.map(\.href)
      } else {
        self.toFetch.append(item.href)
      }
    }
  }

  /// The listing is the one of the last pass: what was there then is there, what was missing is missing.
  mutating func keepAll() {
    let present = self.known.values.filter { !$0.isDeleted && $0.missingSince == 0 && !$0.isKept }
    self.listed = present.count
    self.unchanged = present.count
    self.addPresent(present.map(\.href))
  }

  /// Counts items as present that could not be looked at.
  mutating func addPresent(_ hrefs: [String]) {
    for href in hrefs { self.isListed.insert(href[...]) }
  }

  /// The known cards, deleted ones left out, whose item is not listed.
  var missing: [KnownCard] {
    self.known.values.filter { card in
      !card.isDeleted && !self.isListed.contains(card.href[...])
        && !self.isListed.contains(CardKeys.file(of: card.href))
    }
  }

  /// The item that a card which was read belongs to: itself, or its file.
  func item(of href: String) -> String {
    self.isListed.contains(href[...]) ? href : String(CardKeys.file(of: href))
  }

  /// The known cards of an item.
  func cards(of item: String) -> [KnownCard] {
    (self.byItem[item[...]] ?? []).compactMap { self.known[$0] }
  }
}
