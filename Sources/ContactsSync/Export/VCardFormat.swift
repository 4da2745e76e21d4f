internal import Bus
internal import KithMessages
internal import Storage
internal import VCard

/// vCard 3.0, which every address book reads, or 4.0, made of the cards themselves, with their pictures.
struct VCardFormat: ContactFormat {
  let version: Version
  let mediaType = "text/vcard; charset=utf-8"
  let head: [UInt8] = []
  let tail: [UInt8] = []

  func bytes(of contact: Contact, isFirst: Bool, in view: ReadView) throws(Failure) -> [UInt8] {
    guard let detached = try view.cards.raw(contact.sourceIdentifier, in: contact.source) else { return [] }
    let picture = contact.hasPhoto ? try view.photos.get(contact.photo.sha256) : nil
    let raw = DetachedCard.attach(detached) { _ in picture.map { Array($0.data) } }
    guard let card = try? Card(raw ?? detached) else { return [] }
    return CardWriter(version: self.version).bytes(of: card)
  }
}
