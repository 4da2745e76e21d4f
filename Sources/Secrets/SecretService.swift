public import Bus
internal import EventLoop

/// Secrets in the desktop's keyring (org.freedesktop.Secret.Service), through `secret-tool` of libsecret.
///
/// The secret itself goes through pipes; only its name is an argument.
public struct SecretService: SecretStore {
  private let tool: String

  /// Names the program.
  ///
  /// - Parameter tool: Its absolute path.
  public init(tool: String = "/usr/bin/secret-tool") { self.tool = tool }

  /// Looks a name up.
  public func secret(named name: String) async throws(Failure) -> String? {
    let (status, output) = try await self.run(["lookup"] + Self.attributes(name), input: nil)
    // The tool says nothing and fails where there is no such item.
    guard status == 0 else { return nil }
    return output.isEmpty ? nil : output
  }

  /// Stores under a name, in place of the secret before.
  public func keep(_ secret: String, named name: String) async throws(Failure) {
    let (status, _) = try await self.run(
      ["store", "--label=Kith: \(name)"] + Self.attributes(name), input: secret)
    guard status == 0 else {
      throw .secretNotKept("the keyring", "secret-tool ended with \(status); is the keyring unlocked?")
    }
  }

  /// Clears a name.
  public func forget(_ name: String) async throws(Failure) {
    _ = try await self.run(["clear"] + Self.attributes(name), input: nil)
  }

  private static func attributes(_ name: String) -> [String] { ["application", "kith", "secret", name] }

  private func run(
    _ arguments: [String], input: String?
  ) async throws(Failure) -> (status: Int32, output: String) {
    // The keyring may ask a person to unlock it.
    let program = ChildProgram(path: self.tool, arguments: arguments, limit: .seconds(120), outputLimit: 64 << 10)
    do throws(ChildProgram.Fault) {
      let outcome = try await program.run(Array((input ?? "").utf8))
      return (outcome.status, String(decoding: outcome.output, as: UTF8.self))
    } catch {
      switch error {
      case .notStarted:
        throw .unreadableSecret(
          "the keyring", "\(self.tool) cannot be run. Install libsecret-tools, or set secrets.store to \"files\"")
      case .exceeded:
        throw .unreadableSecret("the keyring", "\(self.tool) gave no answer in two minutes; is the keyring unlocked?")
      }
    }
  }
}
