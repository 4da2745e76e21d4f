internal import ArgumentParser
internal import CivilTime
internal import KithMessages

struct CallReminderCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Create a reminder to call a person.",
    discussion: """
      Example: kith remind call Ann --in 10
      Example: kith remind call Ann --on '2026-12-24 18:00'
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: PersonReference.help)
  var person: PersonReference

  @Option(name: .customLong("in"), help: "In how many days.")
  var days: UInt32 = 0

  @Option(help: "On a day as YYYY-MM-DD, at 10:00 or with a time.")
  var on = ""

  @Option(help: "What it is about.")
  var note = ""

  func carryOut(_ session: Session) async throws {
    var request = AddCallReminderRequest()
    request.personID = try await self.person.id(session)
    request.inDays = self.days
    request.on = self.on
    request.note = self.note
    request.timeZone = session.zone.name
    let reminder = try await session.ask(request)
    try session.show(reminder, ReminderTable([reminder], empty: "").lines(session))
  }
}
