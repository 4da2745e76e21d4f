/// What the engines get: PCM of 16 kHz, one channel, 16 bits.
public enum SpeechFormat {
  /// Samples a second.
  public static let sampleRate = 16000
  /// Bytes a second.
  public static let byteRate = 2 * sampleRate
  /// Bytes of the header that `WAVWriter` writes.
  public static let headerLength = 44
}
