internal import Digest
internal import FoundationEssentials
internal import KithMessages
internal import SwiftProtobuf
internal import VCard

/// Maps a card to the `Contact` message and the values stored beside it.
enum ContactMapping {
  /// Raised if the reader or this mapping changes; then every card is read again.
  static let version = 4

  /// Maps a card.
  ///
  /// - Parameters:
  ///   - card: A parsed card.
  ///   - href: Its name in the source.
  ///   - fingerprint: The fingerprint of its file when it was read.
  static func cardRead(_ card: Card, href: String, fingerprint: String) -> CardRead {
    var read = CardRead()
    read.href = href
    read.fingerprint = fingerprint
    var contact = Self.contact(card)
    contact.sourceIdentifier = href
    let reading = card.photo()
    var raw: [UInt8]
    if case .inline(let bytes, let mediaType)? = reading.photo {
      let picture = Self.picture(bytes, mediaType: mediaType)
      contact.photo = picture.ref
      read.pictures = [picture]
      // A blank is not a reference: other pictures stay in the card.
      raw = DetachedCard.detach(card, decoded: reading) { $0 == bytes ? "sha256:" + picture.ref.sha256 : " " }
    } else {
      if case .uri(let uri)? = reading.photo { contact.photoUri = uri }
      raw = DetachedCard.detach(card) { _ in " " }
    }
    // The detached card contains the picture's digest, so the picture, most of the card, need not be hashed again.
    read.rawSha256 = Data(SHA256.digest(raw))
    read.raw = Data(raw)
    read.contact = contact
    read.semanticDigest = Data(Self.digest(contact))
    read.problems = (card.warnings + card.valueWarnings() + reading.warnings).map {
      CardProblem.problem($0, href: href)
    }
    return read
  }

  /// A picture as it will be stored.
  static func picture(_ bytes: [UInt8], mediaType: String) -> Picture {
    var picture = Picture()
    picture.ref.sha256 = Hex.encode(SHA256.digest(bytes))
    picture.ref.size = UInt64(bytes.count)
    picture.ref.mediaType = mediaType
    picture.data = Data(bytes)
    return picture
  }

  /// The digest of the card's content, without time stamps and without the order of its values. A linked photo counts
  /// like an inline one.
  ///
  /// Other workers compute the same: docs/protocol.md, "Digests of a card". Values are therefore ordered by bytes, not
  /// by Swift's string order, which follows Unicode equivalence.
  static func digest(_ contact: Contact) -> [UInt8] {
    var contact = contact
    contact.sourceIdentifier = ""
    contact.uid = ""
    contact.revision = ""
    let byValue = [\KithMessages.LabeledValue.value, \.label]
    Self.sort(&contact.phones, by: byValue)
    Self.sort(&contact.emails, by: byValue)
    Self.sort(&contact.urls, by: byValue)
    Self.sort(&contact.dates, by: byValue)
    Self.sort(&contact.impps, by: byValue)
    Self.sort(&contact.related, by: byValue)
    Self.sort(&contact.addresses, by: [\.street, \.city, \.label])
    if contact.categories.count > 1 { contact.categories.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
    if contact.members.count > 1 { contact.members.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
    let bytes: [UInt8]? = try? contact.serializedBytes()
    return SHA256.digest(bytes ?? [])
  }

  /// Orders values by the bytes of these texts, one after another, then by those of the whole value.
  private static func sort<Value: SwiftProtobuf.Message>(_ values: inout [Value], by texts: [KeyPath<Value, String>]) {
    guard values.count > 1 else { return }
    values.sort { left, right in
      for text in texts where !left[keyPath: text].utf8.elementsEqual(right[keyPath: text].utf8) {
        return left[keyPath: text].utf8.lexicographicallyPrecedes(right[keyPath: text].utf8)
      }
      let (left, right): ([UInt8]?, [UInt8]?) = (try? left.serializedBytes(), try? right.serializedBytes())
      return (left ?? []).lexicographicallyPrecedes(right ?? [])
    }
  }

  private static func contact(_ card: Card) -> Contact {
    var contact = Contact()
    contact.uid = card.bareUID ?? ""
    contact.formattedName = card.formattedName ?? ""
    contact.name = Self.name(card)
    contact.nickname = card.nicknames.joined(separator: ", ")
    let organization = card.organization
    contact.organization = organization.first ?? ""
    contact.department = organization.dropFirst().joined(separator: ", ")
    contact.phoneticOrganization = card.phoneticOrganization ?? ""
    contact.title = card.title ?? ""
    contact.role = card.role ?? ""
    contact.kind = Self.kind(card.kind)
    contact.birthday = card.birthday?.date?.description ?? ""
    contact.note = card.note ?? ""
    contact.phones = card.phones.map(Self.value)
    contact.emails = card.emails.map(Self.value)
    contact.urls = card.urls.map(Self.value)
    contact.related = card.relations.map(Self.value)
    contact.addresses = card.addresses.map(Self.address)
    // Includes a birthday that is not a date, as text.
    contact.dates = (card.dates + card.alternateBirthdays).map { date in
      var types = date.label.types
      if let calendar = date.calendar { types.append(calendar.uppercased()) }
      return Self.value(date.date?.description ?? date.text, date.label, types: types)
    }
    contact.impps = card.messaging.map { address in
      var value = Self.value(address.uri ?? address.user, address.label)
      if let service = address.service { value.label = service }
      return value
    }
    contact.categories = card.categories
    contact.members = card.members
    contact.revision = card.revision ?? ""
    return contact
  }

  private static func name(_ card: Card) -> Name {
    let parts = card.structuredName
    let reading = card.phoneticName
    var name = Name()
    name.prefix = parts.prefixes.joined(separator: " ")
    name.given = parts.given.joined(separator: " ")
    name.middle = parts.additional.joined(separator: " ")
    name.family = parts.family.joined(separator: " ")
    name.suffix = parts.suffixes.joined(separator: " ")
    name.phoneticGiven = reading.given ?? ""
    name.phoneticMiddle = reading.middle ?? ""
    name.phoneticFamily = reading.family ?? ""
    return name
  }

  private static func kind(_ kind: CardKind) -> String {
    switch kind {
    case .individual: ""
    case .group: "group"
    case .organization: "org"
    case .location: "location"
    case .other(let word): word
    }
  }

  private static func value(_ value: VCard.LabeledValue) -> KithMessages.LabeledValue {
    Self.value(value.value, value.label)
  }

  private static func value(_ text: String, _ label: Label, types: [String]? = nil) -> KithMessages.LabeledValue {
    var value = KithMessages.LabeledValue()
    value.value = text
    value.label = label.canonical ?? ""
    value.labelRaw = label.raw ?? ""
    value.types = types ?? label.types
    value.pref = UInt32(clamping: label.preference ?? 0)
    return value
  }

  private static func address(_ from: PostalAddress) -> Address {
    var address = Address()
    address.label = from.label.canonical ?? ""
    address.labelRaw = from.label.raw ?? ""
    address.types = from.label.types
    address.pref = UInt32(clamping: from.label.preference ?? 0)
    address.poBox = from.postOfficeBox
    address.extended = from.extended
    address.street = from.street
    address.city = from.locality
    address.region = from.region
    address.postalCode = from.postalCode
    address.country = from.country
    address.subLocality = from.subLocality ?? ""
    address.subRegion = from.subAdministrativeArea ?? ""
    address.countryCode = from.countryCode ?? ""
    address.formatted = from.formatted ?? ""
    return address
  }
}
