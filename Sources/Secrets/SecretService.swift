public import Bus
internal import EventLoop

/// Secrets in the desktop's keyring (org.freedesktop.Secret.Service), through libsecret's `secret-tool`.
///
/// The secret goes through pipes; only its name is an argument. If a person has to unlock the keyring first, a separate
/// thread waits for up to a minute.
public struct SecretService: SecretStore {
  private let tool: String
  private let limit: Duration

  /// Names the program.
  ///
  /// - Parameters:
  ///   - tool: Its absolute path.
  ///   - limit: The longest run.
  public init(tool: String = "/usr/bin/secret-tool", limit: Duration = .seconds(60)) {
    self.tool = tool
    self.limit = limit
  }

  /// Looks up a secret.
  public func secret(named name: String) async throws(Failure) -> String? {
    let run = try await self.run(["lookup"], name, input: nil)
    // The exit status is the same for a missing secret and for an error, but only an error prints a message.
    guard run.status == 0 || run.words.isEmpty && !run.isGivenUp else {
      throw .unreadableSecret("the keyring", run.why)
    }
    return run.status != 0 || run.output.isEmpty ? nil : run.output
  }

  /// Stores or replaces a secret.
  public func keep(_ secret: String, named name: String) async throws(Failure) {
    let run = try await self.run(["store", "--label=Kith: \(name)"], name, input: secret)
    guard run.status == 0 else { throw .secretNotKept("the keyring", run.why) }
  }

  /// Deletes a secret.
  public func forget(_ name: String) async throws(Failure) {
    let run = try await self.run(["clear"], name, input: nil)
    guard run.status == 0 || run.words.isEmpty && !run.isGivenUp else { throw .secretNotKept("the keyring", run.why) }
  }

  /// The outcome of running the program.
  private struct Run: Sendable {
    let status: Int32
    let output: String
    /// The error message that it printed.
    let words: String
    /// Whether it was ended because it took too long.
    let isGivenUp: Bool

    var why: String {
      if self.isGivenUp { return "it waits to be unlocked. Unlock it, or set secrets.store to \"files\"" }
      return self.words.isEmpty ? "secret-tool ended with \(self.status); is the keyring unlocked?" : self.words
    }
  }

  private func run(_ verb: [String], _ name: String, input: String?) async throws(Failure) -> Run {
    var environment = ChildProcess.plainEnvironment
    // Programs find the session's keyring through these variables.
    for variable in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"] {
      environment[variable] = RuntimeLocations.variable(variable)
    }
    let program = ChildProcess(
      self.tool, verb + ["application", "kith", "secret", name], environment: environment, directory: "/",
      input: Array((input ?? "").utf8), limits: ChildProcess.Limits(time: self.limit, output: 64 << 10))
    do throws(ChildProcess.Fault) {
      let outcome = try await program.run()
      let words = String(decoding: outcome.errors.prefix(200).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      let status = if case .exited(let status) = outcome.ending { status } else { Int32(-1) }
      return Run(
        status: status, output: String(decoding: outcome.output, as: UTF8.self), words: words, isGivenUp: false)
    } catch {
      switch error {
      case .outOfTime, .tooMuchOutput: return Run(status: -1, output: "", words: "", isGivenUp: true)
      case .cancelled: throw .cancelled
      case .notExecutable, .notStarted:
        throw .unreadableSecret(
          "the keyring", "\(self.tool) cannot be run. Install libsecret-tools, or set secrets.store to \"files\"")
      }
    }
  }
}
