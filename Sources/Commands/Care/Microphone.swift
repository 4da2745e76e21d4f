internal import Bus
internal import Foundation
internal import Glibc
internal import KithMessages

/// A program that records and writes a WAV to its standard output.
final class Microphone: SoundInput {
  private let program: ProgramGroup
  private let stream: SoundStream

  /// Starts to record.
  ///
  /// - Parameter command: A shell command; nil for the first installed recorder.
  /// - Throws: `FAILED_PRECONDITION/NO_MICROPHONE`.
  init(command: String?) throws(Failure) {
    let arguments: [String]
    if let command { arguments = ["/bin/sh", "-c", command] } else { arguments = try Self.recorder() }
    let output = Pipe()
    // The pipe closes its own descriptor.
    let reader = fcntl(output.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0)
    self.stream = SoundStream(reader, named: arguments[0], size: Self.piece)
    do {
      self.program = try ProgramGroup(arguments, input: FileHandle.nullDevice, output: output)
    } catch {
      throw Failure(.failedPrecondition, "NO_MICROPHONE", "\(arguments[0]) cannot be started. Nothing was recorded.")
    }
  }

  func next() async throws(Failure) -> [UInt8]? { try await self.stream.next() }

  /// Ends the program. What it still writes is part of the recording.
  func end() {
    self.program.end()
    Task { await self.finish() }
  }

  func finish() async {
    await self.program.finish()
    self.stream.end()
  }

  /// arecord(1), else pw-record(1): 16 kHz, one channel.
  private static func recorder() throws(Failure) -> [String] {
    if let arecord = InstalledProgram.path(of: "arecord") {
      return [arecord, "-q", "-t", "wav", "-f", "S16_LE", "-r", "16000", "-c", "1"]
    }
    if let pipewire = InstalledProgram.path(of: "pw-record") {
      return [pipewire, "--rate", "16000", "--channels", "1", "--format", "s16", "-"]
    }
    throw Failure(
      .failedPrecondition, "NO_MICROPHONE",
      "No recording program was found. Install alsa-utils or pipewire-bin, or name a recording with --file.")
  }

  /// Half a second of speech: the level is shown for each piece, and each piece is stored.
  private static let piece = 16 << 10
}

/// A program that may be installed on this machine.
enum InstalledProgram {
  /// Its path; nil if it is not on `PATH`.
  static func path(of name: String) -> String? {
    let folders = (RuntimeLocations.variable("PATH") ?? "/usr/bin").split(separator: ":").map(String.init)
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
