internal import ArgumentParser
internal import Bus
internal import KithMessages

extension Person: RestorableRecord {
  typealias Creation = CreatePersonRequest
  typealias Change = UpdatePersonRequest
  typealias Deletion = DeletePersonRequest
  typealias Restoration = RestorePersonRequest
  typealias Reference = PersonReference

  static let noun = Noun(
    command: "people", singular: "person", plural: "people", japanese: "人",
    newExample: "Ann --last-name Lee --birthday 1980-05-17",
    changeExample: "--company Acme")
  static let headings: [Column] = [
    Column("NAME", "名前", wraps: true), Column("NICKNAME", "ニックネーム", drops: 1), Column("COMPANY", "会社", drops: 2),
    Column("LAST CONTACT", "最後の連絡", drops: 4),
    Column("LAST CALL", "最後の電話", drops: 5), Column("TAGS", "タグ", drops: 3),
  ]

  static func words(about id: String, _ session: Session) async -> String {
    var names = PersonNames()
    await names.learn(id, session)
    return names[id] == id ? "" : names[id]
  }

  func headline(_ names: PersonNames, _ say: Language) -> String {
    self.shownName
  }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    return [
      (say("Nickname", "ニックネーム"), self.nickname), (say("Gender", "性別"), CommonName.words(.gender, self.gender, say)),
      (say("About", "説明"), self.description_p),
      (say("Birthday", "誕生日"), self.birthday),
      (say("Died", "亡くなった日"), self.isDead ? (self.deceasedOn.isEmpty ? say("yes", "はい") : self.deceasedOn) : ""),
      (say("Job", "仕事"), self.job), (say("Company", "会社"), self.company), (say("Food", "食べ物"), self.foodPreferences),
      (say("Met", "出会い"), self.howMet),
      (say("Tags", "タグ"), self.tags.isEmpty ? say("No tags", "なし") : self.tags.joined(separator: ", ")),
      (say("Last contact", "最後の連絡"), session.ago(self.lastInteractionAt)),
      (say("Last call", "最後の電話"), session.ago(self.lastCalledAt)),
      (
        say("Stay in touch", "連絡の間隔"),
        self.stayInTouchDays == 0
          ? "" : say("every \(Count.of(Int(self.stayInTouchDays), "day"))", "\(self.stayInTouchDays)日ごと")
      ),
      (say("Photo", "写真"), self.photo.size > 0 ? "\(self.photo.mediaType), \(Count.bytes(self.photo.size))" : ""),
      (say("Kept as", "登録"), self.kinds(say).joined(separator: ", ")),
    ]
  }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    let say = session.language
    let kinds = self.kinds(say).isEmpty ? "" : " (\(self.kinds(say).joined(separator: ", ")))"
    let lastCall =
      session.ago(self.lastCalledAt) + (names.overdue.contains(self.id) ? say(" (overdue)", " (間が空いています)") : "")
    return [
      self.headline(names, say) + kinds, self.nickname, self.company,
      session.relative(self.lastInteractionAt), lastCall,
      self.tags.joined(separator: ", "),
    ]
  }

  /// What is special about a person in a list.
  private func kinds(_ say: Language) -> [String] {
    [
      self.isMe ? say("you", "自分") : nil, self.isStarred ? say("starred", "スター") : nil,
      self.isArchived ? say("archived", "アーカイブ") : nil,
      self.isPartial ? say("known through others", "ほかの人の知り合い") : nil,
    ].compactMap { $0 }
  }
}

/// A person, by id or by a name that only one has.
struct PersonReference: NameReference {
  static let help = ArgumentHelp("The person: an id, or a name that only one has.", valueName: "person")
  static let example = "ann"
  typealias Target = Person
  static var defaultCompletionKind: CompletionKind { Completion.people }

  let text: String

  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    let hits = try await session.whoIs(self.text)
    let people = hits.filter(\.hasPerson).map { $0.candidate($0.person.id) }
    guard people.isEmpty, let contact = hits.first?.contact else { return people }
    throw self.nothingRecorded(contact, session)
  }

  func identified(_ session: Session, isDeleted: Bool) async throws(Failure) -> [String] {
    guard !isDeleted else {
      return try await IDText(text: self.text, kind: Person.idKind).candidates(session, isDeleted: true) ?? []
    }
    let found = try await session.whoHas(id: self.text)
    let people = found.filter(\.hasPerson).map(\.person.id)
    guard people.isEmpty, let contact = found.first?.contact else { return people }
    throw self.nothingRecorded(contact, session)
  }

  private func nothingRecorded(_ contact: Contact, _ session: Session) -> Failure {
    let name = Printable.text(contact.shownName)
    return Failure.unknownRecord(
      self.text,
      session.language(
        "Nothing is recorded about \(name) of the address book yet. To see the contact: kith contacts show '\(name)'",
        "アドレス帳の\(name)には、まだ記録がありません。連絡先を見るには: kith contacts show '\(name)'")
    ).worded
  }

  func deletedCandidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    var request = ListPeopleRequest()
    request.includeDeleted = true
    return try await session.askAll(request).people.filter(\.hasDeletedAt).map(Self.candidate)
  }

  private static func candidate(_ person: Person) -> NameMatch.Candidate {
    .init(id: person.id, shown: person.shownName, names: person.names)
  }
}
