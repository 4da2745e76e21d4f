/// People and contacts in the order of their numbers, each once, with how far a name is from what is looked for.
///
/// A search joins and intersects lists of thousands for each of its words. In this order that takes one walk through both.
struct OwnerList {
  struct Entry: Comparable {
    let owner: NameOwner
    let distance: Int

    /// Whether one comes before another: the nearest first.
    static func < (one: Entry, other: Entry) -> Bool {
      (one.distance, one.owner.number) < (other.distance, other.owner.number)
    }
  }

  private(set) var entries: [Entry] = []
  /// Whether the list, or one that it is joined of, ended before all were read, so that others belong to it too.
  private(set) var isCut = false

  init() {}

  /// Makes a list of entries in any order; of several for one owner the smallest difference counts.
  init(_ entries: [Entry], isCut: Bool = false) {
    self.isCut = isCut
    self.entries.reserveCapacity(entries.count)
    for entry in entries.sorted(by: { ($0.owner.number, $0.distance) < ($1.owner.number, $1.distance) })
    where self.entries.last?.owner != entry.owner { self.entries.append(entry) }
  }

  var isEmpty: Bool { self.entries.isEmpty }
  var owners: [NameOwner] { self.entries.map(\.owner) }
  /// The rows of the contacts, or of the people.
  func rows(of kind: NameOwner.Kind) -> [Int64] { self.entries.lazy.map(\.owner).filter { $0.kind == kind }.map(\.row) }
  /// The nearest first.
  var byDistance: [Entry] { self.entries.sorted() }

  /// The difference of an owner; nil for one who is not in the list.
  subscript(owner: NameOwner) -> Int? {
    var (low, high) = (0, self.entries.count)
    while low < high {
      let middle = (low + high) / 2
      if self.entries[middle].owner.number < owner.number { low = middle + 1 } else { high = middle }
    }
    return low < self.entries.count && self.entries[low].owner == owner ? self.entries[low].distance : nil
  }

  /// Everyone of both lists, with the smaller difference.
  func union(_ other: OwnerList) -> OwnerList {
    guard !other.isEmpty else { return self }
    guard !self.isEmpty else { return other }
    var union = self.joined(other) { one, other in
      switch (one, other) {
      case (let one?, let other?): min(one, other)
      default: one ?? other
      }
    }
    union.isCut = self.isCut || other.isCut
    return union
  }

  /// Those who are in both lists, with their differences here.
  func intersection(_ other: OwnerList) -> OwnerList {
    self.joined(other) { one, other in other == nil ? nil : one }
  }

  /// Those who are not in the other list.
  func subtracting(_ other: OwnerList) -> OwnerList {
    self.joined(other) { one, other in other == nil ? one : nil }
  }

  /// Those who are in both lists, with the sums of their differences.
  func adding(_ other: OwnerList) -> OwnerList {
    self.joined(other) { one, other in one.flatMap { one in other.map { one + $0 } } }
  }

  /// Everyone of some lists, with the sums of their differences; each list that lacks an owner counts as `absent`.
  static func sums(_ lists: [OwnerList], absent: Int) -> OwnerList {
    let everyone = lists.reduce(OwnerList()) { all, list in all.joined(list) { _, _ in 0 } }
    return lists.reduce(everyone) { sums, list in
      sums.joined(list) { sum, distance in sum.map { $0 + (distance ?? absent) } }
    }
  }

  /// One walk through both lists: the difference that `combine` makes of each owner's two, or nobody for nil.
  private func joined(_ other: OwnerList, _ combine: (Int?, Int?) -> Int?) -> OwnerList {
    var joined = OwnerList()
    joined.entries.reserveCapacity(max(self.entries.count, other.entries.count))
    // By their places: slices that lose their first entry took four times as long.
    let (these, those) = (self.entries, other.entries)
    var (here, there) = (0, 0)
    while here < these.count || there < those.count {
      let isHere = there == those.count || (here < these.count && these[here].owner.number <= those[there].owner.number)
      let isThere =
        here == these.count || (there < those.count && those[there].owner.number <= these[here].owner.number)
      if let distance = combine(isHere ? these[here].distance : nil, isThere ? those[there].distance : nil) {
        joined.entries.append(Entry(owner: isHere ? these[here].owner : those[there].owner, distance: distance))
      }
      here += isHere ? 1 : 0
      there += isThere ? 1 : 0
    }
    return joined
  }
}
