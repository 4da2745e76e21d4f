internal import ArgumentParser
internal import Bus
internal import KithMessages

struct PersonFieldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "field", abstract: "Ways to reach people: numbers, email addresses, accounts.",
    discussion: "Example: kith people field add ann email ann@example.com --label work",
    subcommands: [
      AddRecordCommand<Owned<NewFieldArguments>>.self, EditRecordCommand<FieldEdits>.self,
      DeleteRecordCommand<ContactField>.self,
    ])

  @OptionGroup var global: GlobalOptions
}

/// A new contact field.
struct NewFieldArguments: RecordArguments {
  @Argument(help: "email, phone, or another type that `kith monica catalog contact_field_type` lists.")
  var type: String

  @Argument(help: "The number, the address or the name of the account.")
  var data: String

  @Option(help: "home, work, cell or a word of your own; may be repeated.")
  var label: [String] = []

  func fill(_ changes: inout Changes<ContactField>, _ session: Session) throws(Failure) {
    changes.set(\.type, "type", self.type)
    changes.set(\.data, "data", self.data)
    changes.set(\.labels, "labels", all: self.label)
  }
}

/// The parts of a contact field that `edit` changes.
struct FieldEdits: RecordArguments {
  @Option(help: "email, phone, or another type that `kith monica catalog contact_field_type` lists.")
  var type: String?

  @Option(help: "The number, the address or the name of the account.")
  var data: String?

  @Option(help: "home, work, cell or a word of your own, replacing the earlier ones; may be repeated.")
  var label: [String] = []

  func fill(_ changes: inout Changes<ContactField>, _ session: Session) throws(Failure) {
    changes.set(\.type, "type", self.type)
    changes.set(\.data, "data", self.data)
    changes.set(\.labels, "labels", all: self.label)
  }
}

extension ContactField: OwnedRecord {
  typealias Creation = CreateContactFieldRequest
  typealias Change = UpdateContactFieldRequest
  typealias Deletion = DeleteContactFieldRequest

  static let noun = Noun(
    command: "people field", singular: "contact field", plural: "contact fields", japanese: "連絡の取り方",
    newExample: "ann email ann@example.com --label work", changeExample: "--data ann@example.org")
  static let headings: [Column] = [
    Column("TYPE", "種類"), Column("VALUE", "連絡先", wraps: true), Column("LABELS", "ラベル", drops: 1),
  ]

  var links: [String: ReachLink] {
    ReachLink(type: self.type, data: self.data).map { [self.data: $0] } ?? [:]
  }

  func headline(_ names: PersonNames, _ say: Language) -> String { self.data }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    return [
      (say("Person", "人"), names[self.personID]),
      (say("Type", "種類"), CommonName.words(.contactFieldType, self.type, say)),
      (say("Labels", "ラベル"), AddressBookLabel.words(self.labels, say)),
    ]
  }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    let say = session.language
    return [CommonName.words(.contactFieldType, self.type, say), self.data, AddressBookLabel.words(self.labels, say)]
  }
}
