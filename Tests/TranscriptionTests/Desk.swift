import Bus
import Foundation
import KithMessages
import TestKit
import Testing
import Transfer

@testable import Transcription

/// A transcriber with the engines of a test.
struct Desk: Sendable {
  let directory: TemporaryDirectory
  let port: LocalBatchPort

  /// The folder of recordings while they are transcribed.
  var scratch: String { self.directory.file("scratch") }

  init(
    _ engines: [EngineSettings], http: HTTPClient? = nil, converter: Converter = Converter(), maximumSeconds: Int = 300,
    directory: TemporaryDirectory? = nil, readBlob: TranscriberService.BlobReader? = nil
  ) throws {
    self.directory = try directory ?? TemporaryDirectory()
    let settings = TranscriptionSettings(
      engines: engines, directory: self.directory.file("scratch"), maximumSeconds: maximumSeconds, converter: converter)
    self.port = LocalBatchPort(try TranscriberService(settings, http: http, readBlob: readBlob).routes, batches: [])
  }

  /// A transcriber whose engine is a shell script, with recording and language as arguments.
  init(script: String, languages: [String] = ["en", "ja"]) throws {
    let directory = try TemporaryDirectory()
    let program = try Self.script(script, in: directory)
    try self.init(
      [EngineSettings("fake", languages: languages, .command(program: program, arguments: []))], directory: directory)
  }

  /// Writes a program.
  static func script(_ text: String, named name: String = "engine", in directory: TemporaryDirectory) throws -> String {
    try directory.program(text, named: name)
  }

  func transcribe(
    _ recording: [UInt8] = WAVWriter.file(Sounds.bursts(2)), language: String = "en-US"
  ) async throws(Failure) -> TranscribeReply {
    var request = TranscribeRequest()
    request.language = language
    return try await self.port.ask(request, CallContext(attachments: [recording]))
  }

  /// The failure of a transcription.
  func failure(
    _ recording: [UInt8] = WAVWriter.file(Sounds.bursts(2)), language: String = "en-US"
  ) async -> Failure? {
    do throws(Failure) {
      _ = try await self.transcribe(recording, language: language)
      return nil
    } catch {
      return error
    }
  }

  func engines() async throws -> [EngineInfo] { try await self.port.ask(EnginesRequest()).engines }

  /// The scratch folders, one for each process.
  var processes: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: self.scratch)) ?? []).map { "\(self.scratch)/\($0)" }
  }

  /// The files left of recordings.
  var leftovers: [String] {
    self.processes.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
  }
}
