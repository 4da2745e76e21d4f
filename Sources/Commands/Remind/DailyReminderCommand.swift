internal import ArgumentParser
internal import KithMessages

struct DailyReminderCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "daily", abstract: "Set the daily reminder to record care, or turn it off.",
    discussion: """
      A time that has passed today comes tomorrow.
      Example: kith remind daily 21:00 --time-zone Asia/Tokyo
      Example: kith remind daily off
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "HH:MM, or off.")
  var time: String

  @Option(help: "Its time zone, such as Asia/Tokyo; system for the hub's.")
  var timeZone = ""

  @Flag(inversion: .prefixedNo, help: "Only on days on which nothing was recorded.")
  var onlyIfNothingRecorded: Bool?

  @Option(help: "How many minutes late it may come, at most 1440.")
  var catchUp: UInt32 = 0

  func carryOut(_ session: Session) async throws {
    var request = SetDailyReminderRequest()
    request.enabled = self.time != "off"
    if request.enabled { request.time = self.time }
    request.timeZone = self.timeZone
    if let onlyIfNothingRecorded { request.onlyIfNothingRecorded = onlyIfNothingRecorded }
    request.catchUpMinutes = self.catchUp
    let daily = try await session.ask(request)
    try session.show(daily, [daily.words(session)])
  }
}
