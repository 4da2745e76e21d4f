internal import ArgumentParser

struct CareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "care", abstract: "The record of home care, spoken or typed.",
    discussion: "Example: kith care voice --category meal --seconds 20",
    subcommands: [
      RecordCareCommand.self, VoiceCareCommand.self, ListCareCommand.self, ShowCareCommand.self, EditCareCommand.self,
      ConfirmCareCommand.self, DeleteCareCommand.self, RestoreCareCommand.self, SearchCareCommand.self,
      PlayCareCommand.self, AudioCareCommand.self, RetryCareCommand.self, SummaryCareCommand.self,
      ShareCareCommand.self, ExportCareCommand.self,
      CareSettingsCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}
