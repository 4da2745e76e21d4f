internal import Foundation
internal import Glibc
internal import Synchronization

/// A program that a command runs, with all that it starts: they are one group, and end together.
final class ProgramGroup: Sendable {
  private let process = Process()
  private let exits: AsyncStream<Void>
  private let ending = Mutex<Task<Void, Never>?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: Its path first.
  ///   - output: A `Pipe`, or a `FileHandle`.
  /// - Throws: What the system says of a program that cannot be started.
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

  /// Whether it is being ended.
  var isEnding: Bool { self.ending.withLock { $0 != nil } }

  /// Ends the program and all that it has started: interrupts them, and after two seconds each sends what is harder to ignore.
  /// Programs that a shell starts in the background ignore an interrupt: sh(1), "Signals and error handling".
  func end() { _ = self.endingTask() }

  /// Ends them, unless that has begun, and waits until none is left.
  func finish() async { await self.endingTask().value }

  /// Waits until the program itself has ended.
  ///
  /// - Returns: Whether it says that it did what it should.
  func succeeded() async -> Bool {
    for await _ in self.exits {}
    return self.process.terminationStatus == 0 && self.process.terminationReason == .exit
  }

  private func endingTask() -> Task<Void, Never> {
    self.ending.withLock { ending in
      if let ending { return ending }
      // A task of its own, which nobody cancels.
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

  /// Returns whether there was a process in the group.
  private func signal(_ number: Int32) -> Bool { kill(-self.process.processIdentifier, number) == 0 }
}
