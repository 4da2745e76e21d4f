import Bus
import KithMessages
import QR
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("kith web, whoami, and the doors of kith status")
struct WebCommandTests {
  private let invitation = Invitation.with {
    $0.code = "00345678"
    $0.name = "hanako"
    $0.role = "recorder"
    $0.expiresAt = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds + 600)
    $0.url = "https://kith.home.arpa/pair#00345678"
  }

  @Test("An invitation is a code in two groups, an address, and a picture of the address")
  func pair() async throws {
    let invitation = self.invitation
    let run = try await CommandRun.of("web", "pair", "--name", "hanako", "--valid-for", "30d") { _ in invitation }
    let request = try #require(run.sent.first as? InviteDeviceRequest)
    #expect(request.name == "hanako" && request.role == "recorder" && request.validFor.seconds == 2_592_000)
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(
      lines.prefix(3) == [
        "Code     0034 5678", "Ends     2026-11-21 09:25, or when a device has used it",
        "Address  https://kith.home.arpa/pair#00345678",
      ])
    let picture = try #require(QRCode(invitation.url))
    #expect(lines.dropFirst(4).prefix(19) == picture.lines(isColoured: false)[...])
    // 29 modules and four of quiet zone at each side.
    #expect(picture.modules.count == 29 && lines[4] == String(repeating: "█", count: 37))
  }

  @Test("The JSON of an invitation is the message")
  func json() async throws {
    let invitation = self.invitation
    let run = try await CommandRun.of("--json", "web", "pair", "--name", "hanako") { _ in invitation }
    #expect(run.output == (try Session.json(invitation)) + "\n" && run.output.contains("\"expiresAt\":"))
  }

  @Test("Without the address of a door the code is to be typed")
  func noAddress() async throws {
    var invitation = self.invitation
    invitation.url = ""
    let run = try await CommandRun.of("web", "pair", "--name", "hanako") { [invitation] _ in invitation }
    #expect(run.output.contains("systemctl start kith-web") && !run.output.contains("█"))
  }

  @Test("A token is printed once and kithd gets its digest; no two are alike")
  func token() async throws {
    var tokens: Set<String> = []
    for _ in 0..<2 {
      let run = try await CommandRun.of("web", "token", "--name", "button") { _ in
        .with {
          $0.name = "button"
          $0.role = "viewer"
        } as Device
      }
      let token = String(try #require(run.output.split(separator: "\n").first))
      #expect(token.hasPrefix("kith_") && token.utf8.count == 48)
      #expect(token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") })
      let request = try #require(run.sent.first as? AddDeviceRequest)
      #expect(request.role == "viewer" && request.tokenSha256.count == 64 && !request.tokenSha256.contains(token))
      tokens.insert(token)
    }
    #expect(tokens.count == 2)
  }

  @Test("Revoked devices are shown with --all alone; codes that wait are below")
  func devices() async throws {
    let reply = DevicesListReply.with {
      $0.devices = [
        .with {
          $0.name = "hanako"
          $0.role = "recorder"
          $0.state = "active"
          $0.lastSeen = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds - 120)
          $0.addedBy = "uid:1000"
        },
        .with {
          $0.name = "old"
          $0.role = "admin"
          $0.state = "revoked"
        },
      ]
      $0.invitations = [
        .with {
          $0.name = "taro"
          $0.role = "viewer"
          $0.expiresAt = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds + 600)
        }
      ]
    }
    let run = try await CommandRun.of("web", "devices") { _ in reply }
    #expect(
      run.output == """
        NAME    ROLE      STATE   LAST SEEN      BY
        hanako  recorder  active  2 minutes ago  uid:1000

        A code waits for taro (viewer) until 2026-11-21 09:25.

        """)
    let all = try await CommandRun.of("web", "devices", "--all") { _ in reply }
    #expect(all.output.contains("old") && all.output.contains("revoked"))
    let none = try await CommandRun.of("web", "devices") { _ in DevicesListReply() }
    #expect(none.output == "No devices found. Let one join: kith web pair --name NAME\n")
  }

  @Test("A device is revoked after a confirmation, as is a code that waits for one")
  func revoke() async throws {
    func run(_ typed: String) async throws -> CommandRun {
      try await CommandRun.of("web", "revoke", "hanako", isTerminal: true, typed: typed) { command in
        guard command is RevokeDeviceRequest else {
          return DevicesListReply.with { $0.invitations = [.with { $0.name = "hanako" }] }
        }
        return Device.with { $0.name = "hanako" }
      }
    }
    let wanted = try await run("y")
    #expect((wanted.sent.last as? RevokeDeviceRequest)?.name == "hanako" && wanted.output == "hanako is revoked.\n")
    let unwanted = try await run("n")
    #expect(unwanted.code == ExitStatus.failed.rawValue && !unwanted.sent.contains { $0 is RevokeDeviceRequest })
  }

  @Test("Who asks is a name, a principal and a role")
  func whoami() async throws {
    let run = try await CommandRun.of("whoami") { _ in
      WhoamiReply.with {
        $0.name = "ann"
        $0.principal = "uid:1000"
        $0.role = "admin"
      }
    }
    #expect(run.output == "ann (uid:1000), admin\n")
  }

  /// A door of a status, seconds from now.
  private static func door(_ tls: String, certificate: Int64?, heard: Int64 = 0, fault: String = "") -> Door {
    .with {
      $0.url = "https://kith.home.arpa"
      $0.tls = tls
      $0.lastSeen = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds + heard)
      if let certificate {
        $0.certificateExpires = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds + certificate)
      }
      $0.fault = fault
    }
  }

  @Test(
    "A door is a line that says what a person has to mend",
    arguments: [
      (door("own-ca", certificate: 380 * 86_400), "own CA, certificate valid for 1 year"),
      (door("certificate", certificate: 5 * 86_400), "certificate valid for 5 days"),
      (
        door("certificate", certificate: -2 * 86_400), "certificate, its certificate expired 2 days ago: renew it"
      ),
      (door("proxy", certificate: nil), "behind a proxy"), (door("none", certificate: nil), "not encrypted"),
      (
        door("proxy", certificate: nil, heard: -91, fault: "hidden"),
        "away since 2026-11-21 09:13: systemctl start kith-web"
      ), (door("proxy", certificate: nil, heard: -90, fault: "no\u{1B}"), "behind a proxy)\n          no\u{FFFD}"),
    ])
  func doors(door: Door, words: String) async throws {
    let run = try await CommandRun.of("status") { _ in StatusReply.with { $0.doors = [door] } }
    #expect(run.output.contains("Web       https://kith.home.arpa (\(words)"))
    #expect(!run.output.contains("hidden"))
  }
}
