public import Bus
internal import EventLoop

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
    var environment = ChildProcess.plainEnvironment
    // How programs find the keyring of the session.
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
