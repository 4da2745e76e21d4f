internal import Bus
internal import Foundation
internal import Glibc
internal import KithMessages

/// Where sound comes from.
protocol SoundInput: Sendable {
  /// The next piece; nil at the end.
  func next() async throws(Failure) -> [UInt8]?

  /// Has it come to its end now.
  func end()
}

/// A recording on the disk.
final class SoundFile: SoundInput {
  private let handle: FileHandle
  private let path: String

  /// Opens a file.
  ///
  /// - Throws: `NOT_FOUND/FILE_UNREADABLE`.
  init(path: String) throws(Failure) {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw Failure(
        .notFound, "FILE_UNREADABLE", "The recording \(path) cannot be read. Check the path and its permissions.")
    }
    self.handle = handle
    self.path = path
  }

  func next() async throws(Failure) -> [UInt8]? {
    do {
      guard let piece = try self.handle.read(upToCount: soundPiece), !piece.isEmpty else { return nil }
      return [UInt8](piece)
    } catch {
      throw Failure(.unavailable, "FILE_UNREADABLE", "The recording \(self.path) could not be read to its end.")
    }
  }
}

extension SoundFile {
  /// A file ends where it ends, which is soon.
  func end() {}
}

/// A program that records, and writes a WAV to its standard output.
final class Microphone: SoundInput {
  private let process = Process()
  private let output = Pipe()

  /// Starts to record.
  ///
  /// - Parameter command: For the shell; nil = the first recorder that is installed.
  /// - Throws: `FAILED_PRECONDITION/NO_MICROPHONE`.
  init(command: String?, seconds: Int) throws(Failure) {
    let arguments: [String]
    if let command { arguments = ["/bin/sh", "-c", command] } else { arguments = try Self.recorder(seconds: seconds) }
    self.process.executableURL = URL(filePath: arguments[0])
    self.process.arguments = Array(arguments.dropFirst())
    self.process.standardOutput = self.output
    do {
      try self.process.run()
    } catch {
      throw Failure(.failedPrecondition, "NO_MICROPHONE", "\(arguments[0]) cannot be started. Nothing was recorded.")
    }
  }

  func next() async throws(Failure) -> [UInt8]? {
    let process = self.process
    let handle = self.output.fileHandleForReading
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        // Reading waits for the microphone, so it is not done on the shared pool.
        DispatchQueue.global().async {
          let piece = (try? handle.read(upToCount: soundPiece / 8)) ?? Data()
          waiter.resume(returning: piece.isEmpty ? nil : [UInt8](piece))
        }
      }
    } onCancel: {
      process.interrupt()
    }
  }

  func end() { self.process.interrupt() }

  /// arecord(1), else pw-record(1), with a limit of their own.
  private static func recorder(seconds: Int) throws(Failure) -> [String] {
    let paths = (RuntimeLocations.variable("PATH") ?? "/usr/bin").split(separator: ":").map(String.init)
    func find(_ name: String) -> String? {
      paths.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
    if let arecord = find("arecord") {
      return [arecord, "-q", "-t", "wav", "-f", "S16_LE", "-r", "16000", "-c", "1", "-d", "\(seconds)"]
    }
    if let pipewire = find("pw-record"), let timeout = find("timeout") {
      return [
        timeout, "-s", "INT", "\(seconds)", pipewire, "--rate", "16000", "--channels", "1", "--format", "s16", "-",
      ]
    }
    throw Failure(
      .failedPrecondition, "NO_MICROPHONE",
      "No program that records was found. Install alsa-utils or pipewire-bin, or name a recording with --file.")
  }
}

/// Bytes that are sent at once.
private let soundPiece = 256 << 10
