internal import KithMessages

/// What the list of contacts is ordered by, compared byte for byte.
enum SortKey {
  /// Bytes of one part that count.
  private static let partLimit = 128

  /// Family name, given name, formatted name, folded; phonetic forms go before written ones, so that Japanese names come
  /// in the order of their reading.
  ///
  /// A contact without a name in parts goes by its formatted name, and without that by its organisation, nickname, first
  /// email or phone.
  static func make(of contact: Contact) -> String {
    let name = contact.name
    var parts = [
      name.phoneticFamily.isEmpty ? name.family : name.phoneticFamily,
      name.phoneticGiven.isEmpty ? name.given : name.phoneticGiven,
    ].filter { !$0.isEmpty }
    let fallbacks = [
      contact.formattedName, contact.phoneticOrganization, contact.organization, contact.nickname,
      contact.emails.first?.value ?? "", contact.phones.first?.value ?? "",
    ]
    if let whole = fallbacks.first(where: { !$0.isEmpty }) { parts.append(whole) }
    // As bytes: a scalar at a time took longer than the row's insertion.
    var key: [UInt8] = []
    for part in parts {
      // The lowest character ends a part: Ann Lee comes before Anna Bell.
      if !key.isEmpty { key.append(1) }
      for scalar in Folding.fold(part.beginning(Self.partLimit)) where scalar.value > 1 {
        if let encoded = UTF8.encode(scalar) { key.append(contentsOf: encoded) }
      }
    }
    return String(decoding: key, as: UTF8.self)
  }
}
