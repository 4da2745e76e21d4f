internal import ArgumentParser
internal import Bus
internal import Foundation
internal import Glibc
internal import KithClient
internal import KithMessages
internal import SwiftProtobuf

struct PlayCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Play the recording of an entry, while it is kept.",
    discussion: """
      Uses aplay, pw-play or ffplay, whichever is installed. Ctrl-C ends it.
      Example: kith care play last
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<CareRecord>

  func run(_ session: Session) async throws {
    let id = try await self.target.id(session)
    let blob = try await session.ask(CareAudioRequest.with { $0.id = id })
    let player = try Self.player(of: blob.mediaType)
    let file = try TemporaryFile()
    try await session.client.download(blob) { piece throws(Failure) in try file.write(piece) }
    lseek(file.descriptor, 0, SEEK_SET)
    guard try await Self.play(file.descriptor, by: player) else {
      throw Failure(
        .failedPrecondition, "NOT_PLAYED",
        "\(player[0]) could not play the recording. To write it to a file: kith care audio \(self.target.text) -o FILE")
    }
    try await session.show(blob, [])
  }

  /// Runs the player with an unnamed file as its standard input.
  ///
  /// - Returns: False if the player failed.
  private static func play(_ descriptor: Int32, by arguments: [String]) async throws(Failure) -> Bool {
    let program: ProgramGroup
    do {
      program = try ProgramGroup(
        arguments, input: FileHandle(fileDescriptor: descriptor), output: FileHandle.nullDevice)
    } catch {
      throw Failure(.failedPrecondition, "NO_PLAYER", "\(arguments[0]) cannot be started.")
    }
    let signals = Interrupt.catching { program.end() }
    defer { signals.end() }
    let isPlayed = await program.succeeded()
    guard program.isEnding else { return isPlayed }
    // A person ends the player by an interrupt, which is no failure.
    await program.finish()
    return true
  }

  /// The first installed program that plays such sound, with its arguments: aplay(1), pw-play(1), ffplay(1).
  ///
  /// - Throws: `FAILED_PRECONDITION/NO_PLAYER`.
  private static func player(of mediaType: String) throws(Failure) -> [String] {
    // A path, so that the player can seek.
    let file = "/dev/stdin"
    if mediaType == "audio/wav", let aplay = InstalledProgram.path(of: "aplay") { return [aplay, "-q", file] }
    if ["audio/wav", "audio/flac", "audio/ogg"].contains(mediaType),
      let pipewire = InstalledProgram.path(of: "pw-play")
    {
      return [pipewire, file]
    }
    if let ffplay = InstalledProgram.path(of: "ffplay") {
      return [ffplay, "-nodisp", "-autoexit", "-loglevel", "error", "-i", file]
    }
    let package = mediaType == "audio/wav" ? "alsa-utils, pipewire-bin or ffmpeg" : "ffmpeg"
    throw Failure(
      .failedPrecondition, "NO_PLAYER",
      "No program that plays \(mediaType) was found. Install \(package), or write the recording to a file: kith care audio ID -o FILE"
    )
  }
}

struct AudioCareCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "audio", abstract: "Write the recording of an entry to a file, while it is kept.",
    discussion: "Example: kith care audio last -o note.wav")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<CareRecord>

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  func run(_ session: Session) async throws {
    let id = try await self.target.id(session)
    let blob = try await session.ask(CareAudioRequest.with { $0.id = id })
    try await session.save(blob, to: self.output)
  }
}
