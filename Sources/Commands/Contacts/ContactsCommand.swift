internal import ArgumentParser

struct ContactsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "contacts", abstract: "Contacts and the sources they come from.",
    discussion: "Example: kith contacts list --limit 20",
    subcommands: [
      ListContactsCommand.self, ShowContactCommand.self, SearchContactsCommand.self, ContactPhotoCommand.self,
      RestoreContactCommand.self, ExportContactsCommand.self, SyncContactsCommand.self, ContactsStatusCommand.self,
      ContactProblemsCommand.self, SourceCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}
