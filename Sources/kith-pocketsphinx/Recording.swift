internal import Glibc

/// The samples of a recording: a WAV with the shortest header, 16 kHz, one channel, 16 bits. The caller of this program
/// converts recordings to this form.
struct Recording {
  /// Samples a second.
  static let rate = 16000
  // Ten minutes, which is more than a record may have.
  private static let limit = 600 * rate * 2 + 44

  let samples: [Int16]

  /// The duration in seconds.
  var duration: Double { Double(self.samples.count) / Double(Self.rate) }

  init(path: String) throws(WorkerFault) {
    // The string outlives the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .badAudio("\(path) cannot be opened") }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, (44...Self.limit).contains(Int(status.st_size)) else {
      throw .badAudio("\(path) is empty or too long")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      // The array has `count` bytes, `filled` of which are read.
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
      guard count > 0 else { throw .badAudio("\(path) cannot be read") }
      filled += count
    }
    func number(_ offset: Int, _ width: Int) -> Int {
      (0..<width).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    func name(_ offset: Int) -> String { String(decoding: bytes[offset..<offset + 4], as: UTF8.self) }
    guard name(0) == "RIFF", name(8) == "WAVE", name(12) == "fmt ", number(16, 4) == 16, name(36) == "data" else {
      throw .badAudio("\(path) is not a WAV with a header of 44 bytes")
    }
    guard number(20, 2) == 1, number(22, 2) == 1, number(24, 4) == Self.rate, number(34, 2) == 16 else {
      throw .badAudio("\(path) is not in PCM of 16 kHz, one channel and 16 bits")
    }
    let length = min(number(40, 4), bytes.count - 44)
    self.samples = stride(from: 44, to: 44 + length - length % 2, by: 2).map { offset in
      Int16(truncatingIfNeeded: Int(bytes[offset]) | Int(bytes[offset + 1]) << 8)
    }
  }
}
