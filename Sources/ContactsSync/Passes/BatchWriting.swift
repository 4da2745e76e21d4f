internal import Bus
internal import KithMessages
internal import Storage

/// Stores one batch of cards by ``CardDecision``, inside one transaction.
struct BatchWriting: Sendable {
  let source: String
  /// Known cards that are not in the listing, by UID. If one of them appears under a new name, it is the same card.
  let lost: [String: [KnownCard]]
  /// Nanoseconds since 1970.
  let now: Int64

  /// The result of the batch.
  struct Outcome: Sendable {
    var counts = PassCounts()
    /// The old names of cards that were found under new ones.
    var renamed: Set<String> = []
  }

  /// Writes the cards.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` if the source was removed; failures of the store.
  func write(_ cards: [PreparedCard], in transaction: Transaction) throws(Failure) -> Outcome {
    var outcome = Outcome()
    var known = Dictionary(
      try transaction.cards.find(cards.map(\.card.href), in: self.source).map { ($0.href, $0) },
      uniquingKeysWith: { first, _ in first })
    let uids = cards.map(\.card.contact.uid).filter { !$0.isEmpty }
    var deleted = Dictionary(
      grouping: try transaction.cards.findDeleted(uids: uids, in: self.source), by: \.uid)
    var troubled = try transaction.problems.hrefs(among: cards.map(\.card.href), in: self.source)
    var added: [PreparedCard] = []
    for read in cards {
      let card = read.card
      var before = known[card.href]
      if before?.contactID.isEmpty ?? true, let same = self.same(card, deleted: deleted, renamed: outcome.renamed) {
        before = same
        // An incomplete card restores no contact: the deleted card keeps its name until the card is complete.
        if !same.isDeleted || !card.isCutOff {
          try transaction.cards.rename(same.href, to: card.href, in: self.source)
          outcome.renamed.insert(same.href)
          known[same.href] = nil
          // The problems of the old name are now those of the new one.
          troubled.insert(card.href)
        }
      }
      let prepared = try self.keepingPicture(of: before, on: read, in: transaction)
      let decision = CardDecision(read: prepared.card, known: before)
      if case .insert = decision { added.append(prepared) }
      try self.perform(decision, prepared, before, in: transaction, &outcome.counts)
      if decision.tellsProblems(of: card), !card.problems.isEmpty || troubled.contains(card.href) {
        let problems = decision.leavesContact ? card.withoutContact.problems : card.problems
        try transaction.problems.replace(problems, of: card.href, in: self.source, at: self.now)
      }
      if case .undelete(let id) = decision { deleted[card.contact.uid]?.removeAll { $0.contactID == id } }
    }
    try transaction.cards.insert(added.map { ($0.card, $0.contact) }, in: self.source)
    return outcome
  }

  /// The card of the same UID that was lost, rather one with the same content, or else the one whose contact is deleted.
  private func same(_ card: CardRead, deleted: [String: [KnownCard]], renamed: Set<String>) -> KnownCard? {
    let uid = card.contact.uid
    guard card.hasContact, !uid.isEmpty else { return nil }
    let lost = (self.lost[uid] ?? []).filter { !renamed.contains($0.href) && $0.href != card.href }
    let digest = Array(card.semanticDigest)
    return lost.first { $0.semanticDigest == digest } ?? lost.first ?? deleted[uid]?.first
  }

  /// Keeps a contact's photo if the photo that its card links to could not be fetched, as long as a later pass may
  /// still fetch it and the link is the same.
  private func keepingPicture(
    of known: KnownCard?, on prepared: PreparedCard, in transaction: Transaction
  ) throws(Failure) -> PreparedCard {
    let card = prepared.card
    guard !card.contact.photoUri.isEmpty, !card.contact.hasPhoto, let known, !known.contactID.isEmpty,
      let contact = try transaction.contacts.get(known.contactID), contact.hasPhoto,
      card.fingerprint.isEmpty || contact.photoUri == card.contact.photoUri
    else { return prepared }
    return try prepared.showing(contact.photo)
  }

  private func perform(
    _ decision: CardDecision, _ prepared: PreparedCard, _ known: KnownCard?, in transaction: Transaction,
    _ counts: inout PassCounts
  ) throws(Failure) {
    let card = prepared.card
    switch decision {
    case .vanished:
      return
    case .insert:
      // The cards of a batch are inserted together, at its end.
      for picture in card.pictures { try transaction.photos.put(picture) }
      counts.added += 1
    case .update(let id), .undelete(let id):
      for picture in card.pictures { try transaction.photos.put(picture) }
      try transaction.contacts.update(id, with: prepared.contact)
      try transaction.cards.put(card, in: self.source, contactID: id)
      if case .undelete = decision { counts.revived += 1 } else { counts.updated += 1 }
    case .store(let id):
      try transaction.cards.put(card, in: self.source, contactID: id)
      counts.unchanged += 1
    case .touch:
      try transaction.cards.touch(
        card.href, in: self.source, fingerprint: card.fingerprint, rawSHA256: Array(card.rawSha256))
      if known?.missingSince != 0 || known?.isKept == true {
        try transaction.cards.clearMissing([card.href], in: self.source)
      }
      counts.unchanged += 1
    case .keepStale(let id):
      try transaction.cards.put(card.withoutContact, in: self.source, contactID: id)
      counts.skipped += 1
    case .reportOnly:
      try transaction.cards.put(card.withoutContact, in: self.source, contactID: "")
      counts.skipped += 1
    }
    counts.seen += 1
  }
}

extension Transaction {
  /// Renames cards; some may swap their names.
  func carryOut(_ moves: [MovedCards.Move], in source: String) throws(Failure) {
    func between(_ move: MovedCards.Move) -> String { move.from + "#!moving" }
    for move in moves { try self.cards.rename(move.from, to: between(move), in: source) }
    for move in moves { try self.cards.rename(between(move), to: move.to, in: source) }
  }

  /// Carries out the guard's decision on missing cards.
  ///
  /// - Returns: How many contacts were deleted.
  func carryOut(
    _ decision: DeletionGuard.Decision, on lost: [String: KnownCard], of source: String, now: Int64
  ) throws(Failure) -> Int {
    if decision.reason != .listingNotWhole {
      if decision.restarts {
        try self.cards.clearMissing(decision.counted.filter { lost[$0]?.missingSince != 0 }, in: source)
      }
      let counted = Set(decision.counted)
      try self.cards.setMissing(decision.held.filter { !counted.contains($0) }, in: source, since: now, counts: false)
      if !decision.waits { try self.cards.setMissing(decision.counted, in: source, since: now) }
    }
    let contacts = decision.deleted.compactMap { lost[$0]?.contactID }.filter { !$0.isEmpty }
    try self.cards.forget(decision.deleted.filter { lost[$0]?.contactID.isEmpty == true }, in: source)
    return try self.contacts.softDelete(contacts, at: now)
  }
}
