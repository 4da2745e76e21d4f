internal import Glibc

/// Transcribes one recording with PocketSphinx, and writes one line of JSON.
///
/// ```
/// kith-pocketsphinx RECORDING LANGUAGE [model=DIRECTORY] [caregiving=FILE] [weight=NUMBER]
/// ```
///
/// Exits with 0 if it was transcribed, also without any words, otherwise with a status of sysexits.h: 64 for a wrong
/// command line, 65 for a recording that cannot be read, 69 for a missing language or model. The reason is on standard
/// error.
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

/// Why the recording was not transcribed, with the exit status.
struct WorkerFault: Error {
  let status: Int32
  let why: String

  static func usage(_ why: String) -> WorkerFault { WorkerFault(status: EX_USAGE, why: why) }
  static func badAudio(_ why: String) -> WorkerFault { WorkerFault(status: EX_DATAERR, why: why) }
  static func unavailable(_ why: String) -> WorkerFault { WorkerFault(status: EX_UNAVAILABLE, why: why) }
  static func failed(_ why: String) -> WorkerFault { WorkerFault(status: EX_SOFTWARE, why: why) }
}

/// The options of the command line.
struct Options {
  /// The path of the recording.
  let recording: String
  /// A BCP 47 tag; English of any region.
  let language: String
  /// The directory of the acoustic model, the dictionary and the general language model.
  var model = "/usr/share/pocketsphinx/model/en-us"
  /// The caregiving language model; nil = only the general model.
  var caregiving: String?
  /// The share of the caregiving model, between 0 and 1.
  var weight: Float = 0.5

  init(_ arguments: [String]) throws(WorkerFault) {
    guard arguments.count >= 2 else {
      throw .usage("usage: kith-pocketsphinx RECORDING LANGUAGE [model=DIRECTORY] [caregiving=FILE] [weight=NUMBER]")
    }
    self.recording = arguments[0]
    self.language = arguments[1]
    for argument in arguments.dropFirst(2) {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      switch (parts[0], parts.count == 2 ? parts[1] : "") {
      case (_, ""): throw .usage("'\(argument)' is not NAME=VALUE")
      case ("model", let path): self.model = path
      case ("caregiving", let path): self.caregiving = path
      case ("weight", let text):
        guard let weight = Float(text), weight > 0, weight < 1 else {
          throw .usage("weight has to be a number between 0 and 1")
        }
        self.weight = weight
      default: throw .usage("'\(parts[0])' is neither model nor caregiving nor weight")
      }
    }
    guard self.language.lowercased().split(separator: "-").first == "en" else {
      throw .unavailable("there is a model of English only, not of '\(self.language)'")
    }
  }

  var acousticModel: String { self.model + "/en-us" }
  var dictionary: String { self.model + "/cmudict-en-us.dict" }
  var generalModel: String { self.model + "/en-us.lm.bin" }

  /// Checks that the files are readable, because the library would end the process without naming the missing one.
  func check() throws(WorkerFault) {
    let files =
      [self.acousticModel + "/mdef", self.dictionary, self.generalModel] + (self.caregiving.map { [$0] } ?? [])
    // The string outlives the call.
    for file in files where unsafe access(file, R_OK) != 0 {
      let hint = file == self.caregiving ? "scripts/speech-model.sh makes it" : "install pocketsphinx-en-us"
      throw .unavailable("\(file) cannot be read; \(hint)")
    }
  }
}
