internal import ArgumentParser

struct PeopleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people", abstract: "People and everything that belongs to them.",
    discussion: """
      People are named by id, or by a name that only one of them has.
      Example: kith people show ann
      """,
    subcommands: [
      ListPeopleCommand.self, SearchPeopleCommand.self, ShowPersonCommand.self, PersonTimelineCommand.self,
      PersonPhotoCommand.self,
      AddRecordCommand<NewPersonArguments>.self, EditRecordCommand<PersonEdits>.self, DeletePersonCommand.self,
      PersonFieldCommand.self, PersonAddressCommand.self, PersonReminderCommand.self, LinkPersonCommand.self,
      UnlinkPersonCommand.self, DismissLinkCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}
