internal import Glibc

/// Tells by energy alone whether somebody may have spoken, before an engine is asked: engines make words out of silence.
///
/// Loud is what lies 10 dB above the noise floor, which is the level that a tenth of the frames stay below. Noise that does not
/// change, hum and clicks are never loud for long enough.
public struct SpeechGate: Sendable, Hashable {
  /// The loudest sample, in dBFS.
  public let peak: Double
  /// The level of the noise, in dBFS.
  public let noiseFloor: Double
  /// How far what is loud lies above the noise, in dB; 0 when nothing is.
  public let signalToNoise: Double
  /// The share of the samples that are as loud as can be.
  public let clipped: Double
  private let loud: [Bool]

  private static let frame = SpeechFormat.sampleRate / 50
  private static let frameSeconds = 0.02
  private static let silence = -100.0
  // Below it there is no noise of a microphone. What a program has put at the ends says nothing of the noise.
  private static let digitalSilence = -80.0
  private static let lowestFloor = -70.0
  private static let leastPeak = -50.0
  private static let leastSpeech = 0.3
  private static let margin = 10.0

  /// Listens to samples of 16 kHz.
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
      // Cheap microphones have an offset, which is no sound.
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

  /// Whether somebody may have spoken.
  public var hasSpeech: Bool { self.peak >= Self.leastPeak && self.loudSeconds >= Self.leastSpeech }

  /// Whether the noise is so loud that many words will be wrong.
  public var isNoisy: Bool { self.hasSpeech && self.signalToNoise < 20 }

  /// Whether the recorder was set too loud.
  public var isClipped: Bool { self.clipped > 0.01 }

  /// Seconds of what is loud.
  public var loudSeconds: Double { Double(self.loud.count { $0 }) * Self.frameSeconds }

  /// Seconds of what is loud between two moments.
  public func loudSeconds(from start: Double, to end: Double) -> Double {
    func index(_ seconds: Double) -> Int {
      // Converted after it was bounded: an engine may say any number.
      Int(min(max(seconds / Self.frameSeconds, 0), Double(self.loud.count)))
    }
    let range = index(start)..<max(index(start), index(end))
    return Double(self.loud[range].count { $0 }) * Self.frameSeconds
  }

  private static func decibels(_ meanSquare: Double) -> Double {
    max(Self.silence, 10 * log10(max(meanSquare, .leastNormalMagnitude) / (32768.0 * 32768.0)))
  }
}
