internal import EventLoop
internal import Foundation
internal import Glibc
internal import KithMessages

/// `whisper-cli` of whisper.cpp, with a model that the operator installed.
///
/// Its status proves nothing: it is 0 also for unreadable sound and for an unknown language. Success is a valid JSON file with a
/// transcript in the requested language.
struct WhisperCommand: Engine {
  /// The absolute path of `whisper-cli`.
  let program: String
  /// The file of the model.
  let model: String
  /// The number of threads.
  let threads: Int
  /// Words to expect; empty for none.
  let prompt: String
  /// A Silero model that detects silence, which is left out; nil for none.
  let voiceDetector: String?
  /// Bytes of address space; nil for no limit.
  let memory: Int?

  // examples/cli/cli.cpp of whisper.cpp 1.9: the model cannot be loaded.
  private static let badModel: Int32 = 3

  func problem() async -> String? {
    // The strings outlive the calls.
    if unsafe access(self.program, X_OK) != 0 { return "\(self.program) cannot be executed; build it from whisper.cpp" }
    for file in [self.model] + (self.voiceDetector.map { [$0] } ?? []) where unsafe access(file, R_OK) != 0 {
      return "the model \(file) cannot be read"
    }
    return nil
  }

  func transcribe(_ sound: PreparedSound, _ language: LanguageTag) async throws(EngineFault) -> TranscribeReply {
    if let problem = await self.problem() { throw .unavailable(problem) }
    let output = sound.directory + "/transcript"
    var arguments = [
      "-m", self.model, "-f", sound.path, "-l", language.language, "-t", "\(self.threads)", "-np", "-sns", "-oj", "-of",
      output,
    ]
    if !self.prompt.isEmpty { arguments += ["--prompt", self.prompt] }
    if let voiceDetector { arguments += ["--vad", "-vm", voiceDetector] }
    let limits = ChildProcess.Limits(
      time: Self.limit(sound), memory: self.memory, fileSize: TranscriptCheck.longestAnswer,
      output: TranscriptCheck.longestAnswer)
    let outcome = try await ChildProcess(self.program, arguments, directory: sound.directory, limits: limits).outcome()
    let complaint = TranscriptCheck.complaint(outcome.errors).map { ": \($0)" } ?? ""
    switch outcome.ending {
    case .exited(0): break
    case .exited(Self.badModel): throw .unavailable("the model \(self.model) cannot be loaded\(complaint)")
    case .exited(let status): throw .failed("it ended with \(status)\(complaint)")
    case .signalled(let signal): throw .failed("it crashed with signal \(signal)\(complaint)")
    }
    guard let bytes = try? SoundFile(path: output + ".json", flags: SoundFile.reading).read() else {
      throw .failed("it reported success and wrote no transcript\(complaint)")
    }
    return try WhisperText.cleaned(try Self.answer(bytes), sound.gate)
  }

  /// Reads the file that `-oj` writes.
  static func answer(_ bytes: [UInt8]) throws(EngineFault) -> TranscribeReply {
    guard let file = try? JSONDecoder().decode(File.self, from: Data(bytes)) else {
      throw .failed("its transcript is not valid JSON")
    }
    var reply = TranscribeReply()
    reply.engineVersion = "whisper.cpp, model \(file.model?.type ?? "unknown")"
    reply.language = file.result.language
    reply.segments = file.transcription.map { line in
      var segment = TranscriptSegment()
      (segment.start, segment.end, segment.text) = (line.offsets.from / 1000, line.offsets.to / 1000, line.text)
      return segment
    }
    return reply
  }

  private struct File: Decodable {
    struct Model: Decodable { let type: String? }
    struct Result: Decodable { let language: String }
    struct Line: Decodable {
      // Milliseconds.
      struct Offsets: Decodable { let from: Float, to: Float }
      let offsets: Offsets
      let text: String
    }
    let model: Model?
    let result: Result
    let transcription: [Line]
  }
}
