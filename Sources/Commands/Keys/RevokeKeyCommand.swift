internal import ArgumentParser
internal import KithMessages

struct RevokeKeyCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a key for good, at once.",
    discussion: """
      Its connections are cut. All other clients on the network are disconnected as well, and reconnect within a second. \
      With the fingerprint of a pending key: refuses it.
      Example: kith keys revoke kitchen
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var confirmation: Confirmation

  @Argument(help: "The name of the key, or its fingerprint.")
  var which: String

  func run(_ session: Session) async throws {
    var request = KeyRevokeRequest()
    let keys = try await session.ask(KeysListRequest())
    let isName = keys.keys.contains { $0.name == self.which && $0.state != "revoked" }
    if isName { request.name = self.which } else { request.fingerprint = self.which }
    try self.confirmation.ask("Shut the key \(Printable.text(self.which)) out for good?", session)
    let revoked = try await session.ask(request)
    try session.show(
      revoked, ["\(revoked.name.isEmpty ? revoked.fingerprint : Printable.text(revoked.name)) is shut out."])
  }
}
