internal import Glibc

/// Transcribes one recording with PocketSphinx, and writes one line of JSON.
///
/// ```
/// kith-pocketsphinx RECORDING LANGUAGE [model=DIRECTORY] [caregiving=FILE] [weight=NUMBER]
/// ```
///
/// Ends with 0 when it was transcribed (nothing may have been said), and else with a status of sysexits.h: 64 for a wrong
/// command line, 65 for a recording that cannot be read, 69 for a language or a model that is not there. The reason is on
/// standard error.
@main
struct Worker {
  static func main() {
    do throws(WorkerFault) {
      let started = ContinuousClock.now
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      let recording = try Recording(path: options.recording)
      let decoder = try Decoder(options)
      let transcript = try decoder.transcribe(recording)
      let elapsed = (ContinuousClock.now - started) / .seconds(1)
      print(transcript.json(language: options.language, engine: decoder.version, elapsed: elapsed))
    } catch {
      let reason = Array("kith-pocketsphinx: \(error.why)\n".utf8)
      // The array outlives the call and is `count` long.
      _ = unsafe write(STDERR_FILENO, reason, reason.count)
      exit(error.status)
    }
  }
}

/// Why nothing was transcribed, and the status that says so.
struct WorkerFault: Error {
  let status: Int32
  let why: String

  static func usage(_ why: String) -> WorkerFault { WorkerFault(status: EX_USAGE, why: why) }
  static func badAudio(_ why: String) -> WorkerFault { WorkerFault(status: EX_DATAERR, why: why) }
  static func unavailable(_ why: String) -> WorkerFault { WorkerFault(status: EX_UNAVAILABLE, why: why) }
  static func failed(_ why: String) -> WorkerFault { WorkerFault(status: EX_SOFTWARE, why: why) }
}
