internal import Bus
internal import Digest
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// Stores one batch of cards as ``CardDecision`` says, inside one transaction.
struct BatchWriting: Sendable {
  let source: String
  /// Known cards that are not in the listing, by UID: one of them under a new name is the same card.
  let lost: [String: [KnownCard]]
  /// Nanoseconds since 1970.
  let now: Int64

  /// What became of the batch.
  struct Outcome: Sendable {
    var counts = PassCounts()
    /// The old names of cards that were found under new ones.
    var renamed: Set<String> = []
  }

  /// Writes the cards.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` when the source is gone; what the store refuses.
  func write(_ cards: [CardRead], in transaction: Transaction) throws(Failure) -> Outcome {
    var outcome = Outcome()
    for card in cards {
      let known = try self.known(card, in: transaction, &outcome)
      let decision = CardDecision(read: card, known: known)
      let read = if case .keepStale = decision { card.withoutContact } else { card }
      try self.perform(decision, read, known, in: transaction, &outcome.counts)
    }
    return outcome
  }

  /// The card of the same name, or else the one of the same UID that was lost or whose contact is deleted.
  private func known(
    _ card: CardRead, in transaction: Transaction, _ outcome: inout Outcome
  ) throws(Failure) -> KnownCard? {
    let known = try transaction.cards.find(card.href, in: self.source)
    guard known?.contactID.isEmpty ?? true, card.hasContact, !card.contact.uid.isEmpty else { return known }
    var same = self.lost[card.contact.uid]?.first { !outcome.renamed.contains($0.href) && $0.href != card.href }
    if same == nil { same = try transaction.cards.findDeleted(uid: card.contact.uid, in: self.source) }
    guard let same else { return known }
    try transaction.cards.rename(same.href, to: card.href, in: self.source)
    outcome.renamed.insert(same.href)
    return try transaction.cards.find(card.href, in: self.source)
  }

  private func perform(
    _ decision: CardDecision, _ card: CardRead, _ known: KnownCard?, in transaction: Transaction,
    _ counts: inout PassCounts
  ) throws(Failure) {
    switch decision {
    case .vanished:
      return
    case .insert:
      var contact = self.contact(card, id: UUIDv7.make(milliseconds: UInt64(max(0, self.now / 1_000_000))).text)
      contact.createdAt = contact.updatedAt
      for picture in card.pictures { try transaction.photos.put(picture) }
      try transaction.contacts.insert(contact)
      try transaction.cards.put(card, in: self.source, contactID: contact.id)
      counts.added += 1
    case .update(let id), .revive(let id):
      for picture in card.pictures { try transaction.photos.put(picture) }
      try transaction.contacts.update(self.contact(card, id: id))
      try transaction.cards.put(card, in: self.source, contactID: id)
      if case .revive = decision { counts.revived += 1 } else { counts.updated += 1 }
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
      try transaction.cards.put(card, in: self.source, contactID: id)
      counts.skipped += 1
    case .reportOnly:
      try transaction.cards.put(card, in: self.source, contactID: "")
      counts.skipped += 1
    }
    counts.seen += 1
    if decision != .touch {
      try transaction.problems.replace(card.problems, of: card.href, in: self.source, at: self.now)
    }
  }

  private func contact(_ card: CardRead, id: String) -> Contact {
    var contact = card.contact
    contact.id = id
    contact.source = self.source
    contact.etag = Hex.encode(card.rawSha256)
    contact.updatedAt = .init(nanosecondsSince1970: self.now)
    return contact
  }
}
