internal import ArgumentParser
internal import KithMessages

struct RecordCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Record an entry with a memo.",
    discussion: "Example: kith care record medication two tablets after breakfast")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "medication, meal, toileting, medical_visit or free_memo.")
  var category: String

  @Argument(help: "What was done or seen.")
  var memo: [String] = []

  @OptionGroup var moment: MomentOption

  @Option(help: "The name of the person who records. Default: as configured.")
  var recorder = ""

  func carryOut(_ session: Session) async throws {
    var request = RecordCareRequest()
    request.category = self.category
    request.memo = self.memo.joined(separator: " ")
    request.recorder = self.recorder
    if let time = try self.moment.moment(session) { request.occurredAt = time }
    let reply = try await session.ask(request)
    try session.show(reply, CareCard(reply.record).lines(session))
  }
}
