public import Bus
internal import Dispatch
internal import Foundation
internal import Glibc

/// Secrets in the desktop's keyring (org.freedesktop.Secret.Service), through `secret-tool` of libsecret.
///
/// The secret itself goes through pipes; only its name is an argument. While the keyring waits for a person to unlock it, a
/// thread of its own waits, for a minute.
public struct SecretService: SecretStore {
  private let tool: String
  private let limit: Duration

  /// Names the program.
  ///
  /// - Parameters:
  ///   - tool: Its absolute path.
  ///   - limit: How long it may take.
  public init(tool: String = "/usr/bin/secret-tool", limit: Duration = .seconds(60)) {
    self.tool = tool
    self.limit = limit
  }

  /// Looks a name up.
  public func secret(named name: String) async throws(Failure) -> String? {
    let run = try await self.run(["lookup"], name, input: nil)
    // It ends in the same way where there is no such item and where it cannot tell, but says why it cannot.
    guard run.status == 0 || run.words.isEmpty && !run.isGivenUp else {
      throw .unreadableSecret("the keyring", run.why)
    }
    return run.status != 0 || run.output.isEmpty ? nil : run.output
  }

  /// Stores under a name, in place of the secret before.
  public func keep(_ secret: String, named name: String) async throws(Failure) {
    let run = try await self.run(["store", "--label=Kith: \(name)"], name, input: secret)
    guard run.status == 0 else { throw .secretNotKept("the keyring", run.why) }
  }

  /// Clears a name.
  public func forget(_ name: String) async throws(Failure) {
    let run = try await self.run(["clear"], name, input: nil)
    guard run.status == 0 || run.words.isEmpty && !run.isGivenUp else { throw .secretNotKept("the keyring", run.why) }
  }

  /// What became of a run of the program.
  private struct Run: Sendable {
    let status: Int32
    let output: String
    /// What it said about a failure.
    let words: String
    /// Whether it was ended because it took too long.
    let isGivenUp: Bool

    var why: String {
      if self.isGivenUp { return "it waits to be unlocked. Unlock it, or set secrets.store to \"files\"" }
      return self.words.isEmpty ? "secret-tool ended with \(self.status); is the keyring unlocked?" : self.words
    }
  }

  private func run(_ verb: [String], _ name: String, input: String?) async throws(Failure) -> Run {
    let arguments = verb + ["application", "kith", "secret", name]
    let result: Result<Run, Failure> = await withCheckedContinuation { waiter in
      // Beside the shared pool, which would have no thread left for anybody else while two keyrings are locked.
      DispatchQueue(label: "kith.keyring").async { waiter.resume(returning: self.run(arguments, input)) }
    }
    return try result.get()
  }

  private func run(_ arguments: [String], _ input: String?) -> Result<Run, Failure> {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: self.tool)
    process.arguments = arguments
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    let end = DispatchWorkItem {
      // Not SIGTERM, which threads of Dispatch block, and so the programs that they start.
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
    defer { end.cancel() }
    do {
      try process.run()
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .milliseconds(Int(self.limit / .milliseconds(1))), execute: end)
      // A program that ends before it has read says by its end what is wrong.
      if let input { try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
      try stdin.fileHandleForWriting.close()
      let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
      let words = try stderr.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return .success(
        Run(
          status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
          words: Self.line(words), isGivenUp: process.terminationReason == .uncaughtSignal))
    } catch {
      return .failure(
        .unreadableSecret(
          "the keyring", "\(self.tool) cannot be run. Install libsecret-tools, or set secrets.store to \"files\""))
    }
  }

  /// The first line of what the program said.
  private static func line(_ bytes: Data) -> String {
    String(decoding: bytes.prefix(200).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
