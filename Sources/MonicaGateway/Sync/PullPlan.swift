internal import Bus
internal import KithMessages
internal import Storage

/// Decides what one pass reads from the server, step by step, and when that proves that a record is gone.
///
/// The server has no list of changes. Each list is therefore read newest first until only known records follow, and its
/// length is compared with the number of known records. If they differ, and at intervals, the list is read completely;
/// a known record that is missing in it is requested by id before it counts as deleted. What is deleted is decided at the
/// end, on all lists together: a server that was restored from an old backup may lack few records of one list and many of
/// another.
struct PullPlan: Sendable {
  /// The options of a pass.
  struct Options: Sendable, Equatable {
    /// Reads every list completely.
    var isFull = false
    /// A person waits for the pass: small lists are read completely as well.
    var isCommanded = false

    /// Whether a pass with these options does all that one with `other` does.
    func covers(_ other: Options) -> Bool {
      (self.isFull || !other.isFull) && (self.isCommanded || self.isFull || !other.isCommanded)
    }
  }

  /// What to do next.
  enum Step: Sendable, Equatable {
    /// Read the names of genders and types.
    case catalogs
    /// Read a page of a list.
    case page(RecordKind, UInt32, newestFirst: Bool)
    /// Check whether a record exists.
    case ask(RecordKind, UInt64)
    /// Decide on these records: the server does not have them.
    case settle([MissingRecord])
  }

  /// The facts about a page that was read.
  struct Page: Sendable {
    var number: UInt32
    var lastPage: UInt32
    /// The number of records in the list, by the server's count.
    var total: Int
    var ids: [UInt64]
    /// The times of the first and the last record in the order of changes, in seconds since 1970.
    var newestStamp: Int64?
    var oldestStamp: Int64?
    /// Whether each record was known and unchanged.
    var bringsNothing: Bool
  }

  /// How far a list is read beyond the watermark, in seconds: the server's times are whole seconds, set before the
  /// commit.
  static let overlap: Int64 = 5
  /// The most pages read newest first; beyond it the list is read completely. Servers before 4.1.2 set a new time on
  /// each record that a search finds, so that known records may never follow.
  static let newestPages: UInt32 = 10
  /// The most pages of a small list.
  static let smallPages: UInt32 = 5
  /// Nanoseconds between two complete readings.
  static let wholeInterval: Int64 = 6 * 3600 * 1_000_000_000
  static let dayInterval: Int64 = 24 * 3600 * 1_000_000_000
  /// How often a list is read again if its length changes while it is read.
  static let attempts = 3
  /// The most missing records of a list that are requested by id in a pass: six minutes of the server's rate limit.
  /// The rest waits for the next pass. Missing people are all requested.
  static let askedAtOnce = 300
  /// The lists in reading order: people come before records about them.
  static let order: [RecordKind] = [
    .tag, .person, .activity, .call, .conversation, .note, .task, .reminder, .gift,
  ]
  /// Lists that the server can sort by the time of the change.
  static let stamped: Set<RecordKind> = [.person, .activity, .conversation, .task, .reminder, .gift]

  private enum Progress: Sendable {
    case newest(page: UInt32, attempt: Int)
    case whole(Whole)
    case asking(Asking)
  }

  /// A list that is being read completely.
  private struct Whole: Sendable {
    /// The records known before the reading began: only these can be found to be gone.
    let known: Set<UInt64>
    var attempt: Int
    var page: UInt32 = 1
    var total: Int?
    var isSteady = true
    var seen: Set<UInt64> = []
  }

  /// A list in which known records are missing.
  private struct Asking: Sendable {
    /// The records still to be requested, the last first.
    var open: [UInt64]
    var there: Set<UInt64> = []
    /// The number of records in the list that are not stored here.
    let unkept: Int
    /// Whether some missing records are left for the next pass.
    let leavesSome: Bool
    /// Whether all unlisted records are requested, including those that were unlisted before.
    let isThorough: Bool
    /// Whether the list did not change while it was read.
    let isSteady: Bool
  }

  /// The state for the next pass.
  private(set) var state: PullState
  /// The start of the pass, in nanoseconds since 1970.
  let startedAt: Int64
  private(set) var options: Options
  /// Whether nothing was read of the account before, so that every list is read completely.
  let isFirst: Bool
  private var lists: [RecordKind]
  private var progress = Progress.newest(page: 1, attempt: 1)
  private var readsCatalogs: Bool
  /// The newest time in the list when its reading began.
  private var newestStamp: Int64?
  private var lastTotal: Int?
  /// The records that the server did not have, by row.
  private var missing: [Int64: MissingRecord] = [:]
  /// The lists of those records, with the times of their last complete readings. These are stored when the decision is: a
  /// pass that ends before has them read again.
  private var undecided: [RecordKind: Int64?] = [:]
  /// The lists of which more records are missing than one pass asks for.
  private var partlyRead: Set<RecordKind> = []
  /// Whether the pass has found all that is gone.
  var isComplete: Bool { self.partlyRead.isEmpty }

  /// Starts a pass.
  init(_ state: PullState, _ options: Options, now: Int64) {
    self.state = state
    self.options = options
    self.isFirst = state == PullState()
    self.startedAt = now
    self.lists = Self.order
    self.readsCatalogs = options.isFull || Self.isOver(Self.dayInterval, since: state.catalogsAt, now: now)
    let tags = state.lists[RecordKind.tag.name]
    if !options.isFull, !options.isCommanded, !Self.isOver(Self.dayInterval, since: tags?.wholeAt, now: now) {
      self.lists.removeFirst()
    }
  }

  /// Whether an interval has passed since a time; also true for a time in the future, which was recorded before the
  /// clock was set back.
  private static func isOver(_ interval: Int64, since moment: Int64?, now: Int64) -> Bool {
    moment.map { now - $0 >= interval || now < $0 } ?? true
  }

  /// The next step; nil if the pass is complete.
  var next: Step? {
    if self.readsCatalogs { return .catalogs }
    guard let kind = self.lists.first else {
      if self.missing.isEmpty, self.undecided.isEmpty { return nil }
      return .settle(self.missing.values.sorted { $0.row < $1.row })
    }
    switch self.progress {
    case .newest(let page, _):
      return .page(kind, page, newestFirst: true)
    case .whole(let whole):
      return .page(kind, whole.page, newestFirst: false)
    case .asking(let asking):
      return asking.open.last.map { .ask(kind, $0) }
    }
  }

  /// Reads again, after all others, the lists whose reading has begun: a caller that has joined may know of changes in
  /// them. Small ones are read completely, as by a pass for that caller.
  ///
  /// - Returns: False if no list was begun.
  mutating func readAgain() -> Bool {
    var begun = Self.order.filter { !self.lists.contains($0) }
    if let kind = self.lists.first, !self.isAtStart { begun.append(kind) }
    self.lists += begun
    self.options.isCommanded = true
    return !begun.isEmpty
  }

  /// Goes on after a pause in which the server may have been restored: what it lacked before that is looked for again.
  mutating func resume() {
    guard !self.missing.isEmpty || !self.undecided.isEmpty else { return }
    self.lists += Self.order.filter { self.undecided.keys.contains($0) && !self.lists.contains($0) }
    (self.missing, self.undecided) = ([:], [:])
    self.start()
  }

  /// Whether nothing was read yet of the present list.
  private var isAtStart: Bool { if case .newest(page: 1, attempt: 1) = self.progress { true } else { false } }

  // MARK: - Results of steps

  /// The catalogs were stored.
  mutating func tookCatalogs() {
    self.readsCatalogs = false
    self.state.catalogsAt = self.startedAt
  }

  /// A record has an unknown gender, type or tag: these names are read again.
  mutating func met(unknownName isTag: Bool) {
    if !isTag, self.state.catalogsAt != self.startedAt { self.readsCatalogs = true }
    let tags = self.undecided[.tag] ?? self.state.lists[RecordKind.tag.name]?.wholeAt
    if isTag, !self.lists.contains(.tag), tags != self.startedAt {
      self.lists.append(.tag)
    }
  }

  /// A page was stored.
  ///
  /// - Parameter known: Returns the server's ids of all known records of the kind; called at the end of a list.
  mutating func took(_ page: Page, known: () throws(Failure) -> Set<UInt64>) throws(Failure) {
    guard let kind = self.lists.first else { return }
    switch self.progress {
    case .newest(let number, let attempt):
      try self.tookNewest(page, number, attempt, kind, known: known)
    case .whole(let whole):
      try self.tookWhole(page, whole, kind, known: known)
    case .asking:
      return
    }
  }

  private mutating func tookNewest(
    _ page: Page, _ number: UInt32, _ attempt: Int, _ kind: RecordKind, known: () throws(Failure) -> Set<UInt64>
  ) throws(Failure) {
    let list = self.state.lists[kind.name] ?? PullState.List()
    if number == 1 { self.newestStamp = page.newestStamp }
    if page.lastPage <= 1, page.ids.count == page.total {
      // The list is complete in one answer.
      let known = try known()
      return self.compare(known, known, seen: Set(page.ids), kind)
    }
    if self.isWholeDue(list, page, kind) { return self.readWhole(known: try known()) }
    if number > 1, let lastTotal, page.total < lastTotal, attempt < Self.attempts {
      // A record was deleted meanwhile, and a record that moved across a page border was on neither page.
      self.lastTotal = nil
      self.progress = .newest(page: 1, attempt: attempt + 1)
      return
    }
    self.lastTotal = page.total
    let isGroundKnown: Bool
    if Self.stamped.contains(kind) {
      // Many records may have the same time, as after an import: unchanged records count as known.
      let depth = page.bringsNothing ? 0 : Self.overlap
      isGroundKnown = list.watermark.map { (page.oldestStamp ?? .max) <= $0 - depth } ?? false
    } else {
      isGroundKnown = page.bringsNothing
    }
    guard isGroundKnown || number >= page.lastPage else {
      if number >= Self.newestPages { return self.readWhole(known: try known()) }
      self.progress = .newest(page: number + 1, attempt: attempt)
      return
    }
    let known = try known()
    guard known.count + list.unkept - list.unlisted.count == page.total else { return self.readWhole(known: known) }
    self.finish(kind) { _ in }
  }

  private func isWholeDue(_ list: PullState.List, _ page: Page, _ kind: RecordKind) -> Bool {
    guard list.wholeAt != nil, !self.options.isFull, kind != .tag else { return true }
    return Self.isOver(Self.wholeInterval, since: list.wholeAt, now: self.startedAt)
      || (self.options.isCommanded && page.lastPage <= Self.smallPages)
  }

  private mutating func readWhole(known: Set<UInt64>, attempt: Int = 1) {
    self.progress = .whole(Whole(known: known, attempt: attempt))
  }

  private mutating func tookWhole(
    _ page: Page, _ whole: Whole, _ kind: RecordKind, known: () throws(Failure) -> Set<UInt64>
  ) throws(Failure) {
    var whole = whole
    whole.isSteady = whole.isSteady && (whole.total ?? page.total) == page.total
    whole.total = page.total
    whole.seen.formUnion(page.ids)
    guard whole.page >= page.lastPage else {
      whole.page += 1
      self.progress = .whole(whole)
      return
    }
    let (known, isSteady) = (try known(), whole.isSteady && whole.seen.count == page.total)
    guard isSteady || whole.attempt >= Self.attempts else {
      return self.readWhole(known: known, attempt: whole.attempt + 1)
    }
    self.compare(known, known.intersection(whole.known), seen: whole.seen, isSteady: isSteady, kind)
  }

  /// Compares a list with the known records: those that are missing are gone, or only unlisted, or moved while the list was read.
  ///
  /// - Parameters:
  ///   - known: All records known now.
  ///   - before: The records known when the reading began.
  ///   - isSteady: Whether the list is complete.
  private mutating func compare(
    _ known: Set<UInt64>, _ before: Set<UInt64>, seen: Set<UInt64>, isSteady: Bool = true, _ kind: RecordKind
  ) {
    let list = self.state.lists[kind.name] ?? PullState.List()
    // Records that are always unlisted, such as archived people, are requested only at intervals.
    let isThorough =
      self.options.isFull || Self.isOver(Self.wholeInterval, since: list.askedAt, now: self.startedAt)
    let kept = isThorough ? [] : list.unlisted.subtracting(seen).intersection(before)
    let missing = before.subtracting(seen).subtracting(kept)
    // Records that existed when they were last requested can wait longest.
    let (fresh, old) = (missing.subtracting(list.unlisted), missing.intersection(list.unlisted))
    let room = kind == .person ? missing.count : Self.askedAtOnce
    let open = Array((fresh.sorted() + old.sorted()).prefix(room).reversed())
    let asking = Asking(
      open: open, there: kept.union(old).subtracting(open), unkept: seen.subtracting(known).count,
      leavesSome: fresh.count > room, isThorough: isThorough, isSteady: isSteady)
    if open.isEmpty { return self.end(asking, kind) }
    self.progress = .asking(asking)
  }

  /// Records that the server sent were stored.
  mutating func stored(_ outcome: MergeReport) {
    for row in outcome.changedRows.union(outcome.unchangedRows) { self.missing[row] = nil }
    for record in outcome.missing { self.missing[record.row] = record }
  }

  /// A record that is missing in its list was requested, and the server has it: a list may omit an existing record, so a list
  /// alone proves nothing.
  mutating func found(_ id: UInt64) {
    self.answered(id) { $0.there.insert(id) }
  }

  /// A record that is missing in its list was requested, and the server does not have it.
  ///
  /// - Parameter record: What is stored of it; nil if nothing is any more.
  mutating func missed(_ id: UInt64, _ record: MissingRecord?) {
    if let record { self.missing[record.row] = record }
    self.answered(id) { _ in }
  }

  private mutating func answered(_ id: UInt64, _ change: (inout Asking) -> Void) {
    guard let kind = self.lists.first, case .asking(var asking) = self.progress else { return }
    asking.open.removeAll { $0 == id }
    change(&asking)
    if asking.open.isEmpty { return self.end(asking, kind) }
    self.progress = .asking(asking)
  }

  /// The decision on the missing records was stored.
  mutating func settled() {
    for (kind, wholeAt) in self.undecided { self.state.lists[kind.name]?.wholeAt = wholeAt }
    (self.missing, self.undecided) = ([:], [:])
  }

  private mutating func end(_ asking: Asking, _ kind: RecordKind) {
    let startedAt = self.startedAt
    if asking.leavesSome { self.partlyRead.insert(kind) } else { self.partlyRead.remove(kind) }
    // A list that is not complete does not tell its newest time.
    if !asking.isSteady { self.newestStamp = nil }
    self.finish(kind) { list in
      // The next pass asks for none of these again, and the others have their turn.
      list.unlisted = asking.isSteady ? asking.there : list.unlisted.union(asking.there)
      if asking.isThorough, !asking.leavesSome { list.askedAt = startedAt }
      // Its length says nothing about what is unlisted, so that the next pass reads it whole.
      guard asking.isSteady else { return list.wholeAt = nil }
      list.unkept = asking.unkept
      if !asking.leavesSome { list.wholeAt = startedAt }
    }
  }

  private mutating func finish(_ kind: RecordKind, _ change: (inout PullState.List) -> Void) {
    var list = self.state.lists[kind.name] ?? PullState.List()
    if let newestStamp { list.watermark = max(newestStamp, list.watermark ?? newestStamp) }
    change(&list)
    let wholeAt = list.wholeAt ?? self.undecided[kind].flatMap(\.self)
    let isDecided = !self.missing.values.contains { record in
      record.kind == kind || (kind == .person && RecordKind.details.contains(record.kind))
    }
    self.undecided.removeValue(forKey: kind)
    if !isDecided { self.undecided.updateValue(wholeAt, forKey: kind) }
    list.wholeAt = isDecided ? wholeAt : nil
    self.state.lists[kind.name] = list
    self.close()
  }

  private mutating func close() {
    self.lists.removeFirst()
    self.start()
  }

  /// Begins the present list.
  private mutating func start() {
    self.progress = .newest(page: 1, attempt: 1)
    self.newestStamp = nil
    self.lastTotal = nil
  }
}
