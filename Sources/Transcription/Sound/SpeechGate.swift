internal import Glibc

/// Detects possible speech by energy alone, because engines invent words for silence.
///
/// A frame is loud if it is 10 dB above the noise floor, the level below which a tenth of the frames stay. Constant noise, hum and
/// clicks are never loud for long enough.
public struct SpeechGate: Sendable, Hashable {
  /// The loudest sample, in dBFS.
  public let peak: Double
  /// The noise floor, in dBFS.
  public let noiseFloor: Double
  /// The level of the loud frames above the noise floor, in dB; 0 if there are none.
  public let signalToNoise: Double
  /// The share of samples at full scale.
  public let clipped: Double
  private let loud: [Bool]

  private static let frame = SpeechFormat.sampleRate / 50
  private static let frameSeconds = 0.02
  private static let silence = -100.0
  // A microphone's noise is never below this level. Digital silence at the ends is not used for the noise floor.
  private static let digitalSilence = -80.0
  private static let lowestFloor = -70.0
  private static let leastPeak = -50.0
  private static let leastSpeech = 0.3
  private static let margin = 10.0

  /// Measures samples of 16 kHz.
  public init(_ samples: [Int16]) {
    var (extreme, atLimit) = (0, 0)
    for sample in samples {
      let magnitude = abs(Int(sample))
      extreme = max(extreme, magnitude)
      atLimit += magnitude >= 32767 ? 1 : 0
    }
    let levels = stride(from: 0, to: samples.count - Self.frame + 1, by: Self.frame).map { start in
      let (sum, squares) = samples[start..<start + Self.frame].reduce((0, 0)) {
        ($0.0 + Int($1), $0.1 + Int($1) * Int($1))
      }
      // Removes the constant offset of cheap microphones.
      let mean = Double(sum) / Double(Self.frame)
      return Self.decibels(Double(squares) / Double(Self.frame) - mean * mean)
    }
    let isHeard = { (level: Double) in level > Self.digitalSilence }
    let heard = (levels.firstIndex(where: isHeard) ?? 0)..<(levels.lastIndex(where: isHeard).map { $0 + 1 } ?? 0)
    let floor = max(Self.lowestFloor, heard.isEmpty ? Self.silence : levels[heard].sorted()[heard.count / 10])
    let loud = levels.map { $0 > floor + Self.margin }
    let speech = zip(levels, loud).filter(\.1).map { pow(10, $0.0 / 10) }
    self.peak = Self.decibels(Double(extreme) * Double(extreme))
    self.clipped = samples.isEmpty ? 0 : Double(atLimit) / Double(samples.count)
    self.noiseFloor = floor
    self.loud = loud
    self.signalToNoise = speech.isEmpty ? 0 : 10 * log10(speech.reduce(0, +) / Double(speech.count)) - floor
  }

  /// Whether the recording may contain speech.
  public var hasSpeech: Bool { self.peak >= Self.leastPeak && self.loudSeconds >= Self.leastSpeech }

  /// Whether noise will make many words wrong.
  public var isNoisy: Bool { self.hasSpeech && self.signalToNoise < 20 }

  /// Whether the recording level was too high.
  public var isClipped: Bool { self.clipped > 0.01 }

  /// Seconds of loud frames.
  public var loudSeconds: Double { Double(self.loud.count { $0 }) * Self.frameSeconds }

  /// Seconds of loud frames between two times.
  public func loudSeconds(from start: Double, to end: Double) -> Double {
    func index(_ seconds: Double) -> Int {
      // Clamped before the conversion, because an engine may send any number.
      Int(min(max(seconds / Self.frameSeconds, 0), Double(self.loud.count)))
    }
    let range = index(start)..<max(index(start), index(end))
    return Double(self.loud[range].count { $0 }) * Self.frameSeconds
  }

  private static func decibels(_ meanSquare: Double) -> Double {
    max(Self.silence, 10 * log10(max(meanSquare, .leastNormalMagnitude) / (32768.0 * 32768.0)))
  }
}
