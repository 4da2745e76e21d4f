internal import KithMessages

extension Contact {
  /// At most how many bytes the contact takes in a protobuf reply: its texts, and room for tags, lengths and numbers.
  ///
  /// Encoding it to learn the exact number took as long as reading it from the store.
  var roomInReply: Int {
    let texts = [
      self.id, self.source, self.sourceIdentifier, self.uid, self.formattedName, self.nickname, self.organization,
      self.phoneticOrganization, self.department, self.title, self.role, self.kind, self.birthday, self.note, self.etag,
      self.revision, self.photoUri, self.photo.sha256, self.photo.mediaType,
    ]
    let name = self.name
    let names = [
      name.prefix, name.given, name.middle, name.family, name.suffix, name.phoneticGiven, name.phoneticFamily,
      name.phoneticMiddle,
    ]
    var bytes = 400 + Self.bytes(of: texts) + Self.bytes(of: names) + Self.bytes(of: self.categories)
    bytes += Self.bytes(of: self.members)
    for values in [self.phones, self.emails, self.urls, self.dates, self.impps, self.related] {
      for value in values {
        bytes += 32 + value.value.utf8.count + value.label.utf8.count + value.labelRaw.utf8.count
        bytes += Self.bytes(of: value.types)
      }
    }
    for address in self.addresses {
      bytes += 100 + Self.bytes(of: address.types)
      bytes += Self.bytes(of: [
        address.label, address.labelRaw, address.street, address.extended, address.poBox, address.subLocality,
        address.city, address.subRegion, address.region, address.postalCode, address.country, address.countryCode,
        address.formatted,
      ])
    }
    return bytes
  }

  private static func bytes(of texts: [String]) -> Int { texts.reduce(0) { $0 + $1.utf8.count + 8 } }
}
