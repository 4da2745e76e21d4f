/// Why a WAV cannot be read.
public enum WAVFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// It does not begin as one.
  case notWAV
  /// Its structure is broken; with how.
  case damaged(String)
  /// Its samples are compressed or written in another way; with the code of the encoding.
  case encoding(UInt16)
  /// It says nothing of its format before the samples.
  case noFormat
  /// It has no samples.
  case noSamples

  /// What is wrong, as the end of a sentence.
  public var description: String {
    switch self {
    case .notWAV: "it is not a WAV"
    case .damaged(let how): "the WAV is damaged: \(how)"
    case .encoding(let code): "the WAV is in encoding \(code) instead of PCM"
    case .noFormat: "the WAV does not tell its format"
    case .noSamples: "the WAV has no sound in it"
    }
  }
}
