import Bus
import EventLoop
import Foundation
import KithMessages
import TestKit
import Testing

@testable import Transcription

/// Real recordings of browsers' and phones' formats, made and converted by the real programs.
@Suite(.timeLimit(.minutes(3)))
struct ConverterTests {
  static let hasFFmpeg = Programs.isInstalled("/usr/bin/ffmpeg", "/usr/bin/ffprobe")
  static let hasOpus = Programs.isInstalled("/usr/bin/opusdec", "/usr/bin/opusenc")

  private static let counting = #"echo '{"engine":"e","language":"en","text":"'"$(wc -c < "$1")"'"}'"#

  private static func wave(in directory: TemporaryDirectory) throws -> String {
    let path = directory.file("source.wav")
    try Data(WAVWriter.file(Sounds.bursts(3))).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Makes a file by FFmpeg with other arguments.
  private static func encoded(_ name: String, _ arguments: String...) async throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let source = try Self.wave(in: directory)
    let target = directory.file(name)
    let outcome = try await Programs.run(
      "/usr/bin/ffmpeg", ["-nostdin", "-v", "error", "-i", source] + arguments + [target])
    try #require(outcome.ending == .exited(0), "\(String(decoding: outcome.errors, as: UTF8.self))")
    return try Programs.bytes(target)
  }

  @Test(
    "formats are told by their first bytes alone",
    arguments: [
      ([0x1A, 0x45, 0xDF, 0xA3, 0], SoundFormat.matroska), (Array("OggS".utf8), .ogg), (Array("fLaC".utf8), .flac),
      ([0, 0, 0, 0x20] + Array("ftypM4A ".utf8), .mp4), (Array("RIFF\0\0\0\0WAVE".utf8), .wav),
      (Array("RIFF\0\0\0\0AVI ".utf8), nil), ([], nil), (Array("ID3".utf8), nil),
      (Array("ffconcat version 1.0".utf8), nil),
    ] as [([UInt8], SoundFormat?)])
  func sniff(bytes: [UInt8], format: SoundFormat?) {
    #expect(SoundFormat(bytes) == format)
  }

  @Test(
    "what browsers and phones record is converted", .enabled(if: hasFFmpeg),
    arguments: [
      ("a.webm", ["-c:a", "libopus", "-ar", "48000", "-ac", "2"]), ("a.ogg", ["-c:a", "libopus", "-b:a", "24k"]),
      ("a.m4a", ["-c:a", "aac", "-ar", "44100"]), ("a.flac", ["-ar", "44100"]),
      ("a.wav", ["-ar", "48000", "-ac", "2"]),
      ("b.wav", ["-c:a", "pcm_f32le"]), ("c.wav", ["-c:a", "pcm_s24le", "-ac", "2"]),
    ])
  func converted(name: String, arguments: [String]) async throws {
    let directory = try TemporaryDirectory()
    let source = try Self.wave(in: directory)
    let target = directory.file(name)
    let outcome = try await Programs.run(
      "/usr/bin/ffmpeg", ["-nostdin", "-v", "error", "-i", source] + arguments + [target])
    try #require(outcome.ending == .exited(0))
    let desk = try Desk(script: Self.counting)
    let bytes = try #require(Int(try await desk.transcribe(try Programs.bytes(target)).text))
    // Three seconds, and the padding of encoders.
    #expect((96000...102_000).contains(bytes))
    #expect(desk.leftovers.isEmpty)
  }

  @Test("without FFmpeg, Opus in Ogg is converted by opusdec, and the rest says what to install", .enabled(if: hasOpus))
  func opus() async throws {
    let directory = try TemporaryDirectory()
    let source = try Self.wave(in: directory)
    let target = directory.file("a.opus")
    try await Programs.run("/usr/bin/opusenc", ["--quiet", source, target])
    let programs = directory.file("programs")
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
    let engine = try Desk.script(Self.counting, in: directory)
    let desk = try Desk(
      [EngineSettings("e", languages: ["en"], .command(program: engine, arguments: []))],
      converter: Converter(programs: programs), directory: directory)
    let missing = await desk.failure(try Programs.bytes(target))
    #expect(missing?.code == .failedPrecondition && missing?.reason == "CONVERTER_MISSING")
    #expect(missing?.message.contains("ffmpeg or opus-tools") == true)
    try FileManager.default.createSymbolicLink(
      atPath: programs + "/opusdec", withDestinationPath: "/usr/bin/opusdec")
    let bytes = try #require(Int(try await desk.transcribe(try Programs.bytes(target)).text))
    #expect((96000...102_000).contains(bytes))
    let webm = await desk.failure([0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 0, count: 100))
    #expect(webm?.reason == "CONVERTER_MISSING" && webm?.message.contains("Install ffmpeg,") == true)
  }

  @Test("what was sampled too rarely is refused, also in a container that hides it", .enabled(if: hasFFmpeg && hasOpus))
  func lowRate() async throws {
    let desk = try Desk(script: Self.counting)
    let flac = try await Self.encoded("a.flac", "-ar", "8000")
    #expect(await desk.failure(flac)?.message.contains("8000 samples") == true)
    let directory = try TemporaryDirectory()
    let telephone = directory.file("telephone.wav")
    try Data(try await Self.encoded("b.wav", "-ar", "8000")).write(to: URL(fileURLWithPath: telephone))
    let opus = directory.file("a.opus")
    try await Programs.run("/usr/bin/opusenc", ["--quiet", telephone, opus])
    #expect(await desk.failure(try Programs.bytes(opus))?.message.contains("8000 samples") == true)
  }

  @Test("a playlist under a false flag is not followed, and damage is no sound", .enabled(if: hasFFmpeg))
  func hostile() async throws {
    let desk = try Desk(script: Self.counting)
    let directory = try TemporaryDirectory()
    let secret = directory.file("secret.wav")
    try Data(WAVWriter.file(Sounds.bursts(3))).write(to: URL(fileURLWithPath: secret))
    var samples: [[UInt8]] = [
      Array("fLaC\nffconcat version 1.0\nfile '\(secret)'\n".utf8),
      [0x1A, 0x45, 0xDF, 0xA3] + Array("\n#EXTM3U\n\(secret)\n".utf8),
      [0, 0, 0, 0x18] + Array("ftypM4A \0\0\0\0M4A mp42".utf8),
      Array("OggS".utf8) + [UInt8](repeating: 0xFF, count: 4000),
    ]
    var random = SeededGenerator(seed: 5)
    var webm = try await Self.encoded("a.webm", "-c:a", "libopus")
    for _ in 0..<400 { webm[Int.random(in: 4..<webm.count, using: &random)] = .random(in: 0...255, using: &random) }
    samples.append(Array(webm[..<80]))
    for sample in samples {
      let failure = await desk.failure(sample)
      #expect(failure?.reason == "BAD_AUDIO", "\(failure.debugDescription)")
    }
    // The damaged file may decode or not: the call ends, and no file is left.
    let failure = await desk.failure(webm)
    #expect(failure == nil || failure?.reason == "BAD_AUDIO")
    #expect(desk.leftovers.isEmpty)
  }

  @Test("a converter that hangs or lies does not get through")
  func lying() async throws {
    let directory = try TemporaryDirectory()
    _ = try Desk.script("echo 48000", named: "ffprobe", in: directory)
    let engine = try Desk.script(Self.counting, in: directory)
    for script in ["exit 0", "for last; do :; done; echo nonsense > \"${last#file:}\"", "exit 1", "yes"] {
      _ = try Desk.script(script, named: "ffmpeg", in: directory)
      let desk = try Desk(
        [EngineSettings("e", languages: ["en"], .command(program: engine, arguments: []))],
        converter: Converter(programs: directory.path), directory: directory)
      #expect(await desk.failure(Array("fLaC".utf8) + [0, 0, 0, 0])?.reason == "BAD_AUDIO")
    }
  }
}
