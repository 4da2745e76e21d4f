import Bus
import Foundation
import KithMessages
import TestKit
import Testing

/// An empty, failing or partial listing never deletes anything, whatever came before: random histories of sources in
/// memory, a real store and real passes.
@Suite(.timeLimit(.minutes(30))) struct GuardHistoryTests {
  private static let histories = testSeeds(short: 60, full: 1_000)
  private static let historiesOfAStore = 100

  @Test func aListingThatShowsNothingDeletesNothing() async throws {
    var tally = Tally()
    var rest = Self.histories[...]
    while !rest.isEmpty {
      let sources = ModelSources()
      let home = try Household(source: sources.port)
      for seed in rest.prefix(Self.historiesOfAStore) {
        var history = try await GuardHistory(seed: seed, sources: sources, home: home)
        try await history.run(&tally)
      }
      rest = rest.dropFirst(Self.historiesOfAStore)
      await home.close()
    }
    print("\(Self.histories.count) histories: \(tally)")
    try TestKit.tally(histories: Self.histories.count, faults: tally.errors)
    let count = Self.histories.count
    guard count >= 60 else { return }
    #expect(tally.deleted * 2 > count * 3 && tally.deletedWithLeave * 2 > count * 3)
    #expect(tally.revived * 4 > count && tally.restored * 2 > count)
    for reason in ["LISTING_NOT_WHOLE", "BOOK_GONE", "LISTING_EMPTY", "ALL_WOULD_GO", "TOO_MANY"] {
      #expect((tally.held[reason] ?? 0) > 0, "\(reason) is never met")
    }
    #expect(tally.errors * 2 > count)
    // About four in 200 histories; a run of fifty may have none by chance.
    #expect(tally.released > 0 || count < 1000)
  }
}

/// What happened in all histories, which shows whether they cover their subject.
struct Tally {
  var passes = 0
  var errors = 0
  var deleted = 0
  var deletedWithLeave = 0
  /// Passes that deleted more than the guard allows at once, because time had passed.
  var released = 0
  var revived = 0
  var restored = 0
  var held: [String: Int] = [:]
}

/// One source with its cards, and edits of them, on good and bad days.
private struct GuardHistory {
  private let seed: UInt64
  private let name: String
  private let home: Household
  private let sources: ModelSources
  private let kind: ModelSource.Kind
  private var random: SeededGenerator
  private var cards: ModelSource.Cards
  private var numbers = 0
  private var hours: Int64 = 0
  /// The stored contacts by UID: whether each is live, its id, and the address book of its card.
  private var contacts: [String: (isLive: Bool, id: String, book: String)] = [:]
  /// The original id of each card's contact.
  private var ids: [String: String] = [:]
  /// Contacts restored by hand whose cards have not been listed since.
  private var kept: Set<String> = []
  private var restored: Set<String> = []
  /// Since when, and in how many listings, a card has been missing.
  private var absence: [String: (since: Int64, passes: Int)] = [:]

  init(seed: UInt64, sources: ModelSources, home: Household) async throws {
    self.seed = seed
    self.name = "h\(seed)"
    self.home = home
    self.sources = sources
    self.random = SeededGenerator(seed: seed)
    self.kind = ModelSource.Kind.allCases.randomElement(using: &self.random) ?? .folder
    let count = Int.random(in: 1...3, using: &self.random)
    let books: [String] =
      switch self.kind {
      case .account: (1...count).map { "b\($0)" }
      case .folder: [""] + (1..<count).map { "s\($0)" }
      case .file: [""]
      }
    self.cards = Dictionary(uniqueKeysWithValues: books.map { ($0, [:]) })
    sources[self.name] = ModelSource(self.kind)
    var request = AddSourceRequest()
    request.name = self.name
    switch self.kind {
    case .folder: request.vdir.path = "/nowhere/\(self.name)"
    case .file: request.vcf.path = "/nowhere/\(self.name)/all.vcf"
    case .account: request.carddav.url = "https://dav.example.org/"
    }
    _ = try await home.router.ask(request)
  }

  mutating func run(_ tally: inout Tally) async throws {
    for _ in 0..<Int.random(in: 1...30, using: &self.random) { self.add() }
    try await self.pass(self.goodDay(), &tally)
    for _ in 0..<9 {
      for _ in 0..<Int.random(in: 0...3, using: &self.random) { self.edit() }
      if self.chance(3) { try await self.restore(&tally) }
      if self.chance(2) {
        let hours: Int64 = [1, 13, 25].randomElement(using: &self.random) ?? 1
        self.hours += hours
        self.home.pass(hours: hours)
      }
      try await self.pass(self.chance(2) ? self.goodDay() : self.badDay(), leave: self.chance(8), &tally)
    }
    try await self.pass(self.goodDay(), &tally)
    try await self.pass(self.goodDay(), leave: true, full: true, &tally)
    let live = Set(self.contacts.filter(\.value.isLive).keys)
    let there = Set(self.cards.values.flatMap { $0.values.map(\.uid) })
    if self.kind != .file || !there.isEmpty {
      #expect(there.isSubset(of: live) && live.isSubset(of: there.union(self.restored)), "seed \(self.seed)")
    }
    #expect(self.kept.isSubset(of: live), "seed \(self.seed)")
    var removal = RemoveSourceRequest()
    removal.name = self.name
    _ = try await self.home.router.ask(removal)
  }

  // MARK: Edits

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self.random) == 0 }

  private mutating func book() -> String { self.cards.keys.sorted().randomElement(using: &self.random) ?? "" }

  private mutating func add() {
    self.numbers += 1
    self.cards[self.book()]?["\(self.numbers)"] = ModelSource.Card(uid: "u\(self.numbers)", version: self.numbers)
  }

  private mutating func edit() {
    let book = self.book()
    let names = (self.cards[book] ?? [:]).keys.sorted().shuffled(using: &self.random)
    switch Int.random(in: 0..<11, using: &self.random) {
    case 0...1: self.add()
    case 2:
      for name in names.prefix(3) {
        self.numbers += 1
        self.cards[book]?[name]?.version = self.numbers
      }
    case 3...4: for name in names.prefix(Int.random(in: 1...3, using: &self.random)) { self.cards[book]?[name] = nil }
    case 5: for name in names.prefix(names.count / 2) { self.cards[book]?[name] = nil }
    case 6: for name in names.dropFirst() { self.cards[book]?[name] = nil }
    case 7...9 where self.kind != .file: self.rename(names, of: book)
    default: self.bringBack()
    }
  }

  /// Cards swap names, or get new ones, or names in another address book. In a file the names are the UIDs.
  private mutating func rename(_ names: [String], of book: String) {
    let moving = names.prefix(Int.random(in: 1...4, using: &self.random)).map { ($0, self.cards[book]?[$0]) }
    for (name, _) in moving { self.cards[book]?[name] = nil }
    var free = moving.map { (book, $0.0) }
    free.append((self.book(), "r\(self.numbers)"))
    self.numbers += 1
    free.shuffle(using: &self.random)
    for ((_, card), (book, name)) in zip(moving, free) { self.cards[book]?[name] = card }
  }

  /// Deleted cards return, under their names or new ones.
  private mutating func bringBack() {
    let there = Set(self.cards.values.flatMap { $0.values.map(\.uid) })
    let gone = self.contacts.filter { !$0.value.isLive && !there.contains($0.key) }.keys.sorted()
    guard let uid = gone.randomElement(using: &self.random) else { return self.add() }
    self.numbers += 1
    let (book, name) = (self.book(), String(uid.dropFirst()))
    let isFree = self.cards[book]?[name] == nil && (self.kind == .file || self.chance(2))
    self.cards[book]?[isFree ? name : "n\(self.numbers)"] = ModelSource.Card(uid: uid, version: self.numbers)
  }

  private mutating func restore(_ tally: inout Tally) async throws {
    for uid in self.contacts.filter({ !$0.value.isLive }).keys.sorted().prefix(3) where self.chance(2) {
      var request = RestoreContactRequest()
      request.id = self.contacts[uid]?.id ?? ""
      _ = try await self.home.router.ask(request)
      self.contacts[uid]?.isLive = true
      self.kept.insert(uid)
      self.restored.insert(uid)
      tally.restored += 1
    }
  }

  // MARK: Days

  private mutating func goodDay() -> ModelSource.Answer {
    ModelSource.Answer(shows: self.cards, namesChanges: self.kind == .account && self.chance(2))
  }

  private mutating func badDay() -> ModelSource.Answer {
    var answer = self.goodDay()
    let book = self.book()
    func half(_ random: inout SeededGenerator) -> ModelSource.Cards {
      self.cards.mapValues { cards in cards.filter { _ in Bool.random(using: &random) } }
    }
    switch Int.random(in: 0..<(self.cards.count > 1 || self.kind == .account ? 10 : 6), using: &self.random) {
    case 0: answer.failsToList = true
    case 1: answer.failsToRead = true
    case 2:
      answer.shows = half(&self.random)
      answer.isComplete = false
    case 3:
      answer.shows = self.cards.mapValues { _ in [:] }
      answer.isComplete = self.chance(2)
    case 4: answer.shows = self.cards.mapValues { _ in [:] }
    case 5:
      answer.isAnother = self.kind == .folder
      answer.shows = self.chance(2) ? half(&self.random) : self.cards.mapValues { _ in [:] }
    case 6, 7: answer.shows[book] = [:]
    case 8:
      answer.shows[book] = [:]
      answer.gone = [book]
    // A folder that cannot be listed itself makes the pass fail.
    case _ where book.isEmpty: answer.failsToList = true
    default:
      answer.unlisted = [book]
      // A card from there could be in both address books; that has nothing to do with deletion.
      let moved = self.contacts.filter { $0.value.book == book }
      for other in answer.shows.keys where other != book {
        answer.shows[other] = answer.shows[other]?.filter { moved[$0.value.uid] == nil }
      }
    }
    return answer
  }

  // MARK: A pass

  private mutating func pass(
    _ answer: ModelSource.Answer, leave: Bool = false, full: Bool = false, _ tally: inout Tally
  ) async throws {
    let before = Set(self.contacts.filter(\.value.isLive).keys)
    self.sources[self.name].answer = answer
    let status = try await self.home.sync(self.name, full: full, allowMassDelete: leave)
    if isOneHistory { try await self.tell(answer, leave: leave, full: full, status) }
    let named = self.sources[self.name].named
    let books = self.contacts.mapValues(\.book)
    let uids = Dictionary(uniqueKeysWithValues: self.contacts.map { ($0.value.id, $0.key) })
    let listed = answer.shows.filter { !answer.unlisted.contains($0.key) && !answer.gone.contains($0.key) }
    let shown = Set(listed.values.flatMap { $0.values.map(\.uid) })
    self.contacts = [:]
    var renewed: Set<String> = []
    for contact in try await self.home.all(self.name) {
      #expect(self.contacts[contact.uid] == nil, "seed \(self.seed): \(contact.uid) is two contacts")
      if let old = uids[contact.id], old != contact.uid {
        // A card has another UID, and nothing shows the card that had the old one.
        #expect(!shown.contains(old) && answer.isComplete, "seed \(self.seed): \(old) gave its contact away")
        renewed.insert(old)
        self.ids[old] = nil
      } else {
        let id = self.ids[contact.uid] ?? contact.id
        #expect(id == contact.id, "seed \(self.seed): \(contact.uid) has another contact")
      }
      self.ids[contact.uid] = contact.id
      let book = ModelSource.book(of: contact.sourceIdentifier)
      self.contacts[contact.uid] = (!contact.hasDeletedAt, contact.id, book)
    }
    let removed = before.filter { self.contacts[$0]?.isLive != true && !renewed.contains($0) }
    self.note(status, removed: removed.count, leave: leave, &tally)
    let isProof = status.state == .completed && answer.isComplete
    #expect(isProof || removed.isEmpty, "seed \(self.seed): \(status.state) deleted \(removed.count)")
    #expect(self.kept.isDisjoint(with: removed), "seed \(self.seed)")
    self.kept.subtract(named.union(renewed))
    for uid in before.subtracting(renewed) {
      let book = books[uid] ?? ""
      if shown.contains(uid) || answer.unlisted.contains(book) {
        #expect(!removed.contains(uid), "seed \(self.seed): \(uid) is there")
        // An address book that could not be listed says nothing about its cards.
        if shown.contains(uid) { self.absence[uid] = nil }
      } else if isProof, listed[book]?.isEmpty == false {
        self.absence[uid] = (self.absence[uid]?.since ?? self.hours, (self.absence[uid]?.passes ?? 0) + 1)
      } else if isProof {
        // An empty listing restarts the count.
        self.absence[uid] = nil
        #expect(leave || !removed.contains(uid), "seed \(self.seed): \(uid) was deleted by an empty listing")
      }
    }
    guard !leave, !removed.isEmpty else { return }
    let isAnyShown =
      !renewed.isEmpty || before.contains { shown.contains($0) || answer.unlisted.contains(books[$0] ?? "") }
    #expect(isAnyShown, "seed \(self.seed): no card that is known was shown")
    guard removed.count > max(10, before.count / 5) else { return }
    tally.released += 1
    let isReleased = removed.allSatisfy { uid in
      self.absence[uid].map { $0.passes >= 3 && self.hours - $0.since >= 24 } ?? false
    }
    #expect(isReleased, "seed \(self.seed): \(removed.count) of \(before.count) were deleted at once")
  }

  /// Prints the listing of a pass, and the store after it.
  private func tell(_ answer: ModelSource.Answer, leave: Bool, full: Bool, _ status: SyncStatus) async throws {
    print("\(self.kind), hour \(self.hours), with leave: \(leave), full: \(full)")
    print("  \(answer)")
    for contact in try await self.home.all(self.name).sorted(by: { $0.sourceIdentifier < $1.sourceIdentifier }) {
      let state = contact.hasDeletedAt ? "deleted" : self.kept.contains(contact.uid) ? "kept" : ""
      print("  \(contact.sourceIdentifier) \(contact.uid) \(contact.id.suffix(4)) \(state)")
    }
    print(
      "  \(status.state) \(status.error.reason) deleted \(status.deleted) held \(status.heldBack) \(status.holdReason)")
  }

  private func note(_ status: SyncStatus, removed: Int, leave: Bool, _ tally: inout Tally) {
    tally.passes += 1
    tally.errors += status.state == .error ? 1 : 0
    tally.revived += Int(status.revived)
    if leave { tally.deletedWithLeave += removed } else { tally.deleted += removed }
    if !status.holdReason.isEmpty { tally.held[status.holdReason, default: 0] += 1 }
  }
}
