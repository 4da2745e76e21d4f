internal import ArgumentParser
internal import Bus
internal import KithMessages

struct PersonAddressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "address", abstract: "Where people live and work.",
    discussion: "Example: kith people address add ann --street '1 High St' --city London --country GB",
    subcommands: [
      AddRecordCommand<Owned<AddressArguments>>.self, EditRecordCommand<AddressArguments>.self,
      DeleteRecordCommand<PersonAddress>.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct AddressArguments: RecordArguments {
  @Option(help: "What the place is called, such as Home.")
  var name: String?

  @Option(help: "Street and number.")
  var street: String?

  @Option(help: "The city.")
  var city: String?

  @Option(help: "The province or state.")
  var province: String?

  @Option(help: "The postal code.")
  var postalCode: String?

  @Option(help: "The country as two letters, such as GB.")
  var country: String?

  @Option(parsing: .unconditional, help: "Degrees north, such as 51.5.")
  var latitude: String?

  @Option(parsing: .unconditional, help: "Degrees east, such as -0.12.")
  var longitude: String?

  @Option(help: "home, work or a word of your own; may be repeated.")
  var label: [String] = []

  func fill(_ changes: inout Changes<PersonAddress>, _ session: Session) throws(Failure) {
    changes.set(\.name, "name", self.name)
    changes.set(\.street, "street", self.street)
    changes.set(\.city, "city", self.city)
    changes.set(\.province, "province", self.province)
    changes.set(\.postalCode, "postal_code", self.postalCode)
    changes.set(\.country, "country", self.country)
    changes.set(\.latitude, "latitude", self.latitude)
    changes.set(\.longitude, "longitude", self.longitude)
    changes.set(\.labels, "labels", all: self.label)
  }
}

extension PersonAddress: OwnedRecord {
  typealias Creation = CreatePersonAddressRequest
  typealias Change = UpdatePersonAddressRequest
  typealias Deletion = DeletePersonAddressRequest

  static let noun = Noun(
    command: "people address", singular: "address", plural: "addresses", japanese: "住所",
    newExample: "ann --street '1 High St' --city London", changeExample: "--postal-code N1")
  static let headings: [Column] = [
    Column("NAME", "名前"), Column("ADDRESS", "住所", wraps: true), Column("LABELS", "ラベル", drops: 1),
  ]

  func headline(_ names: PersonNames, _ say: Language) -> String {
    self.name.isEmpty ? self.line : "\(self.name): \(self.line)"
  }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    let place = [self.latitude, self.longitude].filter { !$0.isEmpty }.joined(separator: ", ")
    return [
      (say("Person", "人"), names[self.personID]), (say("Place", "位置"), place),
      (say("Labels", "ラベル"), AddressBookLabel.words(self.labels, say)),
    ]
  }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    [self.name, self.line, AddressBookLabel.words(self.labels, session.language)]
  }

  private var line: String {
    let town = [self.postalCode, self.city].filter { !$0.isEmpty }.joined(separator: " ")
    return [self.street, town, self.province, self.country].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
