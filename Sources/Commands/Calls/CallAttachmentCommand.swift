internal import ArgumentParser
internal import Bus
internal import KithMessages

struct CallAttachmentCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "attachment", abstract: "Write a voice note or photo of a call to a file.",
    discussion: "Example: kith call attachment \(RecordID.example) -o note.m4a")

  @OptionGroup var global: GlobalOptions

  @Argument(help: RecordID.help)
  var target: RecordID

  @Option(help: "Its number, as `kith call show` counts them.")
  var number = 1

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  func run(_ session: Session) async throws {
    var request = GetCallRequest()
    request.id = try await self.target.id(session)
    let attachments = try await session.ask(request).attachments
    guard attachments.indices.contains(self.number - 1) else {
      throw Failure(
        .notFound, "ATTACHMENT_MISSING",
        attachments.isEmpty
          ? "This call has no attachments." : "This call has \(Count.of(attachments.count, "attachment")).")
    }
    try await session.save(attachments[self.number - 1], to: self.output)
  }
}
