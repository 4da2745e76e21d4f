internal import KithMessages

/// Contacts as table rows.
struct ContactTable {
  private let contacts: [Contact]

  init(_ contacts: [Contact]) { self.contacts = contacts }

  func lines(_ session: Session) -> [String] {
    guard !self.contacts.isEmpty else { return ["No contacts found."] }
    var table = Table([Column("NAME"), Column("PHONE", drops: 2), Column("EMAIL", drops: 1), Column("ID")])
    for contact in self.contacts {
      let name = contact.hasDeletedAt ? "\(contact.shownName) (deleted)" : contact.shownName
      table.add(name, contact.phones.preferred, contact.emails.preferred, session.ids[contact.id])
    }
    return table.lines(session)
  }
}

/// One contact in full: a line for each field that is set.
struct ContactCard {
  private let contact: Contact

  init(_ contact: Contact) { self.contact = contact }

  func lines(_ session: Session) -> [String] {
    Details(title: self.contact.shownName, rows: self.rows(session)).lines(session.console.style)
  }

  /// How to reach the contact, and its days, under the heading of the person it is linked to.
  func ways(_ session: Session) -> [String] {
    let contact = self.contact
    let rows: [Details.Row] =
      [("Birthday", contact.birthday)] + Self.labelled("Date", contact.dates) + Self.labelled("Phone", contact.phones)
      + Self.labelled("Email", contact.emails) + Self.labelled("Message", contact.impps)
      + contact.addresses.map { (Self.label("Address", $0.label), Self.address($0)) }
      + [("Organisation", contact.organization), ("Source", contact.source), ("Contact ID", contact.id)]
    return Details(title: contact.shownName, rows: rows).lines(session.console.style)
  }

  private func rows(_ session: Session) -> [Details.Row] {
    let contact = self.contact
    var rows: [Details.Row] = [
      ("Nickname", contact.nickname), ("Phonetic", self.phonetic), ("Organisation", contact.organization),
      ("Department", contact.department), ("Title", contact.title), ("Role", contact.role),
      ("Birthday", contact.birthday),
    ]
    rows += Self.labelled("Date", contact.dates) + Self.labelled("Phone", contact.phones)
    rows += Self.labelled("Email", contact.emails) + Self.labelled("Message", contact.impps)
    rows += contact.addresses.map { (Self.label("Address", $0.label), Self.address($0)) }
    rows += Self.labelled("Web", contact.urls) + Self.labelled("Related", contact.related)
    rows += [
      ("Categories", contact.categories.joined(separator: ", ")), ("Note", contact.note),
      ("Photo", contact.hasPhoto ? "\(contact.photo.mediaType), \(Count.bytes(contact.photo.size))" : contact.photoUri),
      ("Source", [contact.source, contact.sourceIdentifier].filter { !$0.isEmpty }.joined(separator: ", ")),
      ("Updated", RelativeTime.words(contact.updatedAt, now: session.now)),
    ]
    if contact.hasDeletedAt {
      rows.append(("Deleted", RelativeTime.words(contact.deletedAt, now: session.now)))
    } else if contact.hasMissingSince {
      rows.append(
        ("Missing", "gone from the source \(RelativeTime.words(contact.missingSince, now: session.now)), kept"))
    }
    if contact.stale { rows.append(("Attention", "the card can no longer be read; this is its last good state")) }
    rows.append(("ID", session.ids[contact.id]))
    return rows
  }

  private var phonetic: String {
    [self.contact.name.phoneticGiven, self.contact.name.phoneticMiddle, self.contact.name.phoneticFamily]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func labelled(_ kind: String, _ values: [LabeledValue]) -> [Details.Row] {
    values.map { (Self.label(kind, $0.label), $0.value) }
  }

  private static func label(_ kind: String, _ label: String) -> String { label.isEmpty ? kind : "\(kind) (\(label))" }

  private static func address(_ address: Address) -> String {
    if !address.formatted.isEmpty { return address.formatted }
    let town = [address.postalCode, address.city].filter { !$0.isEmpty }.joined(separator: " ")
    return [
      address.poBox, address.extended, address.street, address.subLocality, town, address.region, address.country,
    ]
    .filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
