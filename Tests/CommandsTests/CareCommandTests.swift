import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Commands

@Suite("kith care and kith remind")
struct CareCommandTests {
  @Test("What was sent of a recording is kept when the rest cannot be sent")
  func interruptedVoice() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("sound.wav")
    try Data(repeating: 1, count: 300_000).write(to: URL(fileURLWithPath: path))
    let run = try await CommandRun.of("care", "voice", "--file", path, "--no-wait") { command throws(Failure) in
      switch command {
      case is StartVoiceRequest, is StopVoiceRequest: return CareReply.with { $0.record.id = "r" }
      case let append as AppendVoiceRequest:
        guard append.offset == 0 else { throw Failure(.resourceExhausted, "DISK_FULL", "The disk is full.") }
        return AppendVoiceReply.with { $0.nextOffset = 262_144 }
      default: throw .bug("unexpected")
      }
    }
    #expect(
      run.sent.map { type(of: $0).method.name.split(separator: "/").last } == [
        "StartVoice", "AppendVoice", "AppendVoice", "StopVoice",
      ])
    #expect((run.sent.last as? StopVoiceRequest)?.id == "r")
    #expect(run.errors.contains("The disk is full.") && run.code != 0)
  }

  @Test("A search goes on where it ended")
  func search() async throws {
    let run = try await CommandRun.of("care", "search", "rash", "--cursor", "c1") { _ in
      ListCareReply.with {
        $0.records = [.with { $0.id = "r" }]
        $0.nextCursor = "c2"
      }
    }
    #expect((run.sent.first as? SearchCareRequest)?.cursor == "c1")
    #expect(run.output.contains("--cursor c2"))
  }

  @Test("Why words are missing is said in the language of who reads it")
  func missingWords() async throws {
    for (language, words) in [
      ("ja", ["音声認識サーバーにつながりません", "ffmpeg を入れるか"]),
      ("en", ["the speech server is away", "needs a memo: converter missing"]),
    ] {
      let run = try await CommandRun.of("care", "list", "--lang", language) { _ in
        ListCareReply.with {
          $0.records = [("pending_transcription", "engine_unreachable"), ("needs_memo", "converter_missing")].map {
            (state, reason) in
            CareRecord.with {
              ($0.id, $0.state, $0.reason) = (reason, state, reason)
              $0.nextAttemptAt = Household.ago(-60)
            }
          }
        }
      }
      for word in words { #expect(run.output.contains(word), "\(run.output)") }
    }
  }

  @Test("Days of reminders are those of whoever sets them")
  func callReminder() async throws {
    let run = try await CommandRun.of("remind", "call", "ann", "--on", "2026-12-24 18:00") { command in
      Household.people(command) ?? Reminder()
    }
    let request = try #require(run.sent.last as? AddCallReminderRequest)
    #expect(request.timeZone == "Europe/Berlin" && request.on == "2026-12-24 18:00")
  }
}
