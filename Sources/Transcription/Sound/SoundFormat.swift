/// The accepted containers of sound, detected by their first bytes: names and media types may be wrong.
public enum SoundFormat: String, Sendable, Hashable, CaseIterable {
  /// RIFF, from recorders.
  case wav
  /// Matroska and WebM, from browsers.
  case matroska
  /// Ogg, with Opus or Vorbis.
  case ogg
  /// MP4 and its relatives, from phones.
  case mp4
  /// FLAC.
  case flac

  /// Detects the container; nil for any other.
  ///
  /// - Parameter bytes: The beginning of a file, at least 12 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(12))
    func has(_ name: String, at offset: Int) -> Bool { head.dropFirst(offset).starts(with: name.utf8) }
    if has("RIFF", at: 0), has("WAVE", at: 8) {
      self = .wav
    } else if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      self = .matroska
    } else if has("OggS", at: 0) {
      self = .ogg
    } else if has("ftyp", at: 4) {
      self = .mp4
    } else if has("fLaC", at: 0) {
      self = .flac
    } else {
      return nil
    }
  }

  /// The name of FFmpeg's demuxer. Without a fixed demuxer FFmpeg would follow playlists and scripts under any file name.
  var demuxer: String {
    switch self {
    case .wav: "wav"
    case .matroska: "matroska"
    case .ogg: "ogg"
    case .mp4: "mov"
    case .flac: "flac"
    }
  }
}

/// The header of an Opus stream, in the first page of Ogg. RFC 7845, section 5.1; RFC 3533, section 6.
struct OggOpus {
  /// The sample rate before encoding; 0 if unknown. Opus itself is always decoded at 48 kHz.
  let inputSampleRate: Int

  /// Reads the first page; nil if it is not one of Opus.
  init?(_ bytes: [UInt8]) {
    guard bytes.count > 27 else { return nil }
    let packet = 27 + Int(bytes[26])
    guard bytes.count >= packet + 19, bytes[packet...].starts(with: "OpusHead".utf8) else { return nil }
    self.inputSampleRate = (0..<4).reduce(0) { $0 | Int(bytes[packet + 12 + $1]) << (8 * $1) }
  }
}

/// The format of the engines: PCM of 16 kHz, one channel, 16 bits.
public enum SpeechFormat {
  /// Samples a second.
  public static let sampleRate = 16000
  /// Bytes a second.
  public static let byteRate = 2 * sampleRate
  /// Bytes of the header that `WAVWriter` writes.
  public static let headerLength = 44
}
