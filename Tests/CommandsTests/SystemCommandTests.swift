import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("kith status, services, watch")
struct SystemCommandTests {
  private func event(_ sequence: UInt64, _ change: (inout Event) -> Void) -> LoggedEvent {
    .with {
      $0.header.stream = "sync"
      $0.header.seq = sequence
      change(&$0.event)
    }
  }

  private func syncing(_ sequence: UInt64) -> LoggedEvent {
    self.event(sequence) {
      $0.sync.source = "contacts:home"
      $0.sync.state = .syncing
      $0.sync.done = 50
      $0.sync.total = 100
    }
  }

  @Test("Status is a few lines, with the sources below")
  func status() async throws {
    let run = try await CommandRun.of("status") { _ in
      StatusReply.with {
        $0.version = "1.0"
        $0.startedAt = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds - 7300)
        $0.storage.integrity = .sound
        $0.storage.contacts = 1200
        $0.storage.bytes = 12_345_678
        $0.storage.path = "/state/kith.db"
        $0.heads = [
          .with {
            $0.stream = "sync"
            $0.seq = 9
          }
        ]
      }
    }
    #expect(
      run.output == """
        kithd 1.0, running for 2 hours
        Storage   sound, 1,200 contacts, 12.3 MB in /state/kith.db
        Commands  0 in flight
        Watched   by 0 subscriptions
        Streams   sync 9

        No sources found. Add one: kith contacts source add home --vdir ~/contacts

        """)
  }

  @Test("What is wrong with the backups is told in the language of the reader, with the age of the last good one")
  func backups() async throws {
    let failure = Failure(
      .internal, "BACKUP_FAILED", "No backup came of /mnt: the folder is missing.",
      details: ["path": "/mnt", "cause": "folder_missing"])
    func said(_ language: String, days: Int64, error: Status?) async throws -> String {
      try await CommandRun.of("status", "--lang", language) { command in
        guard command is ListBackupsRequest else { return StatusReply.with { $0.storage.integrity = .sound } }
        return BackupState.with {
          $0.folder = "/mnt"
          $0.lastGood.seconds = CommandRun.now.seconds - days * 86_400
          $0.fault = failure.message
          if let error { $0.error = error }
        }
      }.output
    }
    let english = try await said("en", days: 3, error: failure.status)
    #expect(english.contains("the folder is missing. The last good backup was made 3 days ago."))
    let japanese = try await said("ja", days: 3, error: failure.status)
    #expect(japanese.contains("バックアップ /mnt: フォルダーがありません。") && japanese.contains("最後の正しいバックアップは3日前です。"))
    #expect(!japanese.contains("No backup"))
    #expect(try await !said("ja", days: 1, error: failure.status).contains("最後の正しい"))
    // What an earlier release stored has no reason.
    #expect(try await said("ja", days: 1, error: nil).contains("No backup came of /mnt: the folder is missing."))
    let none = try await CommandRun.of("status") { command in
      guard command is ListBackupsRequest else { return StatusReply.with { $0.storage.integrity = .sound } }
      return BackupState()
    }
    #expect(none.output.contains("Backup    none is made every day. To set it up: [backup] folder in kithd.toml"))
  }

  @Test("Colour only where it is wanted")
  func colour() async throws {
    let reply = StatusReply.with { $0.storage.integrity = .damaged }
    #expect(
      try await CommandRun.of("status", usesColour: true) { _ in reply }.output.contains("\u{1B}[31mdamaged\u{1B}[0m"))
    #expect(try await !CommandRun.of("status") { _ in reply }.output.contains("\u{1B}"))
  }

  @Test("A refusal is exit code 4, other failures 1; the text is on standard error")
  func refused() async throws {
    let run = try await CommandRun.of("status") { _ throws(Failure) in
      throw Failure(.permissionDenied, "ROLE_NOT_ALLOWED", "This needs the role admin.")
    }
    #expect(run.code == 4)
    #expect(run.output.isEmpty)
    #expect(run.errors == "kith: This needs the role admin.\n")
    let json = try await CommandRun.of("status", "--json") { _ throws(Failure) in throw Failure(.notFound, "R", "m") }
    #expect(json.code == 1)
    #expect(json.errors == #"{"code":"NOT_FOUND","reason":"R","message":"m"}"# + "\n")
  }

  @Test("Watch prints each event, for people as one line each without a terminal")
  func watch() async throws {
    let run = try await CommandRun.of(
      "watch", "sync",
      events: [
        .position(StreamPosition()), .event(self.syncing(1)),
        .event(
          self.event(2) {
            $0.changed.ids = ["a", "b"]
            $0.changed.kind = "contact"
          }),
        .event(self.event(3) { $0.system.kind = "agent.started" }),
      ]
    ) { _ throws(Failure) in throw .cancelled }
    #expect(
      run.output == """
        sync #1  home ████████████░░░░░░░░░░░░  50% 50 of 100
        sync #2  2 contacts changed
        sync #3  kithd has started

        """)
  }

  @Test("Watch in JSON is one event a line, without the first snapshot")
  func watchJSON() async throws {
    var position = StreamPosition()
    position.stream = "sync"
    let run = try await CommandRun.of(
      "watch", "sync", "--json", "--count", "1",
      events: [.snapshot(self.syncing(1)), .position(position), .event(self.syncing(2)), .event(self.syncing(3))]
    ) { _ throws(Failure) in throw .cancelled }
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 1)
    #expect(lines.first?.contains(#""seq":"2""#) == true)
  }

  @Test("The snapshot after missed events is printed with its cause")
  func resync() async throws {
    var position = StreamPosition()
    position.stream = "sync"
    let run = try await CommandRun.of(
      "watch", "sync", "--json",
      events: [
        .position(position), .resync(stream: "sync", .compacted), .snapshot(self.syncing(7)), .position(position),
      ]
    ) { _ throws(Failure) in throw .cancelled }
    #expect(run.output.contains(#""seq":"7""#))
    #expect(run.errors.hasPrefix("kith: sync: older events are no longer kept."))
  }

  @Test("A progress bar is drawn in place on a terminal, and replaced by the result")
  func bar() async throws {
    let done = self.event(3) {
      $0.sync.source = "contacts:home"
      $0.sync.state = .completed
      $0.sync.finishedAt = CommandRun.now
    }
    let run = try await CommandRun.of(
      "watch", "sync", isTerminal: true, events: [.event(self.syncing(1)), .event(self.syncing(2)), .event(done)]
    ) { _ throws(Failure) in throw .cancelled }
    #expect(run.output.filter { $0 == "\n" }.count == 1)
    #expect(run.output.hasSuffix("\r\u{1B}[Ksync #3  home: completed just now, 0 contacts: nothing to do\n"))
  }

  @Test("Without arguments every stream is watched")
  func allStreams() async throws {
    let run = try await CommandRun.of("watch") { _ in HelloReply() }
    #expect(run.sent.count == 1)
    #expect(run.sent.first is HelloRequest)
  }
}
