import EventLoop
import Foundation
import TestKit

@testable import Transcription

/// Sound made for tests: 16 kHz, one channel.
enum Sounds {
  static let rate = SpeechFormat.sampleRate

  /// Silence.
  static func silence(_ seconds: Double) -> [Int16] { [Int16](repeating: 0, count: Int(seconds * Double(Self.rate))) }

  /// Even noise.
  static func noise(_ seconds: Double, level: Double, seed: UInt64 = 1) -> [Int16] {
    var random = SeededGenerator(seed: seed)
    return (0..<Int(seconds * Double(Self.rate))).map { _ in
      Int16(Double.random(in: -1...1, using: &random) * level * 32767)
    }
  }

  /// A tone that does not change.
  static func tone(_ seconds: Double, level: Double = 0.3) -> [Int16] {
    (0..<Int(seconds * Double(Self.rate))).map { index in
      Int16(sin(Double(index) / Double(Self.rate) * 2 * .pi * 300) * level * 32767)
    }
  }

  /// Loud in the first half of each second, similar to speech.
  static func bursts(_ seconds: Double, level: Double = 0.3) -> [Int16] {
    self.tone(seconds, level: level).enumerated().map { $0.offset % Self.rate < Self.rate / 2 ? $0.element : 0 }
  }

  static func mixed(_ first: [Int16], _ second: [Int16]) -> [Int16] {
    zip(first, second).map { Int16(clamping: Int($0) + Int($1)) }
  }
}

/// Programs that tests need.
enum Programs {
  static let flite = "/usr/bin/flite"
  static let worker = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("kith-pocketsphinx").path
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let model = root.appendingPathComponent(".build/speech/caregiving.lm.bin").path

  /// The path of one of the tests' own servers.
  static func server(_ name: String) -> String { root.appendingPathComponent("Tests/servers/\(name)").path }

  static func isInstalled(_ paths: String...) -> Bool {
    paths.allSatisfy { FileManager.default.isReadableFile(atPath: $0) }
  }

  /// Runs a program to its end.
  @discardableResult
  static func run(_ program: String, _ arguments: [String]) async throws -> ChildProcess.Outcome {
    try await ChildProcess(program, arguments, directory: "/tmp", limits: .init(time: .seconds(60), memory: nil)).run()
  }

  /// Synthesises a sentence, with half a second of silence on both sides.
  static func speak(_ text: String, voice: String = "slt") async throws -> [Int16] {
    let directory = try TemporaryDirectory()
    let path = directory.file("speech.wav")
    try await Self.run(Self.flite, ["-voice", voice, "-t", text, "-o", path])
    let bytes = try Self.bytes(path)
    return Sounds.silence(0.5) + (try WAVReader(bytes)).samples(in: bytes) + Sounds.silence(0.5)
  }

  static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
}
