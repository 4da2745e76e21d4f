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
    var known = Dictionary(
      try transaction.cards.find(cards.map(\.href), in: self.source).map { ($0.href, $0) },
      uniquingKeysWith: { first, _ in first })
    let uids = cards.map(\.contact.uid).filter { !$0.isEmpty }
    var deleted = Dictionary(
      grouping: try transaction.cards.findDeleted(uids: uids, in: self.source), by: \.uid)
    for var card in cards {
      var before = known[card.href]
      if before?.contactID.isEmpty ?? true, let same = self.same(card, deleted: deleted, renamed: outcome.renamed) {
        before = same
        // One that is cut off brings nobody back: the deleted card keeps its name until it is there whole.
        if !same.isDeleted || !card.isCutOff {
          try transaction.cards.rename(same.href, to: card.href, in: self.source)
          outcome.renamed.insert(same.href)
          known[same.href] = nil
        }
      }
      try self.keepPicture(of: &card, before, in: transaction)
      let decision = CardDecision(read: card, known: before)
      try self.perform(decision, card, before, in: transaction, &outcome.counts)
      if case .revive(let id) = decision { deleted[card.contact.uid]?.removeAll { $0.contactID == id } }
    }
    return outcome
  }

  /// The card of the same UID that was lost, or else the one whose contact is deleted.
  private func same(_ card: CardRead, deleted: [String: [KnownCard]], renamed: Set<String>) -> KnownCard? {
    let uid = card.contact.uid
    guard card.hasContact, !uid.isEmpty else { return nil }
    return self.lost[uid]?.first { !renamed.contains($0.href) && $0.href != card.href } ?? deleted[uid]?.first
  }

  /// Leaves a contact the picture that it has, where the one that its card names could not be had: as long as the server may still
  /// give it, and as long as the card names the same.
  private func keepPicture(
    of card: inout CardRead, _ known: KnownCard?, in transaction: Transaction
  ) throws(Failure) {
    guard !card.contact.photoUri.isEmpty, !card.contact.hasPhoto, let known, !known.contactID.isEmpty,
      let contact = try transaction.contacts.get(known.contactID), contact.hasPhoto,
      card.fingerprint.isEmpty || contact.photoUri == card.contact.photoUri
    else { return }
    card.show(contact.photo)
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
      return try self.remark(card.withoutContact, contactID: id, in: transaction, &counts)
    case .reportOnly:
      return try self.remark(card.withoutContact, contactID: "", in: transaction, &counts)
    }
    counts.seen += 1
    // Those of the same bytes are the same, but for a picture that they only name.
    if decision != .touch || !card.contact.photoUri.isEmpty {
      try transaction.problems.replace(card.problems, of: card.href, in: self.source, at: self.now)
    }
  }

  /// Notes a card of which no contact is made now.
  private func remark(
    _ card: CardRead, contactID: String, in transaction: Transaction, _ counts: inout PassCounts
  ) throws(Failure) {
    try transaction.cards.put(card, in: self.source, contactID: contactID)
    try transaction.problems.replace(card.problems, of: card.href, in: self.source, at: self.now)
    counts.skipped += 1
    counts.seen += 1
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
