internal import ArgumentParser
internal import Bus
internal import Foundation
internal import KithClient
internal import KithMessages

struct VoiceCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "voice", abstract: "Record an entry by voice: from the microphone, or from a file.",
    discussion: """
      The sound is sent to kithd while it is recorded, and deleted once its transcript is stored. Ctrl-C ends the recording, a \
      second Ctrl-C the wait for the transcript. Exits with 1 if nothing was transcribed; the entry is kept.
      Example: kith care voice --category medication --seconds 20
      Example: ssh phone cat note.ogg | kith care voice --file -
      """)

  @OptionGroup var global: GlobalOptions

  @Option(help: "The category. Default: taken from the first words.")
  var category = ""

  @Option(help: "A recording to use instead of the microphone; - for standard input.", completion: .file())
  var file: String?

  @Option(help: "How long to record, at most 300.")
  var seconds = 60

  @Option(help: "A program that writes a WAV to standard output, instead of arecord or pw-record.")
  var command: String?

  @Option(help: "The spoken language, such as en-US or ja-JP. Default: as configured.")
  var language = ""

  @Option(help: "The name of the person who records.")
  var recorder = ""

  @OptionGroup var moment: MomentOption

  @Flag(inversion: .prefixedNo, help: "Wait for the transcript.")
  var wait = true

  @Option(help: "How many seconds to wait for the transcript.")
  var timeout = 300

  func validate() throws {
    guard (1...300).contains(self.seconds) else { throw ValidationError("--seconds takes a number from 1 to 300.") }
    guard (1...86_400).contains(self.timeout) else {
      throw ValidationError("--timeout takes a number of seconds from 1 to 86400.")
    }
  }

  func run(_ session: Session) async throws {
    var start = StartVoiceRequest()
    start.category = CareCategory.name(typed: self.category)
    start.language = self.language
    start.recorder = self.recorder
    if let time = try self.moment.moment(session) { start.occurredAt = time }
    let sound: any SoundInput
    if let file { sound = try SoundStream(path: file) } else { sound = try Microphone(command: self.command) }
    // The subscription begins with a snapshot, so a change before the wait is not missed.
    let changes = self.wait ? try session.client.events(["care"]) : nil
    var stop = StopVoiceRequest()
    do throws(Failure) {
      try await self.send(sound, as: start, session) { stop.id = $0 }
      await sound.finish()
    } catch {
      await sound.finish()
      // What was sent stays an entry.
      if !stop.id.isEmpty { _ = try? await session.ask(stop) }
      throw error
    }
    let stopped = try await session.ask(stop)
    guard let changes else { return try await session.show(stopped, CareCard(stopped.record).lines(session)) }
    let reply = try await TranscriptWait(session).entry(stop.id, changes, for: .seconds(self.timeout))
    try await session.show(reply, CareCard(reply.record).lines(session))
    guard reply.record.isInWords else {
      if !session.isJSON { session.console.printError("kith: \(reply.record.hint(session))") }
      throw ExitCode(ExitStatus.failed.rawValue)
    }
  }

  /// Begins the entry with the first sound, so that a recording of nothing leaves none, and sends the sound as it arrives. What was
  /// sent is kept, even if the rest cannot be read.
  ///
  /// - Parameter begin: Called with the id of the entry.
  private func send(
    _ sound: any SoundInput, as start: StartVoiceRequest, _ session: Session, _ begin: (String) -> Void
  ) async throws(Failure) {
    var request = AppendVoiceRequest()
    try await Recording(sound: sound, seconds: self.seconds, isFromMicrophone: self.file == nil).run(session) {
      piece throws(Failure) in
      if request.id.isEmpty {
        request.id = try await session.ask(start).record.id
        begin(request.id)
      }
      request.offset = try await session.client.call(request, CallContext(attachments: [piece])).reply.nextOffset
    }
  }
}

struct RetryCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Transcribe the kept recording of an entry again.",
    discussion: "Example: kith care retry last --language ja-JP")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<CareRecord>

  @Option(help: "The spoken language. Default: as before.")
  var language = ""

  func run(_ session: Session) async throws {
    var request = TranscribeAgainRequest()
    request.id = try await self.target.id(session)
    request.language = self.language
    let reply = try await session.ask(request)
    try await session.show(reply, CareCard(reply.record).lines(session))
  }
}
