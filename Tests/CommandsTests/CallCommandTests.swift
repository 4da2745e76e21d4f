import Bus
import Digest
import EventLoop
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Commands

@Suite("kith call")
struct CallCommandTests {
  private let call = Call.with {
    $0.id = "c-1"
    $0.personID = Household.annID
    $0.personName = "Ann Lee"
    $0.calledAt = Household.ago(86_400)
    $0.durationMinutes = 25
    $0.emotion = "happy"
    $0.note = "About the garden"
    $0.tags = ["family"]
    $0.syncState = "pending"
  }

  private func answer(_ command: any KithMessages.Command) -> any Message & Sendable {
    Household.people(command) ?? self.call
  }

  @Test("A call is logged with its options, and printed as it is stored")
  func log() async throws {
    let run = try await CommandRun.of(
      "call", "log", "ann", "--at", "yesterday 9:00", "--duration", "25", "--emotion", "happy", "--note", "Garden",
      "--they-called", "--tag", "family", "--tag", "garden", "--template", "weekly", answer: self.answer)
    let request = try #require(run.sent.last as? LogCallRequest)
    #expect(request.template == "weekly")
    #expect(request.record.personID == Household.annID)
    #expect(request.record.calledAt.seconds == CommandRun.now.seconds - 86_400 - 900)
    #expect(request.record.durationMinutes == 25)
    #expect(request.record.emotion == "happy")
    #expect(request.record.note == "Garden")
    #expect(request.record.theyCalled)
    #expect(request.record.tags == ["family", "garden"])
    #expect(
      run.output == """
        Call with Ann Lee
          When       2026-11-20 09:15 (1 day ago)
          Took       25 minutes
          Called by  you
          Felt       😊 happy
          Tags       family
          State      waits for the server
          ID         c-1

          About the garden

        """)
  }

  @Test("The default time is now")
  func logNow() async throws {
    let run = try await CommandRun.of("call", "log", "ann", answer: self.answer)
    #expect((run.sent.last as? LogCallRequest)?.record.calledAt == CommandRun.now)
  }

  @Test("A time that clocks skipped is an error before a request is sent")
  func skipped() async throws {
    let run = try await CommandRun.of("call", "log", Household.annID, "--at", "2026-03-29 02:30", answer: self.answer)
    #expect(run.code == 1)
    #expect(run.sent.isEmpty)
  }

  @Test("Quick, start, stop and restore")
  func short() async throws {
    let quick = try await CommandRun.of(
      "call", "quick", "ann", "--duration", "3", "--emotion", "sad", answer: self.answer)
    let request = try #require(quick.sent.last as? QuickCallRequest)
    #expect(request.personID == Household.annID)
    #expect(request.durationMinutes == 3)
    #expect(request.emotion == "sad")

    let started = try await CommandRun.of("call", "start", "ann", "--they-called", answer: self.answer)
    #expect((started.sent.last as? StartCallRequest)?.theyCalled == true)
    #expect(started.output.hasPrefix("The timer runs. To stop it: kith call stop\n"))

    let stopped = try await CommandRun.of("call", "stop", "--note", "Bye", "--tag", "a", answer: self.answer)
    let stop = try #require(stopped.sent.last as? StopCallRequest)
    #expect(stop.id.isEmpty)
    #expect(stop.note == "Bye")
    #expect(stop.tags == ["a"])
    #expect(stop.emotion.isEmpty)

    let restored = try await CommandRun.of("call", "restore", "c-1", answer: self.answer)
    #expect((restored.sent.last as? RestoreCallRequest)?.id == "c-1")
  }

  @Test("A list has all filters; a day given as the end belongs to it")
  func list() async throws {
    let run = try await CommandRun.of(
      "call", "list", "--person", "ann", "--from", "2026-11-01", "--to", "2026-11-20", "--emotion", "happy", "--tag",
      "x",
      "--state", "failed", "--limit", "5"
    ) { command in
      Household.people(command) ?? ListCallsReply.with { $0.calls = [self.call] }
    }
    let request = try #require(run.sent.last as? ListCallsRequest)
    #expect(request.limit == 5)
    #expect(request.filter.personID == Household.annID)
    #expect(try request.filter.from == .init(jsonString: #""2026-10-31T23:00:00Z""#))
    #expect(try request.filter.to == .init(jsonString: #""2026-11-20T23:00:00Z""#))
    #expect(request.filter.emotion == "happy")
    #expect(request.filter.tag == "x")
    #expect(request.filter.syncState == "failed")
    #expect(
      run.output == """
        PERSON   WHEN       AT                      TOOK  FELT  NOTE              TAGS    STATE    ID
        Ann Lee  1 day ago  2026-11-20 09:15  25 minutes  😊    About the garden  family  pending  c-1

        """)
  }

  @Test("Without filters nothing restricts")
  func listAll() async throws {
    let run = try await CommandRun.of("call", "list") { _ in ListCallsReply() }
    let request = try #require(run.sent.first as? ListCallsRequest)
    #expect(request.filter == CallFilter())
    #expect(run.output == "No calls found.\n")
  }

  @Test("One call is deleted alone, several together")
  func delete() async throws {
    let one = try await CommandRun.of("call", "delete", "c-1", answer: self.answer)
    #expect((one.sent.last as? DeleteCallRequest)?.id == "c-1")
    #expect(
      one.output == "Deleted the call: Call with Ann Lee\nTo restore it: kith call restore c-1\n")
    let several = try await CommandRun.of("call", "delete", "c-1", "c-2") { command in
      BulkDeleteCallsReply.with { $0.ids = (command as? BulkDeleteCallsRequest)?.ids ?? [] }
    }
    #expect((several.sent.first as? BulkDeleteCallsRequest)?.ids == ["c-1", "c-2"])
    #expect(several.output.hasPrefix("Deleted 2 calls.\n"))
  }

  @Test("Found words are marked: guillemets in plain text, bold with colour", arguments: [false, true])
  func search(usesColour: Bool) async throws {
    let hit = CallHit.with {
      $0.call = self.call
      $0.excerpt = "…é the garden, the garden\u{1B}[2J"
      $0.marks = [
        .with {
          $0.start = 19
          $0.length = 6
        },
        .with {
          $0.start = 7
          $0.length = 6
        },
      ]
    }
    let run = try await CommandRun.of("call", "search", "garden", "ann", usesColour: usesColour) { _ in
      SearchCallsReply.with { $0.hits = [hit] }
    }
    #expect((run.sent.first as? SearchCallsRequest)?.text == "garden ann")
    let expected =
      usesColour
      ? "    …é the \u{1B}[1mgarden\u{1B}[0m, the \u{1B}[1mgarden\u{1B}[0m\u{FFFD}[2J\n"
      : "    …é the «garden», the «garden»\u{FFFD}[2J\n"
    #expect(run.output.hasSuffix(expected))
    #expect(run.output.hasPrefix("Ann Lee, 1 day ago, 25 minutes, 😊, pending"))
  }

  @Test(
    "Marks beyond the text do no harm",
    arguments: [(0, 99), (99, 1), (3, 0), (UInt32.max, UInt32.max)] as [(UInt32, UInt32)])
  func marks(start: UInt32, length: UInt32) {
    let hit = CallHit.with {
      $0.excerpt = "abc"
      $0.marks = [
        .with {
          $0.start = start
          $0.length = length
        }
      ]
    }
    let text = Excerpt(hit).text(Style(isOn: false))
    #expect(text == (start == 0 ? "«abc»" : "abc"))
  }

  @Test("A timeline has the groups between the rows of one table")
  func timeline() async throws {
    let run = try await CommandRun.of("call", "timeline") { _ in
      CallTimelineReply.with {
        $0.groups = [
          .with {
            $0.title = "today"
            $0.calls = [
              .with {
                $0.id = "c-2"
                $0.personID = "p"
                $0.personName = "Bob"
                $0.calledAt = Household.ago(60)
                $0.isRunning = true
                $0.syncState = "synced"
              }
            ]
          },
          .with { $0.title = "yesterday" },
          .with {
            $0.title = "this_week"
            $0.calls = [self.call]
          },
        ]
      }
    }
    #expect((run.sent.first as? CallTimelineRequest)?.timeZone == "Europe/Berlin")
    #expect(
      run.output == """
        PERSON   WHEN          AT                      TOOK  FELT  NOTE              TAGS    STATE    ID

        Today
        Bob      1 minute ago  2026-11-21 09:14     running                                           c-2

        This week
        Ann Lee  1 day ago     2026-11-20 09:15  25 minutes  😊    About the garden  family  pending  c-1

        """)
    let empty = try await CommandRun.of("call", "timeline") { _ in CallTimelineReply() }
    #expect(empty.output == "No calls found.\n")
  }

  @Test("Statistics are counts, bars and people")
  func stats() async throws {
    let run = try await CommandRun.of("call", "stats") { _ in
      CallStatsReply.with {
        $0.calls = 5
        $0.minutes = 62
        $0.averageMinutes = 15.5
        $0.callsAWeek = 2.5
        $0.theyCalled = 1
        $0.emotions = ["happy": 3, "sad": 1]
        $0.weeks = [
          .with {
            $0.monday = "2026-11-16"
            $0.calls = 4
            $0.minutes = 60
          },
          .with {
            $0.monday = "2026-11-09"
            $0.calls = 1
            $0.minutes = 2
          },
          .with { $0.monday = "2026-11-02" },
        ]
        $0.people = [
          .with {
            $0.personID = "p"
            $0.personName = "Ann"
            $0.calls = 5
            $0.averageMinutes = 15.5
            $0.lastCalledAt = Household.ago(3600)
          }
        ]
      }
    }
    #expect(
      run.output == """
        5 calls, 2.5 a week
        62 minutes, 15.5 a call on average
        They called 1 time, you 4 times
        😊 happy 3   😢 sad 1

        WEEK OF     CALLS  MINUTES
        2026-11-16      4       60  ████████████████████████
        2026-11-09      1        2  ██████
        2026-11-02      0        0

        PERSON  CALLS  LAST CALL    AVERAGE  ID
        Ann         5  1 hour ago  15.5 min  p

        """)
    #expect(try await CommandRun.of("call", "stats") { _ in CallStatsReply() }.output == "No calls found.\n")
  }

  @Test("Suggestions show each person's usual interval")
  func suggest() async throws {
    let run = try await CommandRun.of("call", "suggest", "--limit", "3") { _ in
      SuggestCallsReply.with {
        let people: [(String, UInt32, UInt32, Int64)] = [("Ann", 14, 1, 15), ("Bob", 0, 10, 100)]
        $0.suggestions = people.map { name, usual, overdue, days in
          .with {
            $0.personID = "id-\(name)"
            ($0.personName, $0.usualDays, $0.overdueDays) = (name, usual, overdue)
            $0.lastCalledAt = Household.ago(86_400 * days)
          }
        }
      }
    }
    #expect((run.sent.first as? SuggestCallsRequest)?.limit == 3)
    #expect(
      run.output == """
        PERSON  LAST CALL     USUALLY        OVERDUE  ID
        Ann     15 days ago   every 14 days    1 day  id-Ann
        Bob     3 months ago                 10 days  id-Bob

        """)
  }

  @Test("An export is written whole")
  func export() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("calls.pdf")
    let bytes = Array("%PDF".utf8)
    let run = try await CommandRun.of(
      "call", "export", "--format", "pdf", "--lang", "ja", "--from", "2026-11-01", "-o", path,
      attachments: { $0 is BlobGetRequest ? [bytes] : [] }
    ) { command in
      if command is BlobGetRequest { return BlobGetReply() }
      return BlobRef.with {
        $0.sha256 = Hex.encode(SHA256.digest(bytes))
        $0.size = 4
      }
    }
    let request = try #require(run.sent.first as? ExportCallsRequest)
    #expect(request.format == "pdf")
    #expect(request.language == "ja")
    #expect(request.timeZone == "Europe/Berlin")
    #expect(request.filter.hasFrom)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
  }

  @Test("Attachments are uploaded first, and an edit adds them to the existing ones")
  func attach() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("photo.JPG")
    try Data("picture".utf8).write(to: URL(fileURLWithPath: path))
    let old = BlobRef.with { $0.sha256 = "old" }
    let run = try await CommandRun.of("call", "edit", "c-1", "--attach", path) { command in
      switch command {
      case is BlobOpenRequest: return BlobOpenReply()
      case is BlobPutRequest: return BlobPutReply()
      case is GetCallRequest: return Call.with { $0.attachments = [old] }
      default: return self.call
      }
    }
    let blob = BlobRef.with {
      $0.sha256 = Hex.encode(SHA256.digest(Array("picture".utf8)))
      $0.size = 7
      $0.mediaType = "image/jpeg"
    }
    #expect(run.sent.compactMap { $0 as? BlobOpenRequest }.map(\.blob) == [blob])
    // The piece, and the empty one that completes the upload.
    #expect(run.sent.compactMap { $0 as? BlobPutRequest }.map(\.offset) == [0, 7])
    let request = try #require(run.sent.compactMap { $0 as? UpdateCallRequest }.first)
    #expect(request.fields == ["attachments"])
    #expect(request.record.attachments == [old, blob])
  }

  @Test("A missing file is an error before the call is logged")
  func noFile() async throws {
    let run = try await CommandRun.of("call", "log", Household.annID, "--attach", "/nowhere/x.m4a", answer: self.answer)
    #expect(run.code == 1)
    #expect(run.errors.hasPrefix("kith: /nowhere/x.m4a cannot be read: No such file or directory."))
    #expect(run.sent.isEmpty)
  }

  @Test("An attachment is counted from one")
  func attachment() async throws {
    let run = try await CommandRun.of("call", "attachment", "c-1", "--number", "2", "-o", "/nowhere/x") { _ in
      Call.with { $0.attachments = [BlobRef()] }
    }
    #expect(run.code == 1)
    #expect(run.errors == "kith: This call has 1 attachment. To count them: kith call show c-1\n")
  }

  @Test("Templates are kept, listed and deleted")
  func templates() async throws {
    let saved = try await CommandRun.of("call", "template", "save", "weekly", "--duration", "30", "--i-called") {
      command in
      (command as? SaveCallTemplateRequest)?.template ?? CallTemplate()
    }
    let template = try #require((saved.sent.first as? SaveCallTemplateRequest)?.template)
    #expect(template.name == "weekly")
    #expect(template.durationMinutes == 30)
    #expect(!template.theyCalled)
    #expect(saved.output == "Saved. To use it: kith call log PERSON --template weekly\n")
    let listed = try await CommandRun.of("call", "template", "list") { _ in
      ListCallTemplatesReply.with { $0.templates = [template] }
    }
    #expect(
      listed.output == """
        NAME         TAKES  CALLED BY
        weekly  30 minutes  you

        """)
    #expect(
      try await CommandRun.of("call", "template", "list") { _ in ListCallTemplatesReply() }.output
        == "No templates found.\n")
    let deleted = try await CommandRun.of("call", "template", "delete", "weekly") { _ in template }
    #expect((deleted.sent.first as? DeleteCallTemplateRequest)?.name == "weekly")
  }
}
