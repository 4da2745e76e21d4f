internal import ArgumentParser
internal import KithMessages
internal import SwiftProtobuf

struct ApproveKeyCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Approve a key under a name, or change its role.",
    discussion: """
      Roles: viewer reads and subscribes; recorder records as well; admin does everything; worker takes jobs of the services \
      that are named, and nothing else.
      Example: kith keys approve 0123456789abcdef --name kitchen --role recorder
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The fingerprint of a pending or approved key.")
  var fingerprint: String?

  @Option(help: "Its name here: lower-case letters, digits and hyphens.")
  var name: String

  @Option(help: "viewer, recorder, admin or worker.")
  var role = "viewer"

  @Option(help: "A service whose jobs the worker may take; may be repeated.")
  var service: [String] = []

  @Option(help: ArgumentHelp("How long it is valid. Default: for ever.", valueName: "30d, 12h, 10m"))
  var validFor: SpanArgument?

  @Option(parsing: .unconditional, help: "The key itself, if it has not connected yet.")
  var publicKey: String?

  func validate() throws {
    guard self.fingerprint != nil || self.publicKey != nil else {
      throw ValidationError("Name a fingerprint of `kith keys pending`, or a key with --public-key.")
    }
  }

  func run(_ session: Session) async throws {
    var request = KeyApproveRequest()
    request.fingerprint = self.fingerprint ?? ""
    request.publicKeyZ85 = self.publicKey ?? ""
    request.name = self.name
    request.role = self.role
    request.services = self.service
    if let validFor { request.validFor = validFor.duration }
    let key = try await session.ask(request)
    try session.show(key, ["\(Printable.text(key.name)) (\(key.fingerprint)) may come in as \(key.role)."])
  }
}

/// A span as it is typed: a number with d, h, m or s.
struct SpanArgument: ExpressibleByArgument, Sendable {
  let seconds: Int64

  init?(argument: String) {
    let units: [Character: Int64] = ["d": 86_400, "h": 3600, "m": 60, "s": 1]
    guard let last = argument.last, let number = Int64(units[last] == nil ? argument[...] : argument.dropLast()),
      number >= 0, units[last] != nil || number == 0, number < 1_000_000_000
    else { return nil }
    self.seconds = number * (units[last] ?? 1)
  }

  var duration: Google_Protobuf_Duration { Google_Protobuf_Duration(seconds: self.seconds) }
}
