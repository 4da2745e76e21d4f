import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Commands

@Suite("kith care and kith remind")
struct CareCommandTests {
  @Test("The sent part of a recording is kept if the rest cannot be sent")
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

  @Test("A search continues at its cursor")
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

  @Test("The reason for a missing transcript is in the language of the output")
  func missingWords() async throws {
    for (language, words) in [
      ("ja", ["音声認識サーバーにつながりません", "ffmpeg を入れるか"]),
      ("en", ["the speech server is unreachable", "needs a memo: install ffmpeg"]),
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

  @Test("Without a transcript the command fails and prints what to do")
  func notTranscribed() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("sound.wav")
    try Data([1]).write(to: URL(fileURLWithPath: path))
    for (state, reason, words) in [
      ("needs_memo", "engine_failed: no model", ["the speech engine failed (no model)", "kith care play r"]),
      (
        "pending_transcription", "no_worker",
        ["kith: waits: no worker for transcription is connected", "kith care show r"]
      ),
    ] {
      let run = try await CommandRun.of("care", "voice", "--file", path, "--timeout", "1") { command throws(Failure) in
        if command is AppendVoiceRequest { return AppendVoiceReply() }
        return CareReply.with {
          ($0.record.id, $0.record.state, $0.record.reason, $0.record.hasAudio_p) = ("r", state, reason, true)
        }
      }
      #expect(run.code == 1)
      for word in words { #expect((run.output + run.errors).contains(word), "\(run)") }
    }
  }

  @Test("The level of a piece is that of its loudest sample, at any size of piece")
  func level() {
    func wave(_ samples: [Int16], bits: UInt8 = 16) -> [UInt8] {
      Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0]
        + [UInt8](repeating: 0, count: 10) + [bits, 0] + Array("data".utf8) + [0, 0, 0, 0]
        + samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }
    for size in [1, 7, 44, 45, 1000] {
      for (samples, level) in [([0, 0], 0), ([3, -20], 0), ([100, -32768], 1), ([1024, 3], 0.5)] as [([Int16], Double)]
      {
        var meter = SoundLevel()
        let bytes = wave(samples)
        var loudest: Double = 0
        for start in stride(from: 0, to: bytes.count, by: size) {
          loudest = max(loudest, meter.take(Array(bytes[start..<min(start + size, bytes.count)])) ?? 0)
        }
        #expect(size < 44 || loudest == level, "\(samples) in pieces of \(size)")
      }
    }
    var other = SoundLevel()
    #expect(other.take(wave([1000], bits: 24)) == nil)
  }

  @Test("Days of reminders are in the time zone of the command")
  func callReminder() async throws {
    let run = try await CommandRun.of("remind", "call", "ann", "--on", "2026-12-24 18:00") { command in
      Household.people(command) ?? Reminder()
    }
    let request = try #require(run.sent.last as? AddCallReminderRequest)
    #expect(request.timeZone == "Europe/Berlin" && request.on == "2026-12-24 18:00")
  }
}
