public import Bus
internal import KithMessages

/// Why a recording cannot be used.
public enum SoundFault: Error, Hashable, Sendable {
  /// Too many bytes; with the limit.
  case tooLarge(limit: Int)
  /// None of the accepted containers.
  case unknownFormat
  /// A WAV that cannot be read.
  case wav(WAVFault)
  /// No sound, or none that the decoder can decode.
  case undecodable
  /// Too short for a word; with its seconds.
  case tooShort(Double)
  /// Too long; with the limit in seconds.
  case tooLong(limit: Int)
  /// A low sample rate, by which an engine gets a third of the words wrong; with the samples a second.
  case lowSampleRate(Int)
  /// The program that converts this format is not installed; with its package.
  case converterMissing(package: String)
  /// The converter could not be run; with the reason.
  case notConverted(String)
  /// The file system refused a call; with the reason.
  case storage(String)
  /// The task was cancelled.
  case cancelled

  /// The failure for the caller.
  public var failure: Failure {
    switch self {
    case .tooLarge(let limit): Self.bad("It is larger than \(limit >> 20) MiB. Record in shorter pieces.")
    case .unknownFormat: Self.bad("It is none of WAV, WebM, Ogg, MP4 and FLAC.")
    case .wav(let fault): Self.bad("\(fault.description.prefix(1).uppercased() + fault.description.dropFirst()).")
    case .undecodable: Self.bad("It contains no sound that can be decoded.")
    case .tooShort: Self.bad("It is shorter than three tenths of a second.")
    case .tooLong(let limit): Self.bad("It is longer than \(limit) seconds. Record in shorter pieces.")
    case .lowSampleRate(let rate):
      Self.bad(
        "It has \(rate) samples a second, and speech needs \(SpeechFormat.sampleRate). Set the recorder to that.")
    case .converterMissing(let package):
      Failure(
        .failedPrecondition, "CONVERTER_MISSING",
        "A recording of this format has to be converted. Install \(package), or record WAV of 16 kHz.",
        details: ["package": package])
    case .notConverted(let what):
      Failure(
        .unavailable, "CONVERTER_BUSY", "The recording could not be converted: \(what). Try again later.")
    case .storage(let what):
      Failure(.unavailable, "NO_ROOM", "The recording could not be stored: \(what). Check the disk, and try again.")
    case .cancelled: .cancelled
    }
  }

  private static func bad(_ why: String) -> Failure {
    Failure(.invalidArgument, "BAD_AUDIO", "The recording cannot be used. \(why)")
  }
}
