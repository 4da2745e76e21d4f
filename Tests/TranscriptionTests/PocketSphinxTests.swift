import Bus
import EventLoop
import Foundation
import KithMessages
import TestKit
import Testing

@testable import Transcription

/// The real recogniser with real models, and speech that flite makes.
@Suite(
  .enabled(
    if: Programs.isInstalled(
      Programs.worker, Programs.flite, Programs.model, "/usr/share/pocketsphinx/model/en-us/en-us.lm.bin"),
    "flite, pocketsphinx-en-us, kith-pocketsphinx and its model are needed; scripts/test.sh makes them"),
  .timeLimit(.minutes(5)))
struct PocketSphinxTests {
  private static func desk(caregiving: Bool = true) throws -> Desk {
    let settings = PocketSphinxSettings(program: Programs.worker, caregiving: caregiving ? Programs.model : nil)
    return try Desk([EngineSettings("pocketsphinx", languages: ["en"], .pocketSphinx(settings))])
  }

  /// The word errors of `heard`: substituted, missing and added words.
  private static func wrongWords(_ heard: String, _ said: String) -> Int {
    let (heard, said) = (heard.split(separator: " "), said.split(separator: " "))
    var row = Array(0...heard.count)
    for (index, word) in said.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, other) in heard.enumerated() {
        let best = min(row[column + 1] + 1, row[column] + 1, diagonal + (word == other ? 0 : 1))
        (diagonal, row[column + 1]) = (row[column + 1], best)
      }
    }
    return row[heard.count]
  }

  @Test("a carer is understood, with the category at the head")
  func understood() async throws {
    let desk = try Self.desk()
    let said = "medication gave her one tablet of aspirin after lunch"
    let reply = try await desk.transcribe(WAVWriter.file(try await Programs.speak(said, voice: "rms")))
    #expect(Self.wrongWords(reply.text, said) <= 1, "\(reply.text)")
    #expect(reply.text.hasPrefix("medication "))
    #expect(reply.engine == "pocketsphinx" && reply.engineVersion == "5prealpha, caregiving")
    #expect(reply.confidence > 0.5 && reply.confidence <= 1)
    #expect(reply.segments.count == 1 && reply.segments[0].start < reply.segments[0].end)
    #expect(reply.warnings.isEmpty)
    #expect(desk.leftovers.isEmpty)
  }

  @Test("a long recording is transcribed in pieces, with their times")
  func long() async throws {
    let piece = try await Programs.speak("he ate half of the soup and all of the bread this evening")
    let samples = (0..<7).flatMap { _ in piece + Sounds.silence(1) }
    let reply = try await Self.desk().transcribe(WAVWriter.file(samples))
    #expect(reply.segments.count > 1 && reply.text.split(separator: " ").count { $0 == "soup" } >= 5, "\(reply.text)")
    for (segment, next) in zip(reply.segments, reply.segments.dropFirst()) { #expect(segment.end <= next.start + 1) }
  }

  @Test("without the caregiving model the general one is used, and the version says so")
  func general() async throws {
    let reply = try await Self.desk(caregiving: false).transcribe(
      WAVWriter.file(try await Programs.speak("we went to the garden in the morning")))
    #expect(reply.engineVersion == "5prealpha" && reply.text.contains("garden"), "\(reply.text)")
  }

  @Test("its engine is there and has no problem; a model that is missing is one")
  func problems() async throws {
    #expect(try await Self.desk().engines()[0].problem.isEmpty)
    let broken = PocketSphinxSettings(program: Programs.worker, caregiving: "/nowhere/caregiving.lm.bin")
    let desk = try Desk([EngineSettings("pocketsphinx", languages: ["en"], .pocketSphinx(broken))])
    #expect(try await desk.engines()[0].problem.contains("speech-model.sh"))
    let failure = await desk.failure()
    #expect(failure?.reason == "ENGINE_UNAVAILABLE" && failure?.message.contains("/nowhere") == true)
  }

  @Test(
    "the worker by itself: statuses of the contract",
    arguments: [
      ([], 64), (["x"], 64), (["@", "en", "weight"], 64), (["@", "en", "weight=2"], 64), (["@", "en", "other=1"], 64),
      (["@", "ja-JP"], 69), (["@", "en", "model=/nowhere"], 69), (["@", "en", "caregiving=/etc/passwd"], 69),
      (["/nowhere.wav", "en"], 65), (["/etc/passwd", "en"], 65),
    ] as [([String], Int32)])
  func contract(arguments: [String], status: Int32) async throws {
    let directory = try TemporaryDirectory()
    let recording = directory.file("recording.wav")
    try Data(WAVWriter.file(Sounds.silence(1))).write(to: URL(fileURLWithPath: recording))
    let outcome = try await Programs.run(Programs.worker, arguments.map { $0 == "@" ? recording : $0 })
    #expect(outcome.ending == .exited(status), "\(String(decoding: outcome.errors, as: UTF8.self))")
    #expect(outcome.output.isEmpty && !outcome.errors.isEmpty)
  }

  @Test("the worker by itself: silence has no words, and the answer is one line")
  func silence() async throws {
    let directory = try TemporaryDirectory()
    let recording = directory.file("recording.wav")
    try Data(WAVWriter.file(Sounds.silence(2))).write(to: URL(fileURLWithPath: recording))
    let outcome = try await Programs.run(Programs.worker, [recording, "en-AU", "caregiving=" + Programs.model])
    let answer = try WorkerEngine.answer(outcome.output)
    #expect(answer.text.isEmpty && answer.language == "en-AU" && answer.confidence == 0 && answer.segments.isEmpty)
  }
}
