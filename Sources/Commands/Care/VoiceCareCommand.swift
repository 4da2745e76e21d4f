internal import ArgumentParser
internal import Bus
internal import Foundation
internal import KithClient
internal import KithMessages

struct VoiceCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "voice", abstract: "Record an entry by voice: from the microphone, or from a file.",
    discussion: """
      The sound goes to kithd while it is recorded, and is deleted when its words are stored. Ctrl-C ends the recording.
      Example: kith care voice --category medication --seconds 20
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Option(help: "What it is about; when left out, the first words say it.")
  var category = ""

  @Option(help: "A recording to take in place of the microphone.", completion: .file())
  var file: String?

  @Option(help: "How long to record, at most 300.")
  var seconds = 60

  @Option(help: "A program that writes a WAV to standard output, in place of arecord or pw-record.")
  var command: String?

  @Option(help: "What is spoken, such as en-US or ja-JP; as configured when left out.")
  var language = ""

  @Option(help: "Who records.")
  var recorder = ""

  @OptionGroup var moment: MomentOption

  @Flag(inversion: .prefixedNo, help: "Wait for the transcript.")
  var wait = true

  func validate() throws {
    guard (1...300).contains(self.seconds) else { throw ValidationError("--seconds takes a number from 1 to 300.") }
  }

  func carryOut(_ session: Session) async throws {
    let sound = try self.sound()
    // From before it begins, so that its end is not missed.
    let changes = self.wait ? try session.client.events(["care"]) : nil
    var start = StartVoiceRequest()
    start.category = self.category
    start.language = self.language
    start.recorder = self.recorder
    if let time = try self.moment.moment(session) { start.occurredAt = time }
    let id = try await session.ask(start).record.id
    if self.file == nil, !session.isJSON {
      session.console.print(session.tongue("Recording. Ctrl-C ends it.", "録音中です。Ctrl-C で終わります。"))
    }
    var stop = StopVoiceRequest()
    stop.id = id
    do throws(Failure) {
      try await self.send(sound, to: id, session)
    } catch {
      // What was sent is an entry all the same.
      _ = try? await session.ask(stop)
      throw error
    }
    var reply = try await session.ask(stop)
    if let changes { reply = try await Self.transcribed(id, changes, session) }
    try session.show(reply, CareCard(reply.record).lines(session))
  }

  /// Sends the sound as it comes. What was sent is kept, also when the rest cannot be had.
  private func send(_ sound: any SoundInput, to id: String, _ session: Session) async throws(Failure) {
    let signals = Interrupt.catching { sound.end() }
    defer { signals.end() }
    var request = AppendVoiceRequest()
    request.id = id
    while let piece = try await sound.next() {
      request.offset = try await session.client.call(request, CallContext(attachments: [piece])).reply.nextOffset
    }
  }

  private func sound() throws(Failure) -> any SoundInput {
    guard let file else { return try Microphone(command: self.command, seconds: self.seconds) }
    return try SoundFile(path: file)
  }

  /// The entry when its transcription has ended, one way or the other.
  private static func transcribed(
    _ id: String, _ changes: EventSequence, _ session: Session
  ) async throws -> CareReply {
    var request = GetCareRequest()
    request.id = id
    var reply = try await session.ask(request)
    var elements = changes.makeAsyncIterator()
    while ["recording", "pending_transcription"].contains(reply.record.state), let element = try await elements.next() {
      if case .event(let event) = element, !event.event.changed.ids.contains(id) { continue }
      reply = try await session.ask(request)
    }
    return reply
  }
}
