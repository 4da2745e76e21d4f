import Testing

@testable import Transcription

struct SpeechGateTests {
  private static let soundless: [String: [Int16]] = [
    "silence": Sounds.silence(2), "quiet noise": Sounds.noise(2, level: 0.05),
    "loud noise": Sounds.noise(2, level: 0.5),
    "a tone": Sounds.tone(2),
    "noise within silence": Sounds.silence(0.5) + Sounds.noise(2, level: 0.1) + Sounds.silence(0.5),
    "clicks": (0..<32000).map { $0 % 8000 < 40 ? 20000 : 0 }, "too quiet": Sounds.bursts(2, level: 0.002),
    "an offset": [Int16](repeating: 9000, count: 32000), "no samples": [],
    "a torn frame": [Int16](repeating: 9000, count: 319),
  ]

  @Test("where nobody speaks, nothing is heard", arguments: soundless.keys.sorted())
  func nothing(name: String) throws {
    #expect(!SpeechGate(try #require(Self.soundless[name])).hasSpeech)
  }

  @Test("what comes and goes is heard, also in noise; loud noise is told")
  func heard() {
    let clear = SpeechGate(Sounds.mixed(Sounds.bursts(4), Sounds.noise(4, level: 0.002)))
    #expect(clear.hasSpeech && !clear.isNoisy && !clear.isClipped)
    #expect(abs(clear.loudSeconds - 2) < 0.1)
    let noisy = SpeechGate(Sounds.mixed(Sounds.bursts(4), Sounds.noise(4, level: 0.08)))
    #expect(noisy.hasSpeech && noisy.isNoisy)
    #expect(noisy.signalToNoise < clear.signalToNoise)
  }

  @Test("a recorder that was set too loud is told")
  func clipped() {
    let gate = SpeechGate(Sounds.bursts(2).map { $0 > 3000 ? 32767 : ($0 < -3000 ? -32767 : $0) })
    #expect(gate.hasSpeech && gate.isClipped && gate.peak > -0.1)
  }

  @Test("what is loud between two moments; moments that make no sense have nothing")
  func between() {
    let gate = SpeechGate(Sounds.silence(2) + Sounds.bursts(1) + Sounds.noise(1, level: 0.001))
    #expect(gate.loudSeconds(from: 0, to: 2) == 0)
    #expect(abs(gate.loudSeconds(from: 2, to: 4) - 0.5) < 0.05)
    for (start, end) in [(3.0, 1.0), (-5, -1), (100, 200), (.infinity, .infinity)] {
      #expect(gate.loudSeconds(from: start, to: end) == 0)
    }
  }
}
