internal import Synchronization

/// The level of a recording while it is made: WAV with samples of 16 bits, as speech recorders write it.
struct SoundLevel: Sendable {
  private static let header = 44
  /// Bytes so far.
  private var count = 0
  private var isKnown = true
  /// The first byte of a sample whose second byte has not arrived.
  private var half: UInt8?

  /// Adds a piece.
  ///
  /// - Returns: The loudest sample on a scale of 60 dB, from 0 (silence) to 1; nil for another format.
  mutating func take(_ piece: [UInt8]) -> Double? {
    var bytes = piece[...]
    if self.count < Self.header {
      if self.count == 0 { self.isKnown = Self.isSpeech(piece) }
      bytes = bytes.dropFirst(Self.header - self.count)
    }
    self.count += piece.count
    guard self.isKnown else { return nil }
    var loudest: Int32 = 0
    for byte in bytes {
      guard let low = self.half else {
        self.half = byte
        continue
      }
      loudest = max(loudest, abs(Int32(Int16(bitPattern: UInt16(low) | UInt16(byte) << 8))))
      self.half = nil
    }
    // Three bits are 18 dB: 60 dB are ten bits below the sign.
    guard loudest > 0 else { return 0 }
    return min(1, max(0, (Self.log2(Double(loudest)) - 5) / 10))
  }

  private static func isSpeech(_ piece: [UInt8]) -> Bool {
    piece.count >= Self.header && piece.starts(with: "RIFF".utf8) && piece[8...].starts(with: "WAVEfmt ".utf8)
      && piece[20] == 1 && piece[34] == 16
  }

  private static func log2(_ value: Double) -> Double { Double(value.exponent) + value.significand - 1 }
}

/// The line that shows a recording on a terminal while it is made.
final class RecordingMeter: Sendable {
  private static let cells = 20
  private let session: Session
  private let limit: Int
  private let began = ContinuousClock.now
  private let sound = Mutex<(level: SoundLevel, shown: Double?)>((SoundLevel(), nil))

  /// - Parameter limit: Seconds after which the recording ends.
  init(_ session: Session, limit: Int) {
    self.session = session
    self.limit = limit
  }

  /// Adds a piece of sound.
  func take(_ piece: [UInt8]) { self.sound.withLock { $0.shown = $0.level.take(piece) } }

  /// Draws the line until the task is cancelled, then removes it.
  func run() async {
    while !Task.isCancelled {
      let seconds = Int((ContinuousClock.now - self.began) / .seconds(1))
      self.session.console.redraw(
        Self.line(seconds: seconds, limit: self.limit, level: self.sound.withLock { $0.shown }, self.session))
      try? await Task.sleep(for: .milliseconds(250))
    }
    self.session.console.redraw("")
  }

  /// `Recording 0:07 of 1:00  ▮▮▮▮▮▮▯▯▯▯  Ctrl-C ends it`
  static func line(seconds: Int, limit: Int, level: Double?, _ session: Session) -> String {
    let say = session.language
    let filled = level.map { Int(($0 * Double(Self.cells)).rounded()) }
    let bar = filled.map {
      session.console.style.good(String(repeating: "▮", count: $0)) + String(repeating: "▯", count: Self.cells - $0)
    }
    return [
      say(
        "Recording \(Self.clock(seconds)) of \(Self.clock(limit))", "録音中 \(Self.clock(seconds)) / \(Self.clock(limit))"),
      bar ?? "", say("Ctrl-C ends it", "Ctrl-C で終了"),
    ].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  static func clock(_ seconds: Int) -> String {
    let rest = String(seconds % 60)
    return "\(seconds / 60):\(rest.count < 2 ? "0" : "")\(rest)"
  }
}
