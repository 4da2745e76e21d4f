import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("kith monica")
struct MonicaCommandTests {
  private func status(_ change: (inout MonicaStatus) -> Void = { _ in }) -> MonicaStatus {
    .with {
      $0.endpoint = "https://monica.test"
      $0.state = "logged_in"
      $0.token = "••••wxyz"
      $0.userName = "Ann"
      $0.userEmail = "ann@example.com"
      $0.people = 1200
      $0.lastPullAt = Household.ago(120)
      $0.instances = ["https://monica.test", "https://app.monicahq.com"]
      change(&$0)
    }
  }

  private func synced(_ change: (inout MonicaStatus) -> Void = { _ in }) -> MonicaStatus {
    self.status {
      $0.sync.state = .completed
      $0.sync.finishedAt = Household.ago(5)
      change(&$0)
    }
  }

  private let entry = QueueEntry.with {
    $0.id = "q-1"
    $0.kind = "call"
    $0.entityID = "c-1"
    $0.operation = "create"
    $0.state = "failed"
    $0.attempts = 3
    $0.personName = "Ann"
    $0.error.message = "The note is too long."
  }

  @Test("kith asks for the token without a token file, and never prints it")
  func login() async throws {
    let run = try await CommandRun.of("monica", "login", "--endpoint", "https://monica.test", typed: "s3cret") { _ in
      self.status()
    }
    let request = try #require(run.sent.first as? LoginRequest)
    #expect(request.endpoint == "https://monica.test")
    #expect(request.token == "s3cret")
    #expect(!run.output.contains("s3cret"))
    #expect(
      run.output == """
        https://monica.test
          Account    logged in as Ann (ann@example.com)
          Token      ••••wxyz
          Last read  2 minutes ago
          Others     https://app.monicahq.com
        monica: is being read now, 1,200 people so far. To wait for the end: kith monica sync

        """)
  }

  @Test("Files are named to kithd by absolute paths")
  func tokenFile() async throws {
    let run = try await CommandRun.of("monica", "login", "--cloud", "--token-file", "t", "--ca-file", "/ca.pem") { _ in
      self.status()
    }
    let request = try #require(run.sent.first as? LoginRequest)
    #expect(request.cloud)
    #expect(request.token.isEmpty)
    #expect(request.tokenFile == FileManager.default.currentDirectoryPath + "/t")
    #expect(request.caFile == "/ca.pem")
  }

  @Test("Without a terminal, the error names the option")
  func noToken() async throws {
    let run = try await CommandRun.of("monica", "login", "--cloud") { _ in self.status() }
    #expect(run.code == 1)
    #expect(run.sent.isEmpty)
    #expect(run.errors.contains("No token was given."))
    #expect(run.errors.contains("--token-file"))
  }

  @Test("A refused token is exit code 4, with the server's message")
  func refused() async throws {
    let run = try await CommandRun.of("monica", "login", "--cloud", typed: "x") { _ throws(Failure) in
      throw Failure(.unauthenticated, "NEEDS_CREDENTIALS", "This API token is invalid or expired.")
    }
    #expect(run.code == 4)
    #expect(run.errors == "kith: This API token is invalid or expired.\n")
  }

  @Test(
    "Each state of an account says what to do",
    arguments: [
      ("logged_out", "logged out. To log in again: kith monica login --endpoint https://monica.test"),
      ("expired", "Your session expired. Please log in again: kith monica login --endpoint https://monica.test"),
    ])
  func states(state: String, words: String) async throws {
    let run = try await CommandRun.of("monica", "status") { _ in self.status { $0.state = state } }
    #expect(run.output.contains(words))
  }

  @Test("Without an account, the status has the command to log in")
  func none() async throws {
    let run = try await CommandRun.of("monica", "status") { _ in MonicaStatus.with { $0.state = "none" } }
    #expect(run.output == "No account. Log in: kith monica login --cloud\n")
  }

  @Test("A sync prints counts in words, and what is left to do")
  func sync() async throws {
    let run = try await CommandRun.of("monica", "sync", "--full") { command in
      if command is QueueRequest { return QueueReply() }
      return self.synced {
        $0.sync.pushed = 3
        $0.sync.updated = 12
        $0.pending = 2
        $0.failed = 1
        $0.conflicts = 1
        $0.nextAttemptAt = Household.ago(-180)
      }
    }
    #expect(run.code == 0)
    #expect((run.sent.first as? MonicaSyncRequest)?.full == true)
    #expect(
      run.output == """
        monica: completed just now, 1,200 people: 3 sent, 12 updated
          2 changes not on the server yet. Next attempt in 3 minutes.
          1 change refused by the server.
          To see why: kith monica queue --state failed
          1 record changed on both sides.
          To resolve them: kith monica conflicts
          All of them have arrived since.

        """)
  }

  @Test("A sync prints failed changes behind any number of conflicts")
  func syncWithConflicts() async throws {
    let conflicts = (1...5).map { number in
      QueueEntry.with {
        $0.id = "c-\(number)"
        $0.state = "conflict"
      }
    }
    let run = try await CommandRun.of("monica", "sync") { command in
      guard let request = command as? QueueRequest else {
        return self.synced {
          $0.failed = 1
          $0.conflicts = 5
        }
      }
      let queue = conflicts + [self.entry]
      let start = Int(request.cursor) ?? 0
      let page = queue.dropFirst(start).prefix(request.limit == 0 ? 3 : Int(request.limit))
      return QueueReply.with {
        $0.entries = Array(page)
        $0.nextCursor = page.endIndex < queue.count ? "\(page.endIndex)" : ""
      }
    }
    #expect(!run.output.contains("have arrived since"))
    #expect(run.output.contains("  create call of Ann: The note is too long.\n"))
    #expect(run.output.hasSuffix("  After correcting that: kith monica retry\n"))
  }

  @Test("A server that failed makes the exit code 1, after the output", arguments: [true, false])
  func syncFailed(isJSON: Bool) async throws {
    let status = self.synced {
      $0.sync.state = .error
      $0.sync.error.message = "Monica is having trouble. Please try again."
    }
    let run =
      isJSON
      ? try await CommandRun.of("monica", "sync", "--json") { _ in status }
      : try await CommandRun.of("monica", "sync") { _ in status }
    #expect(run.code == 1)
    #expect(run.output.contains("Monica is having trouble. Please try again."))
  }

  @Test("The queue is a table, and in JSON the reply")
  func queue() async throws {
    let reply = QueueReply.with { $0.entries = [self.entry] }
    let run = try await CommandRun.of("monica", "queue", "--state", "failed") { _ in reply }
    #expect((run.sent.first as? QueueRequest)?.state == "failed")
    #expect(
      run.output == """
        STATE   CHANGE       PERSON  TRIED  WHY                    ID
        failed  create call  Ann         3  The note is too long.  q-1

        """)
    let json = try await CommandRun.of("monica", "queue", "--json") { _ in reply }
    #expect(
      json.output
        == #"{"entries":[{"id":"q-1","kind":"call","entityId":"c-1","operation":"create","state":"failed","attempts":3,"#
        + #""error":{"message":"The note is too long."},"personName":"Ann"}]}"# + "\n")
    #expect(try await CommandRun.of("monica", "queue") { _ in QueueReply() }.output == "No changes found.\n")
    for (state, words) in [
      ("conflict", "The server does not have Ben any more."), ("failed", "The server refuses Ben."),
      ("pending", "It waits until Ben is on the server."),
    ] {
      // Its error is of an earlier attempt.
      var waiting = self.entry
      waiting.waitsFor = .with { ($0.personName, $0.state) = ("Ben", state) }
      let waits = QueueReply.with { $0.entries = [waiting] }
      let run = try await CommandRun.of("monica", "queue") { _ in waits }
      #expect(run.output.contains(words) && !run.output.contains(self.entry.error.message))
    }
  }

  @Test("Changes are retried or discarded, some or all")
  func queueChanges() async throws {
    let reply = QueueChangeReply.with { $0.entries = [self.entry] }
    let retried = try await CommandRun.of("monica", "retry") { _ in reply }
    #expect((retried.sent.first as? RetryQueueRequest)?.ids == [])
    #expect(retried.output.hasPrefix("Retrying 1 change.\n"))
    let cleared = try await CommandRun.of("monica", "clear", "q-1", "q-2") { _ in QueueChangeReply() }
    #expect((cleared.sent.first as? ClearQueueRequest)?.ids == ["q-1", "q-2"])
    #expect((cleared.sent.first as? ClearQueueRequest)?.all == false)
    #expect(cleared.output == "Discarded 0 changes.\n")
    let all = try await CommandRun.of("monica", "clear", "--all", isTerminal: true, typed: "y") { _ in reply }
    #expect((all.sent.first as? ClearQueueRequest)?.all == true)
    let kept = try await CommandRun.of("monica", "clear", "--all", isTerminal: true, typed: "") { _ in reply }
    #expect(kept.sent.isEmpty)
    #expect(kept.code == 1)
  }

  @Test("`forget` prints what is lost, and what stays")
  func forget() async throws {
    let run = try await CommandRun.of("monica", "forget", "--discard-pending") { _ in
      ClearCacheReply.with {
        $0.removed = 1200
        $0.kept = 2
      }
    }
    #expect((run.sent.first as? ClearCacheRequest)?.discardPending == true)
    #expect(
      run.output == "Deleted 1,200 records.\nKept 2 records with data that Monica does not store.\n")
  }

  @Test("Conflicts have both versions side by side, long text wrapped, and the commands that resolve them")
  func conflicts() async throws {
    let run = try await CommandRun.of("monica", "conflicts") { _ in
      ConflictsReply.with { reply in
        reply.conflicts = [
          .with {
            $0.id = "q-1"
            $0.kind = "note"
            $0.personName = "Ann"
            $0.foundAt = Household.ago(60)
            $0.fields = [
              .with {
                $0.name = "body"
                $0.local = "Likes green tea more than anything else"
                $0.server = "Likes coffee"
                $0.base = "Likes tea"
                $0.overlaps = true
              },
              .with {
                $0.name = "is_favorite"
                $0.local = "true"
                $0.server = "false"
              },
            ]
          },
          .with {
            $0.id = "q-2"
            $0.kind = "gift"
            $0.deletedOnServer = true
            $0.foundAt = Household.ago(120)
          },
        ]
      }
    }
    #expect(
      run.output == """
        note of Ann, found 1 minute ago
          FIELD        HERE                                ON THE SERVER  BEFORE
          body         Likes green tea more than anything  Likes coffee   Likes tea
                       else
          is_favorite  true                                false                     merged
          To keep what is here: kith monica resolve q-1 --keep local
          To keep what is on the server: kith monica resolve q-1 --keep server
          Field by field: kith monica resolve q-1 --merge body=local

        gift, found 2 minutes ago
          The server does not have it any more.
          To keep what is here: kith monica resolve q-2 --keep local
          To keep what is on the server: kith monica resolve q-2 --keep server

        """)
    #expect(try await CommandRun.of("monica", "conflicts") { _ in ConflictsReply() }.output == "No conflicts found.\n")
  }

  @Test("A conflict is resolved by a side, or field by field")
  func resolve() async throws {
    let kept = try await CommandRun.of("monica", "resolve", "q-1", "--keep", "server") { _ in QueueChangeReply() }
    #expect((kept.sent.first as? ResolveConflictRequest)?.keep == "server")
    let merged = try await CommandRun.of(
      "monica", "resolve", "q-1", "--merge", "body=local", "called_at=server"
    ) { _ in QueueChangeReply() }
    let request = try #require(merged.sent.first as? ResolveConflictRequest)
    #expect(request.keep == "merge")
    #expect(request.fields == ["body": "local", "called_at": "server"])
    let all = try await CommandRun.of("monica", "resolve", "--deleted", "--keep", "local") { _ in QueueChangeReply() }
    let asked = try #require(all.sent.first as? ResolveConflictRequest)
    #expect(all.sent.count == 1 && asked.id.isEmpty && asked.allDeletedOnServer && asked.keep == "local")
    for wrong in [
      ["monica", "resolve", "--keep", "local"], ["monica", "resolve", "q-1", "--deleted", "--keep", "local"],
    ] {
      await #expect(throws: (any Error).self) { try await CommandRun.of(wrong) { _ in QueueChangeReply() } }
    }
  }

  @Test("Logging out and switching accounts print the account in use")
  func others() async throws {
    let out = try await CommandRun.of("monica", "logout") { _ in self.status { $0.state = "logged_out" } }
    #expect(out.sent.first is LogoutRequest)
    let other = try await CommandRun.of("monica", "switch", "https://app.monicahq.com") { _ in self.status() }
    #expect((other.sent.first as? SwitchInstanceRequest)?.endpoint == "https://app.monicahq.com")
    let catalog = try await CommandRun.of("monica", "catalog") { _ in CatalogReply() }
    #expect((catalog.sent.first as? CatalogRequest)?.catalog == "")
    #expect(catalog.output.hasPrefix("No names found."))
  }

  @Test(
    "A name of a server is told by its meaning",
    arguments: [
      ("ja", ["名前     英語", "親       parent", "Nachbar"]), ("en", ["NAME     日本語", "parent   親", "Nachbar"]),
    ])
  func names(language: String, lines: [String]) async throws {
    let run = try await CommandRun.of("relation", "types", "--lang", language) { _ in
      CatalogReply.with {
        $0.entries = ["parent", "Nachbar"].map { name in
          CatalogEntry.with { ($0.catalog, $0.name) = ("relationship_type", name) }.named
        }
      }
    }
    let printed = run.output.split(separator: "\n")
    #expect(zip(printed, lines).allSatisfy { $0.hasPrefix($1) } && printed.count == 3, "\(run.output)")
  }
}
