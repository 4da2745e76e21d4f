internal import KithMessages

/// Contacts as table rows.
struct ContactTable {
  private let contacts: [Contact]

  init(_ contacts: [Contact]) { self.contacts = contacts }

  func lines(_ session: Session) -> [String] {
    guard !self.contacts.isEmpty else { return [session.language("No contacts found.", "連絡先はありません。")] }
    var table = Table([
      Column("NAME", "名前", wraps: true), Column("PHONE", "電話", drops: 2), Column("EMAIL", "メール", drops: 1),
      Column("ID"),
    ])
    for contact in self.contacts {
      let name =
        contact.hasDeletedAt ? contact.shownName + session.language(" (deleted)", " (削除済み)") : contact.shownName
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
    Details(title: self.contact.shownName, rows: self.rows(session), links: self.links).lines(session)
  }

  /// How to reach the contact, and its days, under the heading of the person it is linked to.
  func ways(_ session: Session) -> [String] {
    let (contact, say) = (self.contact, session.language)
    let rows: [Details.Row] =
      [(say("Birthday", "誕生日"), contact.birthday)] + Self.labelled(say("Date", "日付"), contact.dates, say)
      + Self.labelled(say("Phone", "電話"), contact.phones, say)
      + Self.labelled(say("Email", "メール"), contact.emails, say)
      + Self.labelled(say("Message", "メッセージ"), contact.impps, say)
      + contact.addresses.map { (Self.label(say("Address", "住所"), $0.label, say), Self.address($0)) }
      + [
        (say("Organisation", "組織"), contact.organization), (say("Source", "取り込み元"), contact.source),
        (say("Contact ID", "連絡先の ID"), session.ids[contact.id]),
      ]
    return Details(title: contact.shownName, rows: rows, links: self.links).lines(session, indent: 2)
  }

  private var links: [String: ReachLink] {
    let ways = [("phone", self.contact.phones), ("email", self.contact.emails), ("web", self.contact.urls)]
    return ways.reduce(into: [:]) { links, way in
      for value in way.1 { links[value.value] = ReachLink(type: way.0, data: value.value) }
    }
  }

  private func rows(_ session: Session) -> [Details.Row] {
    let (contact, say) = (self.contact, session.language)
    var rows: [Details.Row] = [
      (say("Nickname", "ニックネーム"), contact.nickname), (say("Phonetic", "読み"), self.phonetic),
      (say("Organisation", "組織"), contact.organization),
      (say("Department", "部署"), contact.department), (say("Title", "肩書き"), contact.title),
      (say("Role", "役割"), contact.role),
      (say("Birthday", "誕生日"), contact.birthday),
    ]
    rows +=
      Self.labelled(say("Date", "日付"), contact.dates, say) + Self.labelled(say("Phone", "電話"), contact.phones, say)
    rows +=
      Self.labelled(say("Email", "メール"), contact.emails, say)
      + Self.labelled(say("Message", "メッセージ"), contact.impps, say)
    rows += contact.addresses.map { (Self.label(say("Address", "住所"), $0.label, say), Self.address($0)) }
    rows +=
      Self.labelled(say("Web", "ウェブ"), contact.urls, say) + Self.labelled(say("Related", "関係者"), contact.related, say)
    rows += [
      (say("Categories", "分類"), contact.categories.joined(separator: ", ")), (say("Note", "メモ"), contact.note),
      (
        say("Photo", "写真"),
        contact.hasPhoto ? "\(contact.photo.mediaType), \(Count.bytes(contact.photo.size))" : contact.photoUri
      ),
      (
        say("Source", "取り込み元"),
        [contact.source, contact.sourceIdentifier].filter { !$0.isEmpty }.joined(separator: ", ")
      ),
      (say("Updated", "更新"), session.relative(contact.updatedAt)),
    ]
    if contact.hasDeletedAt {
      rows.append((say("Deleted", "削除"), session.relative(contact.deletedAt)))
    } else if contact.hasMissingSince {
      rows.append(
        (
          say("Missing", "見つからない"),
          say(
            "gone from the source \(session.relative(contact.missingSince)), kept",
            "\(session.relative(contact.missingSince))に取り込み元からなくなりましたが、残しています")
        ))
    }
    if contact.stale {
      rows.append(
        (
          say("Attention", "注意"),
          say("the card can no longer be read; this is its last good state", "カードを読めなくなりました。最後に読めた内容です")
        ))
    }
    rows.append(("ID", session.ids[contact.id]))
    return rows
  }

  private var phonetic: String {
    [self.contact.name.phoneticGiven, self.contact.name.phoneticMiddle, self.contact.name.phoneticFamily]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func labelled(_ kind: String, _ values: [LabeledValue], _ say: Language) -> [Details.Row] {
    values.map { (Self.label(kind, $0.label, say), $0.value) }
  }

  private static func label(_ kind: String, _ label: String, _ say: Language) -> String {
    label.isEmpty ? kind : "\(kind) (\(AddressBookLabel.words(label, say)))"
  }

  private static func address(_ address: Address) -> String {
    if !address.formatted.isEmpty { return address.formatted }
    let town = [address.postalCode, address.city].filter { !$0.isEmpty }.joined(separator: " ")
    return [
      address.poBox, address.extended, address.street, address.subLocality, town, address.region, address.country,
    ]
    .filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
