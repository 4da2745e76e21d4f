internal import Bus
internal import Digest
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// A card that was read, with its contact as it will be written. It is made before the transaction of its batch.
///
/// A class, because it holds some ten strings and arrays: the writer, which blocks all other writes, passes one
/// reference.
final class PreparedCard: Sendable {
  let card: CardRead
  /// The contact with the id for a new contact; empty for a card that could not be read.
  let contact: PreparedContact

  /// Prepares a card.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  convenience init(_ card: CardRead, source: String, now: Int64) throws(Failure) {
    var contact = card.contact
    if card.hasContact {
      contact.id = UUIDv7.make(milliseconds: UInt64(max(0, now / 1_000_000))).text
      contact.source = source
      contact.etag = Hex.encode(card.rawSha256)
      contact.createdAt = .init(nanosecondsSince1970: now)
      contact.updatedAt = contact.createdAt
    }
    self.init(card, try PreparedContact(contact))
  }

  private init(_ card: CardRead, _ contact: PreparedContact) {
    self.card = card
    self.contact = contact
  }

  /// The same card with a stored picture.
  func showing(_ picture: BlobRef) throws(Failure) -> PreparedCard {
    var card = self.card
    card.show(picture)
    return PreparedCard(card, try self.contact.showing(picture))
  }

  /// Prepares the cards of a batch.
  @concurrent
  static func prepare(_ cards: [CardRead], source: String, now: Int64) async throws(Failure) -> [PreparedCard] {
    var prepared: [PreparedCard] = []
    prepared.reserveCapacity(cards.count)
    for card in cards { prepared.append(try PreparedCard(card, source: source, now: now)) }
    return prepared
  }
}
