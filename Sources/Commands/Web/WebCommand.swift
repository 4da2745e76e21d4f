internal import ArgumentParser
internal import Bus
internal import Digest
internal import Foundation
internal import KithMessages
internal import QR
internal import SwiftProtobuf

struct WebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web", abstract: "Devices: phones, browsers and scripts that reach kithd through kith-web.",
    discussion: "Example: kith web pair --name hanako",
    subcommands: [
      PairDeviceCommand.self, ListDevicesCommand.self, RevokeDeviceCommand.self, AddTokenCommand.self,
      SetupWebCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

/// What `kith web pair` and `kith web token` say of a device.
struct DeviceOptions: ParsableArguments {
  @Option(help: "The name of the device here: lower-case letters, digits and hyphens.")
  var name: String

  @Option(help: ArgumentHelp("How long the device may connect. Default: for ever.", valueName: "30d, 12h, 10m"))
  var validFor: SpanArgument?
}

struct PairDeviceCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Show a code with which one device may join within ten minutes.",
    discussion: """
      Roles: viewer reads; recorder records as well; admin does everything.
      Scan the picture with the phone, or open the address of kith-web there and type the code.
      Example: kith web pair --name hanako --role recorder
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var device: DeviceOptions

  @Option(help: "viewer, recorder or admin.")
  var role = "recorder"

  func run(_ session: Session) async throws {
    var request = InviteDeviceRequest()
    request.name = self.device.name
    request.role = self.role
    if let validFor = self.device.validFor { request.validFor = validFor.duration }
    let invitation = try await session.ask(request)
    try await session.show(invitation, Self.lines(invitation, session))
  }

  private static func lines(_ invitation: Invitation, _ session: Session) -> [String] {
    let code = "\(invitation.code.prefix(4)) \(invitation.code.dropFirst(4))"
    let end = session.zone.text(invitation.expiresAt)
    let say = session.language
    var lines = [
      say("Code     ", "コード   ") + session.console.style.bold(code),
      say("Ends     \(end), or when a device has used it", "期限     \(end)、または端末が1台登録するまで"),
    ]
    guard !invitation.url.isEmpty else {
      return lines + [
        "",
        say(
          "kithd does not know the address of kith-web. Start it: systemctl start kith-web",
          "kith-web のアドレスがわかりません。起動してください: systemctl start kith-web"),
        say(
          "Then open its address with /pair behind it on the device, and type the code.",
          "そのあと、端末でそのアドレスの /pair を開き、コードを入れてください。"),
      ]
    }
    lines.append(say("Address  ", "アドレス ") + Printable.text(invitation.url))
    if let picture = QRCode(invitation.url) { lines += [""] + picture.lines(isColoured: session.console.style.isOn) }
    return lines + [
      "",
      say(
        "Scan the picture with the device's camera, or open the address there.", "端末のカメラでこの図を読むか、端末でアドレスを開いてください。"),
    ]
  }
}

struct ListDevicesCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the devices, and the codes that wait for one.",
    discussion: "Example: kith web devices")

  @OptionGroup var global: GlobalOptions

  @Flag(help: "Also those that were revoked, or have expired and been replaced.")
  var all = false

  func run(_ session: Session) async throws {
    var reply = try await session.ask(DevicesListRequest())
    if !self.all {
      let names = Set(reply.devices.filter { $0.state == "active" }.map(\.name))
      reply.devices.removeAll { $0.state == "revoked" || $0.state == "expired" && names.contains($0.name) }
    }
    try await session.show(reply, Self.lines(reply, session))
  }

  private static func lines(_ reply: DevicesListReply, _ session: Session) -> [String] {
    let say = session.language
    var lines = [say("No devices found. Let one join:", "端末はありません。登録するには:") + " kith web pair --name NAME"]
    if !reply.devices.isEmpty {
      var table = Table(
        [
          Column("NAME", "名前"), Column("ROLE", "権限"), Column("STATE", "状態"), Column("JOINED", "登録", drops: 2),
          Column("LAST SEEN", "最後の接続", drops: 3),
          Column("EXPIRES", "期限", drops: 4), Column("BY", "登録者", drops: 1),
        ], hidesEmpty: true)
      for device in reply.devices {
        table.add(
          device.name, say.role(device.role), say.keyState(device.state), session.ago(device.created),
          session.ago(device.lastSeen),
          session.end(device.expires), device.addedBy)
      }
      lines = table.lines(session)
    }
    guard !reply.invitations.isEmpty else { return lines }
    return lines + [""]
      + reply.invitations.map {
        let (name, end) = (Printable.text($0.name), session.zone.text($0.expiresAt))
        return say(
          "A code waits for \(name) (\($0.role)) until \(end).", "\(name) (\(say.role($0.role))) のコードは \(end) まで使えます。")
      }
  }
}

struct RevokeDeviceCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a device for good, at once: a lost phone.",
    discussion: "Example: kith web revoke hanako")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var confirmation: Confirmation

  @Argument(help: "The name of the device.")
  var name: String

  func run(_ session: Session) async throws {
    let known = try await session.ask(DevicesListRequest())
    try self.confirmation.ask(
      session.language(
        "Revoke the device \(Printable.text(self.name)) for good?", "端末 \(Printable.text(self.name)) の登録を取り消しますか?"),
      isThere: known.devices.contains { $0.name == self.name && $0.state != "revoked" }
        || known.invitations.contains { $0.name == self.name },
      session)
    var request = RevokeDeviceRequest()
    request.name = self.name
    let device = try await session.ask(request)
    try await session.show(
      device,
      [
        session.language("\(Printable.text(device.name)) is revoked.", "\(Printable.text(device.name)) を取り消しました。")
      ])
  }
}

struct AddTokenCommand: HubCommand {
  /// What `--json` prints: the device, and the token, which no message of the hub has.
  private struct Added: Encodable {
    let token: String
    let name: String
    let role: String
  }

  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make a token for a script or a shortcut, and print it once.",
    discussion: """
      kithd keeps only its SHA-256. If the token is lost, make another one.
      Example: kith web token --name kitchen-button --role recorder --valid-for 90d
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var device: DeviceOptions

  @Option(help: "viewer, recorder or admin.")
  var role = "viewer"

  func run(_ session: Session) async throws {
    let token = Self.randomToken()
    var request = AddDeviceRequest()
    request.name = self.device.name
    request.role = self.role
    request.tokenSha256 = Hex.encode(SHA256.digest(Array(token.utf8)))
    if let validFor = self.device.validFor { request.validFor = validFor.duration }
    let device = try await session.ask(request)
    guard !session.isJSON else {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let added = try encoder.encode(Added(token: token, name: device.name, role: device.role))
      return session.console.print(String(decoding: added, as: UTF8.self))
    }
    session.console.print(token)
    session.console.tell("")
    let (name, say) = (Printable.text(device.name), session.language)
    session.console.tell(
      say(
        "\(name) may connect as \(device.role). The token is not shown again.",
        "\(name) は\(say.role(device.role))として接続できます。トークンは二度と表示されません。"))
    session.console.tell(
      say("Send it in each request to kith-web:", "kith-web への要求ごとに付けてください:") + " Authorization: Bearer TOKEN")
  }

  /// `kith_` and 32 random bytes in base64url (RFC 4648, section 5) without padding.
  private static func randomToken() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let text = Data(bytes).base64EncodedString().filter { $0 != "=" }
    return "kith_" + String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }
}
