internal import Bus
internal import KithMessages
internal import Storage

/// What is read from the server in one pass, step by step, and when that proves that something is gone.
///
/// The server has no list of changes. So each list is read newest first until the ground is known, and its length is compared
/// with what is known here. When they disagree, or now and then, it is read from end to end; what is not in it is asked for
/// before it counts as deleted.
struct PullPlan: Sendable {
  /// What a pass is asked to do.
  struct Options: Sendable, Equatable {
    /// Reads every list from end to end.
    var isFull = false
    /// A person waits for it: lists that are small are read from end to end as well.
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
    /// Ask whether a record is there.
    case ask(RecordKind, UInt64)
    /// Delete these here: the server has them no more.
    case delete(RecordKind, [UInt64])
  }

  /// What a page was.
  struct Page: Sendable {
    var number: UInt32
    var lastPage: UInt32
    /// Records in the list, by the server's count.
    var total: Int
    var ids: [UInt64]
    /// Of the first and the last record in the order of changes, in seconds since 1970.
    var newestStamp: Int64?
    var oldestStamp: Int64?
    /// Whether each record was known and as it was.
    var bringsNothing: Bool
  }

  /// Reads back so far behind the watermark, in seconds: stamps are whole seconds and given before the commit.
  static let overlap: Int64 = 5
  /// Pages newest first, beyond which the list is read from end to end. On servers before 4.1.2 each search stamps what it
  /// finds anew, so known ground may never come.
  static let newestPages: UInt32 = 10
  /// Pages of a list that is small.
  static let smallPages: UInt32 = 5
  /// Nanoseconds between two readings from end to end.
  static let wholeInterval: Int64 = 6 * 3600 * 1_000_000_000
  static let dayInterval: Int64 = 24 * 3600 * 1_000_000_000
  /// How often a list is read again whose length changed while it was read.
  static let attempts = 3
  /// So many records of a list that seem gone are asked for in a pass: five minutes of what the server allows. The rest has to wait
  /// for the next pass. People are all asked for.
  static let askedAtOnce = 300
  /// The lists in the order in which they are read: whom a record is about comes before the record.
  static let order: [RecordKind] = [
    .tag, .person, .activity, .call, .conversation, .note, .task, .reminder, .gift,
  ]
  /// Lists that the server can give in the order of changes.
  static let stamped: Set<RecordKind> = [.person, .activity, .conversation, .task, .reminder, .gift]

  private enum Progress: Sendable {
    case newest(page: UInt32, attempt: Int)
    case whole(Whole)
    case asking(Asking)
  }

  /// A list that is read from end to end.
  private struct Whole: Sendable {
    /// What was known before it began: only that can be found to be gone.
    let known: Set<UInt64>
    var attempt: Int
    var page: UInt32 = 1
    var total: Int?
    var isSteady = true
    var seen: Set<UInt64> = []
  }

  /// A list that lacks some of what is known.
  private struct Asking: Sendable {
    /// Still to be asked for, the last first.
    var open: [UInt64]
    var gone: [UInt64] = []
    var there: Set<UInt64> = []
    /// Records of the list that are not kept here.
    let unkept: Int
    /// Whether some that seem gone are left for the next pass.
    let leavesSome: Bool
    /// Whether all that is not listed is asked for.
    let isThorough: Bool
  }

  /// What is kept for the next pass.
  private(set) var state: PullState
  /// When it began, in nanoseconds since 1970.
  let startedAt: Int64
  let options: Options
  private var lists: [RecordKind]
  private var progress = Progress.newest(page: 1, attempt: 1)
  private var readsCatalogs: Bool
  /// The newest stamp of the list at the beginning of its reading.
  private var newestStamp: Int64?
  private var lastTotal: Int?

  /// Begins a pass.
  init(_ state: PullState, _ options: Options, now: Int64) {
    self.state = state
    self.options = options
    self.startedAt = now
    self.lists = Self.order
    self.readsCatalogs = options.isFull || Self.isOver(Self.dayInterval, since: state.catalogsAt, now: now)
    let tags = state.lists[RecordKind.tag.name]
    if !options.isFull, !options.isCommanded, !Self.isOver(Self.dayInterval, since: tags?.wholeAt, now: now) {
      self.lists.removeFirst()
    }
  }

  /// Whether a time has passed since a moment, which is also so for a moment that a clock noted that has been set back
  /// since.
  private static func isOver(_ interval: Int64, since moment: Int64?, now: Int64) -> Bool {
    moment.map { now - $0 >= interval || now < $0 } ?? true
  }

  /// What to do now; nil = the pass is through.
  var next: Step? {
    if self.readsCatalogs { return .catalogs }
    guard let kind = self.lists.first else { return nil }
    switch self.progress {
    case .newest(let page, _):
      return .page(kind, page, newestFirst: true)
    case .whole(let whole):
      return .page(kind, whole.page, newestFirst: false)
    case .asking(let asking):
      if let id = asking.open.last { return .ask(kind, id) }
      return .delete(kind, asking.gone)
    }
  }

  // MARK: - What came

  /// The catalogs were stored.
  mutating func tookCatalogs() {
    self.readsCatalogs = false
    self.state.catalogsAt = self.startedAt
  }

  /// A record names a gender, a type or a tag that is not known: they are read once more.
  mutating func met(unknownName isTag: Bool) {
    if !isTag, self.state.catalogsAt != self.startedAt { self.readsCatalogs = true }
    if isTag, !self.lists.contains(.tag), self.state.lists[RecordKind.tag.name]?.wholeAt != self.startedAt {
      self.lists.append(.tag)
    }
  }

  /// A page was stored.
  ///
  /// - Parameter known: Gives the server's ids of all records of the kind that are known now; asked for at the end of a list.
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
      // All there is, in one answer.
      let known = try known()
      return self.compare(known, known, seen: Set(page.ids), kind)
    }
    if self.isWholeDue(list, page, kind) { return self.readWhole(known: try known()) }
    if number > 1, let lastTotal, page.total < lastTotal, attempt < Self.attempts {
      // Something was deleted meanwhile, and what stood between the pages was in neither.
      self.lastTotal = nil
      self.progress = .newest(page: 1, attempt: attempt + 1)
      return
    }
    self.lastTotal = page.total
    let isGroundKnown: Bool
    if Self.stamped.contains(kind) {
      // Many may have one stamp, as after an import: what is as it was is known as well.
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
    if whole.isSteady, whole.seen.count == page.total {
      let known = try known()
      return self.compare(known, known.intersection(whole.known), seen: whole.seen, kind)
    }
    if whole.attempt < Self.attempts { return self.readWhole(known: try known(), attempt: whole.attempt + 1) }
    // It never holds still. What was read is stored; nothing is deleted on such a proof.
    self.close()
  }

  /// The list was read in one piece: what is known and not in it is gone, or only not listed.
  ///
  /// - Parameters:
  ///   - known: All that is known now.
  ///   - before: What of it was known when the list was begun.
  private mutating func compare(
    _ known: Set<UInt64>, _ before: Set<UInt64>, seen: Set<UInt64>, _ kind: RecordKind
  ) {
    let list = self.state.lists[kind.name] ?? PullState.List()
    // Whether what is not listed, such as archived people, is still there is asked now and then only.
    let isThorough =
      self.options.isFull || Self.isOver(Self.wholeInterval, since: list.askedAt, now: self.startedAt)
    let kept = isThorough ? [] : list.unlisted.subtracting(seen).intersection(before)
    let missing = before.subtracting(seen).subtracting(kept)
    // What was there when it was last asked for can wait longest.
    let (fresh, old) = (missing.subtracting(list.unlisted), missing.intersection(list.unlisted))
    let room = kind == .person ? missing.count : Self.askedAtOnce
    let open = Array((fresh.sorted() + old.sorted()).prefix(room).reversed())
    let asking = Asking(
      open: open, there: kept.union(old).subtracting(open), unkept: seen.subtracting(known).count,
      leavesSome: fresh.count > room, isThorough: isThorough)
    if open.isEmpty { return self.end(asking, kind) }
    self.progress = .asking(asking)
  }

  /// A record that was not in its list was asked for.
  mutating func resolve(_ id: UInt64, exists: Bool) {
    guard let kind = self.lists.first, case .asking(var asking) = self.progress else { return }
    asking.open.removeAll { $0 == id }
    // A list may leave out what is there, so that it proves nothing by itself.
    if exists { asking.there.insert(id) } else { asking.gone.append(id) }
    guard !asking.open.isEmpty || !asking.gone.isEmpty else { return self.end(asking, kind) }
    self.progress = .asking(asking)
  }

  /// What was gone is deleted here.
  mutating func tookDeletion() {
    guard let kind = self.lists.first, case .asking(let asking) = self.progress else { return }
    self.end(asking, kind)
  }

  private mutating func end(_ asking: Asking, _ kind: RecordKind) {
    let startedAt = self.startedAt
    self.finish(kind) { list in
      list.unkept = asking.unkept
      list.unlisted = asking.there
      guard !asking.leavesSome else { return }
      list.wholeAt = startedAt
      if asking.isThorough { list.askedAt = startedAt }
    }
  }

  private mutating func finish(_ kind: RecordKind, _ change: (inout PullState.List) -> Void) {
    var list = self.state.lists[kind.name] ?? PullState.List()
    if let newestStamp { list.watermark = max(newestStamp, list.watermark ?? newestStamp) }
    change(&list)
    self.state.lists[kind.name] = list
    self.close()
  }

  private mutating func close() {
    self.lists.removeFirst()
    self.progress = .newest(page: 1, attempt: 1)
    self.newestStamp = nil
    self.lastTotal = nil
  }
}
