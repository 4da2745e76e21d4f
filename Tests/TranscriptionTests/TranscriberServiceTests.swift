import Bus
import Foundation
import KithMessages
import TestKit
import Testing

@testable import Transcription

@Suite(.timeLimit(.minutes(2)))
struct TranscriberServiceTests {
  private static func saying(_ text: String, in directory: TemporaryDirectory) throws -> EngineSettings.Kind {
    let program = try Desk.script(
      #"echo '{"engine":"e","language":"'"$2"'","text":"\#(text)"}'"#, named: text, in: directory)
    return .command(program: program, arguments: [])
  }

  @Test("the first engine that has the language is asked, and no other one in its place")
  func choice() async throws {
    let directory = try TemporaryDirectory()
    let desk = try Desk(
      [
        EngineSettings("british", languages: ["en-GB"], try Self.saying("british", in: directory)),
        EngineSettings("broken", languages: ["ja"], .command(program: "/nowhere", arguments: [])),
        EngineSettings("any", languages: ["en", "ja"], try Self.saying("any", in: directory)),
      ], directory: directory)
    #expect(try await desk.transcribe(language: "en-GB").text == "british")
    #expect(try await desk.transcribe(language: "en-us").text == "any")
    #expect(try await desk.transcribe(language: "en").text == "british")
    #expect(await desk.failure(language: "ja-JP")?.reason == "ENGINE_UNAVAILABLE")
    let failure = await desk.failure(language: "de")
    #expect(failure?.code == .failedPrecondition && failure?.reason == "NO_ENGINE")
    #expect(failure?.message.contains("'de'") == true)
    #expect(try await desk.engines().map(\.problem.isEmpty) == [true, false, true])
  }

  @Test(
    "a language that is none is refused", arguments: ["", "english language", "e", "en_US", "日本語", "en-", "-en", "12"])
  func language(tag: String) async throws {
    let failure = try await Desk(script: "exit 1").failure(language: tag)
    #expect(failure?.reason == "FIELD_INVALID" && failure?.status.details.keys.contains("language") == true)
  }

  @Test("a recording is attached, or read as a blob; without one the command is refused")
  func audio() async throws {
    let directory = try TemporaryDirectory()
    let engine = EngineSettings("e", languages: ["en"], try Self.saying("heard", in: directory))
    let desk = try Desk([engine], directory: directory) { blob throws(Failure) in
      guard blob.sha256 == "known" else { throw Failure(.failedPrecondition, "BLOB_MISSING", "No such blob.") }
      return WAVWriter.file(Sounds.bursts(2))
    }
    var request = TranscribeRequest()
    request.language = "en"
    await #expect(throws: Failure.invalid(field: "audio", "attach the recording")) { try await desk.port.ask(request) }
    request.audio.sha256 = "known"
    #expect(try await desk.port.ask(request).text == "heard")
    request.audio.sha256 = "unknown"
    let failure = await #expect(throws: Failure.self) { try await desk.port.ask(request) }
    #expect(failure?.reason == "BLOB_MISSING")
  }

  private static let useless: [String: [UInt8]] = [
    "nothing": [], "a playlist": Array("#EXTM3U\nhttp://example.org/".utf8), "a head": Array("RIFF\0\0\0\0WAVE".utf8),
    "too short": WAVWriter.file(Sounds.bursts(0.2)), "too long": WAVWriter.file(Sounds.bursts(6)),
    "without samples": WAVWriter.file([]),
    // The header says 8 kHz.
    "a telephone": WAVWriter.file(Sounds.bursts(2)).replacing(24, [0x40, 0x1F]),
    "too large": [UInt8](repeating: 0, count: 33 << 20),
  ]

  @Test(
    "recordings that cannot be used are refused with the reason",
    arguments: [
      ("nothing", "none of WAV"), ("a playlist", "none of WAV"), ("a head", "does not tell its format"),
      ("too short", "shorter than"), ("too long", "longer than 5"), ("without samples", "shorter than"),
      ("a telephone", "8000 samples a second"), ("too large", "larger than 32 MiB"),
    ])
  func refused(name: String, word: String) async throws {
    let recording = try #require(Self.useless[name])
    let directory = try TemporaryDirectory()
    let desk = try Desk(
      [EngineSettings("e", languages: ["en"], try Self.saying("heard", in: directory))], maximumSeconds: 5,
      directory: directory)
    let failure = await desk.failure(recording)
    #expect(failure?.code == .invalidArgument && failure?.reason == "BAD_AUDIO")
    #expect(failure?.message.contains(word) == true, "\(failure?.message ?? "none")")
    #expect(desk.leftovers.isEmpty)
  }

  @Test("what is noisy or clipped is transcribed, with a warning")
  func warnings() async throws {
    let directory = try TemporaryDirectory()
    let desk = try Desk(
      [EngineSettings("e", languages: ["en"], try Self.saying("heard", in: directory))], directory: directory)
    let noisy = Sounds.mixed(Sounds.bursts(4), Sounds.noise(4, level: 0.08))
    #expect(try await desk.transcribe(WAVWriter.file(noisy)).warnings == ["noisy"])
    let clipped = Sounds.mixed(Sounds.bursts(4, level: 1), Sounds.noise(4, level: 0.001)).map { $0 > 9000 ? 32767 : $0 }
    let reply = try await desk.transcribe(WAVWriter.file(clipped))
    #expect(reply.warnings == ["clipped"] && reply.text == "heard")
  }

  @Test("what a killed process has left goes, and what another one works with stays")
  func sharedScratch() async throws {
    let place = try TemporaryDirectory()
    let left = place.file("left")
    try FileManager.default.createDirectory(atPath: left + "/recording", withIntermediateDirectories: true)
    var hub: ScratchSpace? = ScratchSpace(path: place.path)
    var recording: ScratchDirectory? = try await hub?.make()
    let path = try #require(recording?.path)
    #expect(!FileManager.default.fileExists(atPath: left))
    let worker = ScratchSpace(path: place.path)
    let other = try await worker.make()
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).count == 2)
    recording = nil
    hub = nil
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).count == 1)
    #expect(FileManager.default.fileExists(atPath: other.path))
  }

  @Test("invalid settings are refused")
  func settings() {
    let command = EngineSettings.Kind.command(program: "/bin/true", arguments: [])
    for engines in [
      [EngineSettings("", languages: ["en"], command)], [EngineSettings("a", languages: [], command)],
      [EngineSettings("a", languages: ["english!"], command)],
      [EngineSettings("a", languages: ["en"], command), EngineSettings("a", languages: ["ja"], command)],
    ] {
      #expect(throws: Failure.self) { try Desk(engines) }
    }
    #expect(throws: Failure.self) { try Desk([], maximumSeconds: 601) }
  }

  @Test("program and model of PocketSphinx are looked for beside this program")
  func beside() {
    let installed = PocketSphinxSettings.beside("/opt/bin") { $0 == "/opt/bin/../share/kith/speech/caregiving.lm.bin" }
    #expect(installed.program == "/opt/bin/kith-pocketsphinx")
    #expect(installed.caregiving == "/opt/bin/../share/kith/speech/caregiving.lm.bin")
    #expect(PocketSphinxSettings.beside("/opt/bin") { _ in false }.caregiving == nil)
  }
}

extension [UInt8] {
  func replacing(_ offset: Int, _ value: [UInt8]) -> [UInt8] {
    var bytes = self
    bytes.replaceSubrange(offset..<offset + value.count, with: value)
    return bytes
  }
}
