internal import ArgumentParser
internal import Bus
internal import KithMessages

/// The options of a person besides the first name.
struct PersonArguments: RecordArguments {
  @Option(help: "The last name.")
  var lastName: String?

  @Option(help: "Middle names.")
  var middleName: String?

  @Option(help: "The nickname.")
  var nickname: String?

  @Option(help: "The gender, one that `kith monica catalog gender` lists.")
  var gender: String?

  @Option(parsing: .unconditional, help: "Who they are, in a few words.")
  var description: String?

  @Option(parsing: .unconditional, help: "YYYY-MM-DD, --MM-DD without the year, ~YYYY if only the age is known.")
  var birthday: String?

  @Flag(inversion: .prefixedNo, help: "Whether Monica reminds of the birthday.")
  var birthdayReminder: Bool?

  @Flag(inversion: .prefixedNo, help: "Whether they have died.")
  var dead: Bool?

  @Option(parsing: .unconditional, help: "When they died, as a birthday is written.")
  var deceasedOn: String?

  @Option(help: "The job.")
  var job: String?

  @Option(help: "The company.")
  var company: String?

  @Option(help: "Food that they like or avoid.")
  var food: String?

  @Option(help: "How you met.")
  var met: String?

  @Option(help: "A tag; may be repeated. With `edit`, they replace all tags; '' removes all.")
  var tag: [String] = []

  func fill(_ changes: inout Changes<Person>, _ session: Session) throws(Failure) {
    changes.set(\.lastName, "last_name", self.lastName)
    changes.set(\.middleName, "middle_name", self.middleName)
    changes.set(\.nickname, "nickname", self.nickname)
    changes.set(\.gender, "gender", self.gender)
    changes.set(\.description_p, "description", self.description)
    changes.set(\.birthday, "birthday", self.birthday)
    changes.set(\.birthdayReminder, "birthday_reminder", self.birthdayReminder)
    changes.set(\.isDead, "is_dead", self.dead)
    changes.set(\.deceasedOn, "deceased_on", self.deceasedOn)
    changes.set(\.job, "job", self.job)
    changes.set(\.company, "company", self.company)
    changes.set(\.foodPreferences, "food_preferences", self.food)
    changes.set(\.howMet, "how_met", self.met)
    changes.set(\.tags, "tags", all: self.tag)
  }
}

/// A new person.
struct NewPersonArguments: RecordArguments {
  @Argument(help: "The first name.")
  var firstName: String

  @OptionGroup var person: PersonArguments

  func fill(_ changes: inout Changes<Person>, _ session: Session) throws(Failure) {
    changes.set(\.firstName, "first_name", self.firstName)
    try self.person.fill(&changes, session)
  }
}

/// The fields of a person that `edit` changes.
struct PersonEdits: RecordArguments {
  @Option(help: "The first name.")
  var firstName: String?

  @OptionGroup var person: PersonArguments

  func fill(_ changes: inout Changes<Person>, _ session: Session) throws(Failure) {
    changes.set(\.firstName, "first_name", self.firstName)
    try self.person.fill(&changes, session)
  }
}
