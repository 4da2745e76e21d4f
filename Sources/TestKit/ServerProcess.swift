internal import EventLoop
internal import Foundation

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
  private let log: Log

  /// Its output so far, of both streams.
  public var output: String { log.text }

  /// Starts a program and waits until it is ready.
  ///
  /// - Parameters:
  ///   - command: The program, found in `PATH`, and its arguments.
  ///   - environment: Added to the environment of the tests.
  ///   - limit: The longest wait.
  ///   - isReady: Recognises the line, on either stream, that reports that it is ready.
  /// - Throws: `Fault`; Foundation's error if there is no such program.
  public init(
    _ command: [String], environment: [String: String] = [:], limit: Duration = .seconds(30),
    isReady: @escaping @Sendable (String) -> Bool
  ) async throws {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let log = Log()
    self.process = process
    self.input = input
    self.log = log
    // A separate thread, because it blocks until the program ends; it reads all the time, so that the program never blocks.
    let descriptor = dup(output.fileHandleForReading.fileDescriptor)
    try? output.fileHandleForWriting.close()
    do {
      self.ready = try await withCheckedThrowingContinuation { waiter in
        Thread.detachNewThread {
          log.follow(descriptor, limit: limit, isReady: isReady) { waiter.resume(with: $0) }
          close(descriptor)
        }
      }
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
}

/// The output of a program.
private final class Log: Sendable {
  private let bytes = Lock<[UInt8]>([])

  var text: String { String(decoding: self.bytes.withLock { $0 }, as: UTF8.self) }

  /// Reads until the end, and calls `answer` once: with the ready line, or with the reason why there is none.
  func follow(
    _ descriptor: Int32, limit: Duration, isReady: (String) -> Bool, answer: (Result<String, any Error>) -> Void
  ) {
    let deadline = ContinuousClock.now + limit
    var hasAnswered = false
    var unread: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      if !hasAnswered, !Self.wait(descriptor, until: deadline) {
        hasAnswered = true
        answer(.failure(ServerProcess.Fault.notReady(self.text)))
      }
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      self.bytes.withLock { $0 += buffer[..<count] }
      guard !hasAnswered else { continue }
      unread += buffer[..<count]
      while !hasAnswered, let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        guard isReady(line) else { continue }
        hasAnswered = true
        answer(.success(line))
      }
    }
    if !hasAnswered { answer(.failure(ServerProcess.Fault.ended(self.text))) }
  }

  private static func wait(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let left = (deadline - .now) / .milliseconds(1)
    return poll(&item, 1, Int32(max(0, left))) != 0
  }
}
