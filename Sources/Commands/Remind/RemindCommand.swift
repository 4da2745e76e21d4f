internal import ArgumentParser

struct RemindCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remind", abstract: "Reminders: the daily one to record care, and those to call somebody.",
    discussion: "Example: kith remind daily 21:00",
    subcommands: [
      DailyReminderCommand.self, ReminderStatusCommand.self, CallReminderCommand.self, ListRemindersCommand.self,
      ReminderSettingsCommand.self, SnoozeReminderCommand.self, DoneReminderCommand.self, RemoveReminderCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}
