internal import ArgumentParser
internal import KithMessages

struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Calls with people.",
    discussion: """
      People are named by id, or by a name that only one of them has.
      Example: kith call log ann --duration 25 --emotion happy --note 'About the garden'
      """,
    subcommands: [
      LogCallCommand.self, QuickCallCommand.self, StartCallCommand.self, StopCallCommand.self, ListCallsCommand.self,
      ShowRecordCommand<Call>.self, EditRecordCommand<CallArguments>.self, DeleteCallsCommand.self,
      RestoreCallCommand.self, SearchCallsCommand.self, CallTimelineCommand.self, CallStatsCommand.self,
      SuggestCallsCommand.self, ExportCallsCommand.self, CallTemplateCommand.self, CallAttachmentCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}
