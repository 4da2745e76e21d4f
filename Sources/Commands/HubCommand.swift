internal import ArgumentParser
internal import KithClient

/// A command that asks a running daemon.
protocol HubCommand: AsyncParsableCommand {
  /// What every command takes.
  var global: GlobalOptions { get }

  /// Does the work.
  ///
  /// - Throws: A ``Failure`` that is printed, or an exit code when everything has been said.
  func run(_ session: Session) async throws
}

extension HubCommand {
  func run() async throws { try await self.runConnected() }

  /// Connects, does the work and hangs up.
  func runConnected() async throws {
    let client = try await self.global.connect()
    do {
      try await self.run(Session(client: client, console: .standard, isJSON: self.global.json))
    } catch {
      await client.close()
      throw error
    }
    await client.close()
  }
}
