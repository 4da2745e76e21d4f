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
