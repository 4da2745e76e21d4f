internal import Bus
internal import EventLoop
internal import Glibc
internal import KithMessages

/// A program that is started for each recording, `PROGRAM RECORDING LANGUAGE ARGUMENTS...`, and writes one line of JSON.
/// `kith-pocketsphinx` is such a program; others may be written in any language.
///
/// ```json
/// {"engine":"pocketsphinx","engineVersion":"5prealpha","language":"en-US","text":"...","confidence":0.93,
///  "segments":[{"start":0.5,"end":3.2,"text":"..."}]}
/// ```
///
/// Its status: 0 transcribed (the text may be empty), 65 unreadable recording, 69 engine, model or language missing, 75 temporary
/// (sysexits.h); any other is a failure.
struct WorkerEngine: Engine {
  /// The absolute path of the program.
  let program: String
  /// The arguments after recording and language.
  let arguments: [String]
  /// Bytes of address space; nil for no limit.
  let memory: Int?
  /// Files that must exist, each with the remedy if it is missing.
  var files: [(path: String, remedy: String)] = []

  func problem() async -> String? {
    // The strings outlive the calls.
    if unsafe access(self.program, X_OK) != 0 { return "\(self.program) cannot be executed" }
    for file in self.files where unsafe access(file.path, R_OK) != 0 {
      return "\(file.path) is missing; \(file.remedy)"
    }
    return nil
  }

  func transcribe(_ sound: PreparedSound, _ language: LanguageTag) async throws(EngineFault) -> TranscribeReply {
    let child = ChildProcess(
      self.program, [sound.path, language.text] + self.arguments, directory: sound.directory,
      limits: .init(time: Self.limit(sound), memory: self.memory, output: TranscriptCheck.longestAnswer))
    let outcome = try await child.outcome()
    let complaint = TranscriptCheck.complaint(outcome.errors)
    switch outcome.ending {
    case .exited(0): return try Self.answer(outcome.output)
    case .exited(EX_DATAERR): throw .badAudio(complaint ?? "it did not say why")
    case .exited(EX_UNAVAILABLE): throw .unavailable(complaint ?? "engine, model or language is missing")
    case .exited(EX_TEMPFAIL): throw .temporary(complaint ?? "it did not say why")
    case .exited(let status): throw .failed("it ended with \(status)" + (complaint.map { ": \($0)" } ?? ""))
    case .signalled(let signal): throw .failed("it crashed with signal \(signal)")
    }
  }

  /// Reads the one line.
  static func answer(_ output: [UInt8]) throws(EngineFault) -> TranscribeReply {
    let line = output.last == UInt8(ascii: "\n") ? output.dropLast() : output[...]
    guard !line.isEmpty else { throw .failed("it reported success and returned nothing") }
    guard !line.contains(UInt8(ascii: "\n")) else { throw .failed("it answered more than one line") }
    let answer: TranscribeReply
    do throws(Failure) {
      answer = try Encoding.json.decode(TranscribeReply.self, from: Array(line))
    } catch {
      throw .failed("its answer is not valid JSON of a transcript")
    }
    guard !answer.engine.isEmpty else { throw .failed("its answer does not name the engine") }
    return answer
  }
}

extension ChildProcess {
  /// Runs the program to its end; throws the faults of an engine.
  func outcome() async throws(EngineFault) -> Outcome {
    do throws(Fault) {
      return try await self.run()
    } catch {
      switch error {
      case .notExecutable: throw .unavailable("\(self.executable) cannot be executed")
      case .notStarted(let call, _): throw .temporary("\(self.executable) cannot be started (\(call))")
      case .outOfTime: throw .temporary("it did not end within \(self.limits.time.components.seconds) seconds")
      case .tooMuchOutput: throw .failed("it answered more than \(self.limits.output >> 10) KiB")
      case .cancelled: throw .cancelled
      }
    }
  }
}
