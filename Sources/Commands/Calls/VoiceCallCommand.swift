internal import ArgumentParser
internal import Bus
internal import KithClient
internal import KithMessages
internal import SwiftProtobuf

struct VoiceCallCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "voice", abstract: "Record a voice note from the microphone, and keep it with a call.",
    discussion: """
      Ctrl-C ends the recording. `kith call attachment` writes it to a file.
      Example: kith call voice last --seconds 30
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<Call>

  @Option(help: "How long to record, at most 300.")
  var seconds = 60

  @Option(help: "A program that writes a WAV to standard output, instead of arecord or pw-record.")
  var command: String?

  func validate() throws {
    guard (1...300).contains(self.seconds) else { throw ValidationError("--seconds takes a number from 1 to 300.") }
  }

  func run(_ session: Session) async throws {
    var lookup = GetCallRequest()
    lookup.id = try await self.target.id(session)
    let call = try await session.ask(lookup)
    let sound = try Microphone(command: self.command)
    var bytes: [UInt8] = []
    do {
      try await Recording(sound: sound, seconds: self.seconds, isFromMicrophone: true).run(session) { bytes += $0 }
    } catch {
      await sound.finish()
      throw error
    }
    await sound.finish()
    let file = try TemporaryFile()
    try file.write(WaveHeader.corrected(bytes))
    var request = UpdateCallRequest()
    request.record.id = call.id
    request.record.attachments = call.attachments + [try await session.upload(file.upload("audio/wav"))]
    request.fields = ["attachments"]
    request.ifUpdatedAt = call.updatedAt
    try await session.show(
      try await session.ask(request),
      after: session.language("The voice note is kept with the call.", "録音を電話の記録に付けました。"))
  }
}
