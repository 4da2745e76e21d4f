internal import KithMessages

/// Contacts as rows.
struct ContactTable {
  private let contacts: [Contact]

  init(_ contacts: [Contact]) { self.contacts = contacts }

  func lines(_ style: Style) -> [String] {
    guard !self.contacts.isEmpty else { return ["No contacts found."] }
    var table = Table(("NAME", .left), ("PHONE", .left), ("EMAIL", .left), ("ID", .left))
    for contact in self.contacts {
      let name = contact.hasDeletedAt ? "\(contact.shownName) (deleted)" : contact.shownName
      table.add(name, contact.phones.preferred, contact.emails.preferred, contact.id)
    }
    return table.lines(style)
  }
}

extension Contact {
  /// What to call a contact: a card without a name has something else to go by.
  var shownName: String {
    [self.formattedName, self.nickname, self.organization, self.emails.preferred, self.phones.preferred]
      .first { !$0.isEmpty } ?? "(no name)"
  }
}

extension [LabeledValue] {
  /// The value that is preferred, else the first.
  var preferred: String { (self.filter { $0.pref > 0 }.min { $0.pref < $1.pref } ?? self.first)?.value ?? "" }
}
