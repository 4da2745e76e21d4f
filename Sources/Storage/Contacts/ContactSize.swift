internal import KithMessages

extension Contact {
  /// An upper bound of the contact's bytes in a reply, in protobuf or JSON: its texts with JSON's escapes, and the
  /// field names.
  ///
  /// Encoding the contact to get the exact number took as long as reading it from the store.
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
    var bytes = Self.fieldNames + Self.bytes(of: texts) + Self.bytes(of: names) + Self.bytes(of: self.categories)
    bytes += Self.bytes(of: self.members)
    for values in [self.phones, self.emails, self.urls, self.dates, self.impps, self.related] {
      for value in values {
        bytes += Self.valueNames + Self.bytes(of: [value.value, value.label, value.labelRaw])
        bytes += Self.bytes(of: value.types)
      }
    }
    for address in self.addresses {
      bytes += Self.addressNames + Self.bytes(of: address.types)
      bytes += Self.bytes(of: [
        address.label, address.labelRaw, address.street, address.extended, address.poBox, address.subLocality,
        address.city, address.subRegion, address.region, address.postalCode, address.country, address.countryCode,
        address.formatted,
      ])
    }
    return bytes
  }

  /// The names of the single-valued fields, with their punctuation, numbers and stamps.
  private static let fieldNames = 900
  private static let valueNames = 60
  private static let addressNames = 180

  private static func bytes(of texts: [String]) -> Int { texts.reduce(0) { $0 + $1.bytesInJSON + 8 } }
}

extension String {
  /// An upper bound of the text's bytes in proto3 JSON, which escapes U+0000 to U+001F and U+007F to U+009F with six
  /// bytes.
  var bytesInJSON: Int {
    self.utf8.reduce(0) { count, byte in
      switch byte {
      case 0x20, 0x21, 0x23...0x5B, 0x5D...0x7E, 0x80...0xC1, 0xC3...0xFF: count + 1
      case 0x08...0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): count + 2
      // The first of two bytes; half of those pairs are control characters.
      case 0xC2: count + 5
      default: count + 6
      }
    }
  }
}
