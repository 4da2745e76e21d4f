/// The layout of a WAV: where its samples are, and how they are written.
///
/// It trusts the bytes and not the header. A killed recorder leaves sizes that are too large or 0 (`arecord` 0x80000000,
/// `ffmpeg` to a pipe 0xFFFFFFFF, others 0 or 0x7FFFFFFF and so on); then the samples extend to the end of the file. Chunks are
/// as in "Multimedia Programming Interface and Data Specifications 1.0" (IBM and Microsoft, 1991), the extensible format as in
/// Microsoft's `WAVEFORMATEXTENSIBLE`.
public struct WAVReader: Sendable, Hashable {
  /// The number of channels.
  public let channels: Int
  /// Samples a second, of each channel.
  public let sampleRate: Int
  /// Bits of a sample: 8, 16, 24 or 32.
  public let bitsPerSample: Int
  /// The offset of the first sample.
  public let dataOffset: Int
  /// Bytes of samples, in whole frames of all channels.
  public let dataLength: Int
  /// Seconds.
  public var duration: Double { Double(self.dataLength / self.blockAlign) / Double(self.sampleRate) }

  /// Whether engines can read it after mixing its channels.
  public var isReadyForSpeech: Bool { self.sampleRate == SpeechFormat.sampleRate && self.bitsPerSample == 16 }

  var blockAlign: Int { self.channels * self.bitsPerSample / 8 }

  private static let mostChunks = 64
  private static let mostChannels = 32
  private static let sampleRates = 1...768_000

  /// Reads the layout of a whole file.
  ///
  /// - Throws: `WAVFault`.
  public init(_ bytes: [UInt8]) throws(WAVFault) {
    let bytes = LittleEndian(bytes)
    guard bytes.count >= 12, bytes.name(at: 0) == "RIFF", bytes.name(at: 8) == "WAVE" else { throw .notWAV }
    var format: Format?
    var offset = 12
    for _ in 0..<Self.mostChunks {
      guard offset + 8 <= bytes.count else { throw format == nil ? .noFormat : .noSamples }
      let (name, size, start) = (bytes.name(at: offset), bytes.number(at: offset + 4, 4), offset + 8)
      let rest = bytes.count - start
      switch name {
      case "data":
        guard let format else { throw .noFormat }
        let length = size == 0 ? rest : min(size, rest)
        self.channels = format.channels
        self.sampleRate = format.sampleRate
        self.bitsPerSample = format.bitsPerSample
        self.dataOffset = start
        self.dataLength = length - length % format.blockAlign
        return
      case "fmt ":
        guard size <= rest else { throw .damaged("its format is cut off") }
        format = try Format(bytes, at: start, size: size)
      default:
        guard size <= rest else { throw .damaged("a part before the sound is cut off") }
      }
      // Chunks begin at even offsets.
      offset = start + size + size % 2
    }
    throw .damaged("it has too many parts before the sound")
  }

  /// Reads the layout of a whole file; throws the fault of a recording.
  init(sound bytes: [UInt8]) throws(SoundFault) {
    do throws(WAVFault) {
      try self.init(bytes)
    } catch {
      throw .wav(error)
    }
  }

  /// The samples, 16 bits each; several channels are mixed into one.
  ///
  /// - Parameter bytes: The file with this layout.
  /// - Important: Only for 16 bits a sample.
  func samples(in bytes: [UInt8]) -> [Int16] {
    precondition(self.bitsPerSample == 16 && self.dataOffset + self.dataLength <= bytes.count)
    return stride(from: self.dataOffset, to: self.dataOffset + self.dataLength, by: self.blockAlign).map { frame in
      let sum = stride(from: frame, to: frame + self.blockAlign, by: 2).reduce(0) { sum, offset in
        sum + Int(Int16(truncatingIfNeeded: Int(bytes[offset]) | Int(bytes[offset + 1]) << 8))
      }
      return Int16(truncatingIfNeeded: sum / self.channels)
    }
  }

  /// The content of a `fmt ` chunk.
  private struct Format {
    let channels: Int
    let sampleRate: Int
    let bitsPerSample: Int
    let blockAlign: Int

    private static let pcm = 1
    private static let extensible = 0xFFFE
    // KSDATAFORMAT_SUBTYPE_PCM, in the order of the bytes in the file.
    private static let pcmIdentifier: [UInt8] = [
      0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
    ]

    init(_ bytes: LittleEndian, at start: Int, size: Int) throws(WAVFault) {
      guard size >= 16 else { throw .damaged("its format is cut off") }
      let code = bytes.number(at: start, 2)
      if code == Self.extensible {
        guard size >= 40 else { throw .damaged("its format is cut off") }
        guard bytes.slice(start + 24, 16) == Self.pcmIdentifier else {
          throw .encoding(UInt16(bytes.number(at: start + 24, 2)))
        }
      } else if code != Self.pcm {
        throw .encoding(UInt16(code))
      }
      self.channels = bytes.number(at: start + 2, 2)
      self.sampleRate = bytes.number(at: start + 4, 4)
      self.bitsPerSample = bytes.number(at: start + 14, 2)
      self.blockAlign = bytes.number(at: start + 12, 2)
      guard (1...WAVReader.mostChannels).contains(self.channels), WAVReader.sampleRates.contains(self.sampleRate),
        [8, 16, 24, 32].contains(self.bitsPerSample), self.blockAlign == self.channels * self.bitsPerSample / 8
      else { throw .damaged("its format makes no sense") }
    }
  }
}

/// Little-endian numbers and names in bytes.
private struct LittleEndian {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { self.bytes.count }

  func number(at offset: Int, _ width: Int) -> Int {
    (0..<width).reduce(0) { $0 | Int(self.bytes[offset + $1]) << (8 * $1) }
  }

  func slice(_ offset: Int, _ length: Int) -> [UInt8] { Array(self.bytes[offset..<offset + length]) }

  func name(at offset: Int) -> String { String(decoding: self.bytes[offset..<offset + 4], as: UTF8.self) }
}

/// Why a WAV cannot be read.
public enum WAVFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// It does not begin as a WAV.
  case notWAV
  /// Its structure is broken; with the defect.
  case damaged(String)
  /// Its samples are not PCM; with the code of the encoding.
  case encoding(UInt16)
  /// It has no format before the samples.
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

/// Writes WAVs with the shortest header, in the format of the engines.
public enum WAVWriter {
  /// The header of a file.
  ///
  /// - Parameter dataLength: Bytes of samples that follow.
  public static func header(dataLength: Int) -> [UInt8] {
    func number(_ value: Int, _ width: Int) -> [UInt8] {
      (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return Array("RIFF".utf8) + number(SpeechFormat.headerLength - 8 + dataLength, 4) + Array("WAVEfmt ".utf8)
      + number(16, 4) + number(1, 2) + number(1, 2) + number(SpeechFormat.sampleRate, 4)
      + number(SpeechFormat.byteRate, 4)
      + number(2, 2) + number(16, 2) + Array("data".utf8) + number(dataLength, 4)
  }

  /// A whole file.
  public static func file(_ samples: [Int16]) -> [UInt8] {
    var bytes = Self.header(dataLength: 2 * samples.count)
    bytes.reserveCapacity(bytes.count + 2 * samples.count)
    for sample in samples {
      bytes.append(UInt8(truncatingIfNeeded: sample))
      bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
    }
    return bytes
  }
}
