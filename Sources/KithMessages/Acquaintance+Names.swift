extension Acquaintance {
  /// The name; a contact without one is called by its nickname, organisation, email or phone.
  public var shownName: String { self.name.isEmpty ? self.contact.shownName : self.name }

  /// All names by which somebody may call them.
  public var names: [String] {
    let contact = self.contact
    return [self.shownName] + self.person.names
      + [
        contact.formattedName,
        contact.nickname, contact.name.given, "\(contact.name.given) \(contact.name.family)",
        "\(contact.name.family) \(contact.name.given)",
      ].filter { !$0.isEmpty && $0 != " " }
  }
}

extension WhoReply {
  /// Those who were found, the ones with misspelt names only if there are no others.
  public var likely: [Acquaintance] {
    let sure = self.hits.filter { $0.foundBy != "misspelt" }
    return sure.isEmpty ? self.hits : sure
  }
}

extension [Acquaintance] {
  /// Those about whom something may be recorded: people come before contacts of whom nothing is recorded yet.
  public var peopleFirst: [Acquaintance] {
    let people = self.filter(\.hasPerson)
    return people.isEmpty ? self : people
  }
}

extension Contact {
  /// The name of a contact; a card without one is called by its nickname, organisation, email or phone.
  public var shownName: String {
    [self.formattedName, self.nickname, self.organization, self.emails.preferred, self.phones.preferred]
      .first { !$0.isEmpty } ?? "(no name)"
  }
}

extension [LabeledValue] {
  /// The preferred value, else the first.
  public var preferred: String { (self.filter { $0.pref > 0 }.min { $0.pref < $1.pref } ?? self.first)?.value ?? "" }
}

extension String {
  /// A name by which two spellings are the same: without regard to case and blanks.
  public var foldedName: String { self.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
