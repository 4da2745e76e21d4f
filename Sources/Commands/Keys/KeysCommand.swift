internal import ArgumentParser
internal import Bus
internal import Foundation
internal import KithClient
internal import KithMessages
internal import SwiftProtobuf

struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Keys of other machines: which may connect over the network, and in which role.",
    discussion: "Example: kith keys pending",
    subcommands: [
      ListKeysCommand.self, PendingKeysCommand.self, ApproveKeyCommand.self, RevokeKeyCommand.self,
      NewKeyCommand.self, ShowServerKeyCommand.self, InitKeysCommand.self, RotateKeysCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct ListKeysCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List approved and revoked keys.", discussion: "Example: kith keys list"
  )

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(KeysListRequest())
    try await session.show(reply, Self.lines(reply, session))
  }

  private static func lines(_ reply: KeysListReply, _ session: Session) -> [String] {
    let say = session.language
    var lines = [say("No keys found. On the other machine:", "鍵はありません。別のマシンで:") + " kith keys new --file FILE"]
    if !reply.keys.isEmpty {
      var table = Table(
        [
          Column("NAME", "名前"), Column("ROLE", "権限"), Column("STATE", "状態"), Column("FINGERPRINT", "指紋"),
          Column("SERVICES", "処理", drops: 1),
          Column("EXPIRES", "期限", drops: 4), Column("LAST SEEN", "最後の接続", drops: 3), Column("FROM", "接続元", drops: 2),
        ], hidesEmpty: true)
      for key in reply.keys {
        table.add(
          key.name, say.role(key.role), say.keyState(key.state), key.fingerprint,
          key.services.map { $0.split(separator: ".").last ?? "" }.joined(separator: ", "),
          session.end(key.expires), session.ago(key.lastSeen), key.lastAddress)
      }
      lines = table.lines(session)
    }
    if !reply.pending.isEmpty {
      lines += [
        "",
        say(
          "\(Count.of(reply.pending.count, "key")) \(reply.pending.count == 1 ? "waits" : "wait"): kith keys pending",
          "承認待ちの鍵が\(reply.pending.count)件あります: kith keys pending"),
      ]
    }
    return lines
  }
}

struct PendingKeysCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "pending", abstract: "List keys that wait for approval.",
    discussion: "Example: kith keys pending")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    var reply = try await session.ask(KeysListRequest())
    reply.keys = []
    try await session.show(reply, Self.lines(reply.pending, session))
  }

  private static func lines(_ pending: [KeyInfo], _ session: Session) -> [String] {
    guard !pending.isEmpty else { return [session.language("No keys wait.", "承認待ちの鍵はありません。")] }
    var table = Table([
      Column("FINGERPRINT", "指紋"), Column("LAST SEEN", "最後の接続", drops: 3), Column("FROM", "接続元", drops: 2),
    ])
    for key in pending { table.add(key.fingerprint, session.ago(key.lastSeen), key.lastAddress) }
    return table.lines(session) + [
      "",
      session.language(
        "Compare the fingerprint with what `kith keys new` printed there, then:", "指紋が kith keys new の表示と同じことを確かめてから:"),
      "kith keys approve FINGERPRINT --name NAME",
    ]
  }
}

struct ApproveKeyCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Approve a key under a name, or change its role.",
    discussion: """
      Roles: viewer reads and subscribes; recorder records as well; admin does everything; worker takes jobs of the named \
      services, and nothing else; door is for kith-web on another machine, which passes on the commands of devices.
      Example: kith keys approve 0123456789abcdef --name kitchen --role recorder
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The fingerprint of a pending or approved key.")
  var fingerprint: String?

  @Option(help: "Its name here: lower-case letters, digits and hyphens.")
  var name: String

  @Option(help: "viewer, recorder, admin, worker or door.")
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
    try await session.show(
      key,
      [
        session.language(
          "\(Printable.text(key.name)) (\(key.fingerprint)) may connect as \(key.role).",
          "\(Printable.text(key.name)) (\(key.fingerprint)) は\(session.language.role(key.role))として接続できます。")
      ])
  }
}

/// A duration as an argument: a number with d, h, m or s.
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

struct RevokeKeyCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a key for good, at once.",
    discussion: """
      Its connections are closed. All other clients on the network are disconnected too, and reconnect within a second. \
      To refuse a pending key, give its fingerprint.
      Example: kith keys revoke kitchen
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var confirmation: Confirmation

  @Argument(help: "The name of the key, or its fingerprint.")
  var which: String

  func run(_ session: Session) async throws {
    var request = KeyRevokeRequest()
    let keys = try await session.ask(KeysListRequest())
    let isName = keys.keys.contains { $0.name == self.which && $0.knownState != .revoked }
    if isName { request.name = self.which } else { request.fingerprint = self.which }
    try self.confirmation.ask(
      session.language(
        "Revoke the key \(Printable.text(self.which)) for good?", "鍵 \(Printable.text(self.which)) を取り消しますか?"),
      isThere: isName || (keys.keys + keys.pending).contains { $0.fingerprint == self.which.lowercased() }, session)
    let revoked = try await session.ask(request)
    let name = revoked.name.isEmpty ? revoked.fingerprint : Printable.text(revoked.name)
    try await session.show(
      revoked, [session.language("\(name) is revoked.", "\(name) を取り消しました。")])
  }
}

struct NewKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Make a key for this machine, in a file that only you can read.",
    discussion: """
      Needs no running kithd. kithd receives only the public half, when the key is first used. --server-key takes the key that \
      `kith keys show` prints on kithd's machine.
      Example: kith keys new --file ~/.config/kith/key
      """)

  @OptionGroup var global: GlobalOptions

  @Option(help: "The file to create; an existing file is not replaced.", completion: .file())
  var file: String

  func validate() throws {
    guard self.file != OutputFile.standardOutput else {
      throw ValidationError("Name the file for the key: --file PATH.")
    }
  }

  /// The name of this machine, in the form of a key's name.
  private static var machine: String {
    let host = ProcessInfo.processInfo.hostName.lowercased().prefix { $0 != "." }
    let name = String(host.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.prefix(32))
    return name.isEmpty ? "machine" : name
  }

  func run() async throws {
    let key = try KeyFile.make(at: self.file, serverKey: self.global.serverKey)
    let console = Console.standard
    guard !self.global.json else {
      var info = KeyInfo()
      info.publicKeyZ85 = key.publicKey
      info.fingerprint = key.fingerprint
      return console.print(try Session.json(info))
    }
    let say = self.global.lang ?? .ofLocale
    console.print(say("Fingerprint  ", "指紋         ") + key.fingerprint)
    console.print(say("Public key   ", "公開鍵       ") + key.publicKeyHex)
    console.print(say("File         ", "ファイル     ") + Printable.text(self.file))
    console.print("")
    console.print(
      say("Compare the fingerprint, and approve this key. On the machine of kithd:", "指紋を確かめ、kithd のマシンで承認してください:"))
    console.print("kith keys approve --public-key \(key.publicKeyHex) --name \(Self.machine)")
  }
}
