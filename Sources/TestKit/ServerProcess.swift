internal import Foundation
internal import Glibc

/// A server program of one test. It is killed when this object is destroyed.
public final class ServerProcess: Sendable {
  /// Why a server did not start.
  public enum Fault: Error, CustomStringConvertible {
    /// It ended before it was ready; with its output.
    case ended(String)
    /// It was not ready in time; with its output.
    case notReady(String)

    /// What happened, with the program's output.
    public var description: String {
      switch self {
      case .ended(let output): "The server ended before it was ready. It wrote: \(output)"
      case .notReady(let output): "The server was not ready in time. It wrote: \(output)"
      }
    }
  }

  /// The line that reported that it was ready.
  public let ready: String
  private let process: Process
  // Kept open: a program that ends at the end of its standard input thereby ends with the tests.
  private let input: Pipe
  private let file: FileHandle

  /// Its output so far, of both streams: what it wrote before an answer is there when the answer is.
  public var output: String { Self.text(of: self.file) }

  /// Starts a program and waits until it is ready.
  ///
  /// - Parameters:
  ///   - command: The program, found in `PATH`, and its arguments.
  ///   - environment: Added to the environment of the tests.
  ///   - limit: The longest wait.
  ///   - isReady: Recognises the line, on either stream, that reports that it is ready.
  /// - Throws: `Fault`; Foundation's error if there is no such program.
  public init(
    _ command: [String], environment: [String: String] = [:], limit: Duration = .seconds(240),
    isReady: @escaping @Sendable (String) -> Bool
  ) async throws {
    let process = Process()
    let input = Pipe()
    // A file without a name: the program never blocks, and nobody has to read while it runs.
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID().uuidString)").path
    let file = FileHandle(
      fileDescriptor: open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), closeOnDealloc: true)
    unlink(path)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = file
    process.standardError = file
    try process.run()
    self.process = process
    self.input = input
    self.file = file
    do {
      self.ready = try await Self.readyLine(of: process, file, within: limit, isReady: isReady)
    } catch {
      kill(process.processIdentifier, SIGKILL)
      throw error
    }
  }

  deinit {
    stop()
  }

  /// Kills the program and waits for its end. Does nothing if it has ended.
  public func stop() {
    if self.process.isRunning { kill(self.process.processIdentifier, SIGKILL) }
    self.process.waitUntilExit()
  }

  private static func readyLine(
    of process: Process, _ file: FileHandle, within limit: Duration, isReady: (String) -> Bool
  ) async throws -> String {
    let deadline = ContinuousClock.now + limit
    while true {
      let hasEnded = !process.isRunning
      let text = Self.text(of: file)
      // The last one may be half of a line.
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() where isReady(String(line)) {
        return String(line)
      }
      if hasEnded { throw Fault.ended(text) }
      if ContinuousClock.now > deadline { throw Fault.notReady(text) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  private static func text(of file: FileHandle) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    // Not read(2): the program writes at the position that it shares with the file.
    while case let count = pread(file.fileDescriptor, &buffer, buffer.count, off_t(bytes.count)), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
