internal import Foundation
internal import Glibc
internal import Synchronization

/// A child process in a process group of its own, which ends with all processes that it started.
final class ProgramGroup: Sendable {
  private let process = Process()
  private let exits: AsyncStream<Void>
  private let ending = Mutex<Task<Void, Never>?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: Its path first.
  ///   - output: A `Pipe`, or a `FileHandle`.
  /// - Throws: The system's error if the program cannot be started.
  init(_ arguments: [String], input: FileHandle, output: Any) throws {
    let (exits, exit) = AsyncStream<Void>.makeStream()
    self.exits = exits
    // `Process` makes it the leader of a group of its own.
    self.process.executableURL = URL(filePath: arguments[0])
    self.process.arguments = Array(arguments.dropFirst())
    self.process.standardInput = input
    self.process.standardOutput = output
    self.process.terminationHandler = { _ in exit.finish() }
    try self.process.run()
  }

  /// Whether ``end()`` was called.
  var isEnding: Bool { self.ending.withLock { $0 != nil } }

  /// Ends the group: SIGINT, after two seconds SIGTERM, after two more SIGKILL. Programs that a shell starts in the background
  /// ignore SIGINT: sh(1), "Signals and error handling".
  func end() { _ = self.endingTask() }

  /// Ends the group as ``end()`` does, and waits until no process is left.
  func finish() async { await self.endingTask().value }

  /// Waits until the program itself has exited.
  ///
  /// - Returns: True if its status is 0.
  func succeeded() async -> Bool {
    for await _ in self.exits {}
    return self.process.terminationStatus == 0 && self.process.terminationReason == .exit
  }

  private func endingTask() -> Task<Void, Never> {
    self.ending.withLock { ending in
      if let ending { return ending }
      // Unstructured, so that cancelling the caller does not stop it.
      let task = Task { await self.endAll() }
      ending = task
      return task
    }
  }

  private func endAll() async {
    for number in [SIGINT, SIGTERM, SIGKILL] {
      guard self.signal(number) else { return }
      for _ in 0..<40 where self.signal(0) { try? await Task.sleep(for: .milliseconds(50)) }
    }
  }

  /// Returns true if the group had a process.
  private func signal(_ number: Int32) -> Bool { kill(-self.process.processIdentifier, number) == 0 }
}
