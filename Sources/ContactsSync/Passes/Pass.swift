internal import Bus
internal import KithMessages
internal import Logging
internal import Storage

/// What a pass does beyond reading changes.
struct PassOptions: Sendable, Equatable {
  /// Reads every card again.
  var isFull = false
  /// Carries out deletions that an earlier pass held back, and accepts a folder that an earlier pass reported as
  /// replaced.
  var allowsMassDelete = false

  /// Whether a pass with these options does all that one with `other` does.
  func covers(_ other: PassOptions) -> Bool {
    (self.isFull || !other.isFull) && (self.allowsMassDelete || !other.allowsMassDelete)
  }
}

/// One pass over one source: lists it, reads changed cards, stores them batch by batch, and deletes contacts of cards
/// that are certainly gone.
///
/// Each batch is a separate commit, and the remaining work follows from the store and the source alone: after a crash
/// the next pass continues where this one stopped.
actor Pass {
  /// How long a deleted contact can be restored: 30 days, of which a pass has seen the last seven begin.
  private static let keptAfterDeletion: Int64 = 30 * 24 * 3600 * 1_000_000_000
  private static let noticeOfErasure: Int64 = 7 * 24 * 3600 * 1_000_000_000

  private let name: String
  private let options: PassOptions
  private let storage: StorageActor
  private let source: any BatchPort
  private let cause: String
  private let now: @Sendable () -> Int64
  private let willList: @Sendable () async -> Void
  private let report: @Sendable (Progress) -> Void
  private let logger: Logger

  private var state = PassState(SyncStatus(), source: "")
  /// Whether every card is read, because none is known or the options say so.
  private var readsAll = true
  /// The listing so far, until it can be compared with the store; nil from then on.
  private var listed: [ItemBatch]? = []
  private var diff = ListingDiff(known: [], readsAll: false)
  /// The identity of the source until its first batch is stored, which deletes the stored token; nil where there is
  /// none. The changes since a token apply to the store as it was then, so a pass that ends early is followed by a
  /// complete listing.
  private var outdated: String?
  /// Known cards that the source does not list, by UID and by href.
  private var lostByUID: [String: [KnownCard]] = [:]
  private var lost: [String: KnownCard] = [:]
  /// The renamed cards, and, once they are known, the names of the deferred ones.
  private var moved = MovedCards(known: [])
  private var settled: Set<String> = []
  /// Problems of whole address books.
  private var remarks: [Problem] = []
  /// Why the store refused a part of the pass, which is not a failure of the source.
  private var refusal: Failure?

  init(
    _ name: String, _ options: PassOptions, storage: StorageActor, source: any BatchPort, cause: String,
    now: @escaping @Sendable () -> Int64, willList: @escaping @Sendable () async -> Void,
    report: @escaping @Sendable (Progress) -> Void, logger: Logger
  ) {
    self.name = name
    self.options = options
    self.storage = storage
    self.source = source
    self.cause = cause
    self.now = now
    self.willList = willList
    self.report = report
    self.logger = logger
  }

  /// Runs the pass to its end, which is stored and published.
  ///
  /// - Returns: `COMPLETED`, `ERROR` with the failure of the source, or `IDLE` when the task was cancelled.
  /// - Throws: A failure of the store itself; `NOT_FOUND/RECORD_UNKNOWN` if the source does not exist.
  func run() async throws(Failure) -> SyncStatus {
    let record = try await self.begin()
    do throws(Failure) {
      var listing = try await self.list(record)
      // A sync token never reports the same change twice, so it is stored only when every change was stored.
      if try await self.fetch(record.location, &listing) > 0 { listing.token = "" }
      guard !Task.isCancelled else { throw .cancelled }
      try await self.end(listing, of: record.location)
    } catch {
      try await self.give(up: error)
      if let refusal { throw refusal }
    }
    self.logger.info(
      "pass ended",
      metadata: [
        "state": "\(self.state.status.state)", "reason": "\(self.state.status.error.reason)",
        "added": "\(self.state.status.added)", "updated": "\(self.state.status.updated)",
        "deleted": "\(self.state.status.deleted)", "held_back": "\(self.state.status.heldBack)",
      ])
    return self.state.status
  }

  private func begin() async throws(Failure) -> SourceRecord {
    let (name, now, runID) = (self.name, self.now(), UUIDv7.make().text)
    let (record, state, isKnown) = try await self.storage.write(cause: self.cause) {
      transaction throws(Failure) -> (SourceRecord, PassState, Bool) in
      guard let record = try transaction.sources.find(name) else { throw ContactsSyncActor.unknownSource(name) }
      var state = PassState(record.source.status, source: name)
      state.begin(runID: runID, live: try transaction.contacts.count(source: name), now: now)
      try transaction.publish(state.status, of: name)
      return (record, state, try transaction.cards.isAnyKnown(in: name))
    }
    FaultPoint.passStarted.pass()
    self.state = state
    self.readsAll = self.options.isFull || !isKnown
    self.outdated = record.token.isEmpty ? nil : record.location.identity
    return record
  }

  private func list(_ record: SourceRecord) async throws(Failure) -> ListItemsReply {
    var request = ListItemsRequest()
    request.source = record.location
    request.token = self.options.isFull ? "" : record.token
    request.readsAll = self.readsAll
    await self.willList()
    // Read while the source lists, and beside the writer: it takes a while for a large address book.
    async let comparing = self.beginComparing()
    var reply = try await self.source.call(request, self.context("-list")) {
      batch throws(Failure) in await self.gather(batch)
    }
    FaultPoint.listed.pass()
    try await comparing.get()
    if reply.unchanged {
      reply.unchangedUnder = [""]
      reply.complete = true
    }
    self.diff.keep(under: reply.unchangedUnder)
    self.diff.addPresent(under: reply.unlistedUnder)
    self.diff.addPresent(reply.problems.map(\.sourceIdentifier))
    for card in self.diff.missing { self.lose(card) }
    try await self.check(reply.identity, against: record.location)
    self.state.list(total: self.diff.listed, unchanged: self.diff.unchanged)
    self.state.skip(reply.problems.count { !CardProblem.ofBooks.contains($0.kind) })
    self.state.note(
      unavailable: AccountPosition.titles(of: reply.problems, CardProblem.bookUnavailable, token: reply.token),
      partial: AccountPosition.titles(of: reply.problems, CardProblem.bookPartial, token: reply.token))
    return reply
  }

  /// The context of a call to the source. Its progress goes to the commands that wait for the pass.
  private func context(_ part: String) -> CallContext {
    CallContext(requestID: self.state.status.runID + part, progress: self.report)
  }

  private func beginComparing() async -> Result<Void, Failure> {
    do throws(Failure) {
      let known = try await self.storage.read { [name] view throws(Failure) in try view.cards.known(in: name) }
      self.diff = ListingDiff(known: known, readsAll: self.readsAll)
      for batch in self.listed ?? [] { self.compare(batch) }
      self.listed = nil
      return .success(())
    } catch {
      if error.code != .cancelled { self.refusal = error }
      return .failure(error)
    }
  }

  private func gather(_ batch: ItemBatch) {
    if self.listed == nil { self.compare(batch) } else { self.listed?.append(batch) }
  }

  private func compare(_ batch: ItemBatch) {
    self.diff.add(batch.items)
    self.diff.addGone(batch.gone)
  }

  /// A card that seemed lost was found, perhaps under another name: no other card replaces it.
  private func find(_ href: String) {
    self.diff.show(href)
    guard let card = self.lost.removeValue(forKey: href) else { return }
    self.lostByUID[card.uid]?.removeAll { $0.href == href }
  }

  private func lose(_ card: KnownCard) {
    guard self.lost.updateValue(card, forKey: card.href) == nil, !card.uid.isEmpty else { return }
    self.lostByUID[card.uid, default: []].append(card)
  }

  /// Another folder than before is accepted only if it has most of the same cards: a disk that is not mounted leaves an
  /// empty or older folder at the same path. `allowsMassDelete` also accepts the folder, once an earlier pass has
  /// reported all the cards that this one lacks.
  private func check(_ identity: String, against location: SourceLocation) async throws(Failure) {
    guard !location.identity.isEmpty, identity != location.identity else { return }
    let isAccount = location.isAccount
    // Address books come and go; the guard treats each separately.
    if isAccount, AccountPosition.moved(from: location.identity, to: identity).isEmpty { return }
    let lost = self.lost.values.filter { !$0.contactID.isEmpty }
    let missing = lost.filter { !$0.isKept }
    if self.options.allowsMassDelete, missing.allSatisfy({ $0.missingSince != 0 }) { return }
    let shown = self.diff.shownContacts(without: self.lost)
    let isEmpty = !lost.isEmpty && !self.diff.lists(under: "")
    guard isEmpty || missing.count * DeletionGuard.share > shown + missing.count else { return }
    // A person who reads the error and confirms the deletion confirms it for these cards.
    let (name, now, hrefs) = (self.name, self.now(), missing.map(\.href))
    try await self.write { transaction throws(Failure) in
      try transaction.cards.setMissing(hrefs, in: name, since: now, counts: false)
      // While a source reports no changes, missing cards stay missing: the next pass lists everything.
      try transaction.sources.setListing(name, token: "", identity: location.identity)
    }
    let what =
      isAccount
      ? "An address book of '\(self.name)' has another path on its server than at the last pass"
      : "The source '\(self.name)' is another folder than at the last pass"
    let advice =
      isAccount
      ? "Look at the account: kith contacts source test \(self.name)." : "If its disk is not mounted, mount it."
    throw Failure(
      .unavailable, "SOURCE_REPLACED",
      """
      \(what), and lacks \(lost.count) of \(shown + lost.count) cards. \(advice) If it was replaced on purpose, run \
      `kith contacts sync \(self.name) --allow-mass-delete`.
      """)
  }

  /// Reads changed cards and stores them batch by batch; cards that may have moved come last, once the place of each
  /// UID is known.
  ///
  /// - Returns: How many cards could not be read now.
  private func fetch(
    _ location: SourceLocation, _ listing: inout ListItemsReply
  ) async throws(Failure) -> UInt32 {
    let token = listing.token
    self.moved = MovedCards(
      known: self.diff.toFetch.flatMap { self.diff.cards(of: $0) },
      unlisted: self.diff.cards(under: listing.unlistedUnder))
    var failed = try await self.read(self.diff.toFetch, location, token, "-fetch")
    guard !self.moved.putOff.isEmpty else { return failed }
    let names = try await self.names(of: self.moved.contested(lost: self.lostByUID))
    let moves = self.moved.moves(
      lost: self.lostByUID, deleted: self.diff.deleted(of: self.moved.putOff.values), names: names)
    if !moves.isEmpty { try await self.carryOut(moves) }
    // An unlisted part may have the card whose name another one has now.
    let isAllListed = listing.complete && listing.unlistedUnder.isEmpty
    let undecided = isAllListed ? [] : self.moved.undecided(moves)
    self.settled = Set(self.moved.putOff.keys).subtracting(undecided)
    if !undecided.isEmpty { self.wait(undecided, &listing) }
    failed += try await self.read(
      Array(Set(self.settled.map { self.diff.item(of: $0) })), location, token, "-fetch-moved")
    return failed
  }

  /// What the contacts of some cards are called, by their ids.
  private func names(of cards: [KnownCard]) async throws(Failure) -> [String: String] {
    guard !cards.isEmpty else { return [:] }
    let ids = cards.map(\.contactID)
    return try await self.storage.read { view throws(Failure) in try view.contacts.names(of: ids) }
  }

  /// Reports cards that wait until everything can be listed. Until then each pass lists their address books completely.
  private func wait(_ undecided: Set<String>, _ listing: inout ListItemsReply) {
    let unlisted = listing.unlistedUnder.map { AccountPosition.title(ofBook: $0, token: listing.token) }
    self.remarks += undecided.sorted().map { CardProblem.waiting($0, for: unlisted) }
    self.state.skip(undecided.count)
    AccountPosition.forgetStates(around: undecided, in: &listing)
  }

  private func read(
    _ hrefs: [String], _ location: SourceLocation, _ token: String, _ step: String
  ) async throws(Failure) -> UInt32 {
    let pipeline = CardPipeline(
      source: self.source, location: location, token: token, context: self.context(step), name: self.name,
      now: self.now)
    return try await pipeline.run(hrefs) { batch throws(Failure) in try await self.store(batch) }
  }

  /// Renames known cards to their present names.
  private func carryOut(_ moves: [MovedCards.Move]) async throws(Failure) {
    let name = self.name
    try await self.write { transaction throws(Failure) in try transaction.carryOut(moves, in: name) }
    FaultPoint.cardsMoved.pass()
    for move in moves where self.moved.putOff[move.to] != nil { self.find(move.from) }
    self.diff.carryOut(moves) { self.moved.putOff[$0] != nil }
    for move in moves where self.moved.putOff[move.to] == nil {
      if let card = self.diff.card(move.to), !card.isDeleted { self.lose(card) }
    }
  }

  private func store(_ cards: [PreparedCard]) async throws(Failure) {
    FaultPoint.batchRead.pass()
    self.remarks += cards.lazy.map(\.card).filter(\.vanished).flatMap(\.problems)
    let present = self.losePartsOfFiles(cards)
    let cards = cards.filter { self.isSettled($0.card) }
    let writing = BatchWriting(source: self.name, lost: self.lostByUID, now: self.now())
    let (name, before, outdated) = (self.name, self.state, self.outdated)
    let (outcome, after) = try await self.write { transaction throws(Failure) -> (BatchWriting.Outcome, PassState) in
      if let outdated { try transaction.sources.setListing(name, token: "", identity: outdated) }
      let outcome = try writing.write(cards, in: transaction)
      var state = before
      state.count(outcome.counts)
      if state.reports(now: writing.now) { try transaction.publish(state.status, of: name) }
      return (outcome, state)
    }
    FaultPoint.batchCommitted.pass()
    self.outdated = nil
    self.state = after
    self.moved.leave(outcome.renamed)
    for href in outcome.renamed.union(present) { self.find(href) }
    self.report(self.state.progress)
  }

  /// Whether it is known which contact a card that was read belongs to.
  private func isSettled(_ read: CardRead) -> Bool {
    guard self.settled.isEmpty else { return self.settled.contains(read.href) }
    let lost = self.lostByUID[read.contact.uid] ?? []
    return !self.moved.putsOff(read, known: self.diff.card(read.href), lost: lost)
  }

  /// Finds the known cards that are missing in their file.
  ///
  /// - Returns: Cards that count as present, because a part of the file could not be read.
  private func losePartsOfFiles(_ cards: [PreparedCard]) -> [String] {
    var present: [String] = []
    for (item, reads) in Dictionary(grouping: cards.map(\.card), by: { self.diff.item(of: $0.href) }) {
      let hrefs = Set(reads.map(\.href))
      let isWhole = reads.allSatisfy { read in
        read.hasContact && !read.problems.contains { CardProblem.truncating.contains($0.kind) }
      }
      for card in self.diff.cards(of: item) where !card.isDeleted && !hrefs.contains(card.href) {
        self.lose(card)
        if !isWhole { present.append(card.href) }
      }
    }
    return present
  }

  private func end(_ whole: ListItemsReply, of location: SourceLocation) async throws(Failure) {
    var listing = whole
    let (name, now, lost) = (self.name, self.now(), self.lost)
    let parts = DeletionGuard.Part.parts(of: listing, location, self.diff)
    let decision = DeletionGuard(
      isWhole: listing.complete, isConfirmed: self.options.allowsMassDelete,
      shown: self.diff.shownContacts(without: lost), parts: parts, now: now
    ).decide(missing: Array(lost.values))
    FaultPoint.deletionsDecided.pass()
    // A missing address book is searched for as long as its contacts are held.
    let settled = parts.filter { part in
      part.isGone && !decision.held.contains { $0.utf8.starts(with: part.beginning.utf8) }
    }
    AccountPosition.forget(Set(settled.map { String($0.beginning.dropLast()) }), in: &listing)
    listing.problems += self.remarks
    let (before, reappeared) = (self.state, self.diff.reappeared)
    let (problems, reached) = (listing.problems, listing)
    self.state = try await self.write { transaction throws(Failure) -> PassState in
      try transaction.cards.clearMissing(reappeared, in: name)
      for problem in problems {
        try transaction.problems.replace([problem], of: problem.sourceIdentifier, in: name, at: now)
      }
      let deleted = try transaction.carryOut(decision, on: lost, of: name, now: now)
      try transaction.problems.clear(except: problems.map(\.sourceIdentifier), of: CardProblem.cardWaits, in: name)
      try transaction.contacts.purge(keptFor: Self.keptAfterDeletion, notice: Self.noticeOfErasure, at: now)
      try transaction.photos.dropUnreferenced()
      try transaction.sources.setListing(
        name, token: reached.complete ? reached.token : "", identity: reached.identity)
      var state = before
      state.decide(decision, deleted: deleted)
      state.complete(live: try transaction.contacts.count(source: name), now: now)
      try transaction.publish(state.status, of: name)
      return state
    }
    FaultPoint.passCommitted.pass()
    self.report(self.state.progress)
  }

  /// Writes a part of the pass, and records a refusal of the store.
  private func write<Value: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    do throws(Failure) {
      return try await self.storage.write(cause: self.cause, body)
    } catch {
      self.refusal = error
      throw error
    }
  }

  /// Stores the failure as the state of the pass; stored batches stay.
  private func give(up failure: Failure) async throws(Failure) {
    let (name, now, before) = (self.name, self.now(), self.state)
    self.state = try await self.storage.write(cause: self.cause) { transaction throws(Failure) -> PassState in
      var state = before
      if failure.code == .cancelled {
        state.stop(now: now)
      } else {
        state.fail(failure, live: try transaction.contacts.count(source: name), now: now)
      }
      try transaction.publish(state.status, of: name)
      return state
    }
  }
}
