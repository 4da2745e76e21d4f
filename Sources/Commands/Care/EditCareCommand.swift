internal import ArgumentParser
internal import KithMessages

struct EditCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Correct an entry. Its earlier version is kept.",
    discussion: "Example: kith care edit 0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10 --memo 'one tablet'")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "The entry's id.")
  var id: String

  @Option(help: "The new memo; '' for none.")
  var memo: String?

  @Option(help: "The new transcript.")
  var transcript: String?

  @Option(help: "Another category.")
  var category: String?

  @OptionGroup var moment: MomentOption

  @Option(help: "Who recorded it.")
  var recorder: String?

  @Option(help: "The name of the person who corrects it.")
  var by = ""

  func carryOut(_ session: Session) async throws {
    var request = UpdateCareRequest()
    request.record.id = self.id
    request.correctedBy = self.by
    func set(_ field: String, _ value: String?, _ path: WritableKeyPath<CareRecord, String>) {
      guard let value else { return }
      request.record[keyPath: path] = value
      request.fields.append(field)
    }
    set("memo", self.memo, \.memo)
    set("transcript", self.transcript, \.transcript)
    set("category", self.category, \.category)
    set("recorder", self.recorder, \.recorder)
    if let time = try self.moment.moment(session) {
      request.record.occurredAt = time
      request.fields.append("occurred_at")
    }
    let reply = try await session.ask(request)
    try session.show(reply, CareCard(reply.record).lines(session))
  }
}
