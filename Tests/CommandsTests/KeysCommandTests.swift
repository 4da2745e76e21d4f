import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("kith keys")
struct KeysCommandTests {
  private func key(_ change: (inout KeyInfo) -> Void) -> KeyInfo {
    .with {
      $0.fingerprint = "0123456789abcdef"
      change(&$0)
    }
  }

  @Test("Keys are a table without its empty columns; the number of pending keys is below")
  func list() async throws {
    let reply = KeysListReply.with {
      $0.keys = [
        self.key {
          $0.name = "kitchen"
          $0.role = "worker"
          $0.state = "approved"
          $0.services = ["kith.v1.ContactsSource", "kith.v1.Transcriber"]
          $0.lastSeen = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds - 120)
          $0.lastAddress = "192.168.1.20"
        }
      ]
      $0.pending = [KeyInfo()]
    }
    let run = try await CommandRun.of("keys", "list") { _ in reply }
    #expect(
      run.output == """
        NAME     ROLE    STATE     FINGERPRINT       SERVICES                     LAST SEEN      FROM
        kitchen  worker  approved  0123456789abcdef  ContactsSource, Transcriber  2 minutes ago  192.168.1.20

        1 key waits: kith keys pending

        """)
  }

  @Test("Empty lists have a sentence")
  func empty() async throws {
    let list = try await CommandRun.of("keys", "list") { _ in KeysListReply() }
    #expect(list.output.hasPrefix("No keys found."))
    let pending = try await CommandRun.of("keys", "pending") { _ in KeysListReply() }
    #expect(pending.output == "No keys wait.\n")
    let show = try await CommandRun.of("keys", "show") { _ in ServerKey() }
    #expect(show.output == "kithd has no key yet. Make one: kith keys init\n")
  }

  @Test("The approval has the options of the command line")
  func approve() async throws {
    let run = try await CommandRun.of(
      "keys", "approve", "0123456789abcdef", "--name", "attic", "--role", "worker", "--service", "transcriber",
      "--valid-for", "30d"
    ) { _ in
      self.key {
        $0.name = "attic"
        $0.role = "worker"
      }
    }
    let request = try #require(run.sent.first as? KeyApproveRequest)
    #expect(request.services == ["transcriber"] && request.validFor.seconds == 2_592_000 && request.name == "attic")
    #expect(run.output == "attic (0123456789abcdef) may connect as worker.\n")
  }

  @Test("A key that begins with a hyphen is a key")
  func hyphen() async throws {
    let key = "-" + String(repeating: "0", count: 39)
    let run = try await CommandRun.of("keys", "approve", "--public-key", key, "--name", "attic") { _ in KeyInfo() }
    #expect((run.sent.first as? KeyApproveRequest)?.publicKeyZ85 == key)
  }

  @Test("A known name is revoked by name, anything else by fingerprint, after a confirmation")
  func revoke() async throws {
    let keys = KeysListReply.with {
      $0.keys = [
        self.key {
          $0.name = "attic"
          $0.state = "approved"
        }
      ]
    }
    func run(_ which: String, typed: String?) async throws -> CommandRun {
      try await CommandRun.of("keys", "revoke", which, isTerminal: true, typed: typed) { command in
        guard command is KeyRevokeRequest else { return keys }
        return self.key { $0.name = "attic" }
      }
    }
    #expect((try await run("attic", typed: "y").sent.last as? KeyRevokeRequest)?.name == "attic")
    #expect((try await run("0123456789abcdef", typed: "y").sent.last as? KeyRevokeRequest)?.name == "")
    let unwanted = try await run("attic", typed: "n")
    #expect(unwanted.code == ExitStatus.failed.rawValue && unwanted.sent.count == 1)
  }

  @Test("The key of the server is printed with the fault of tcp")
  func show() async throws {
    let run = try await CommandRun.of("keys", "show") { _ in
      ServerKey.with {
        $0.publicKeyZ85 = "K"
        $0.fingerprint = "0123456789abcdef"
        $0.fault = "the port is in use"
      }
    }
    #expect(
      run.output == """
        Public key   K
        Fingerprint  0123456789abcdef
        Not served   the port is in use

        """)
  }

  @Test(
    "Spans are numbers with a unit", arguments: [("7d", 604_800), ("12h", 43_200), ("10m", 600), ("5s", 5), ("0", 0)])
  func spans(text: String, seconds: Int64) { #expect(SpanArgument(argument: text)?.seconds == seconds) }

  @Test("Invalid durations are refused", arguments: ["", "d", "7", "-1d", "1w", "1.5h", "99999999999d"])
  func noSpans(text: String) { #expect(SpanArgument(argument: text) == nil) }
}
