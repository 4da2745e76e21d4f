import Foundation
import TestKit
import Testing

@testable import Transcription

struct WAVReaderTests {
  private static let samples = Sounds.bursts(0.5)
  private static let file = WAVWriter.file(samples)

  private static func number(_ value: Int, _ width: Int = 4) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func chunk(_ name: String, _ content: [UInt8], size: Int? = nil) -> [UInt8] {
    Array(name.utf8) + number(size ?? content.count) + content + (content.count % 2 == 1 ? [0] : [])
  }

  private static func format(
    _ code: Int = 1, channels: Int = 1, rate: Int = 16000, bits: Int = 16, align: Int? = nil, extra: [UInt8] = []
  ) -> [UInt8] {
    let align = align ?? channels * bits / 8
    return number(code, 2) + number(channels, 2) + number(rate) + number(rate * align) + number(align, 2)
      + number(bits, 2)
      + extra
  }

  private static func riff(_ chunks: [UInt8]...) -> [UInt8] {
    let body = Array("WAVE".utf8) + chunks.flatMap { $0 }
    return Array("RIFF".utf8) + number(body.count) + body
  }

  private static func replacing(_ offset: Int, _ value: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes.replaceSubrange(offset..<offset + value.count, with: value)
    return bytes
  }

  @Test("what is written is read back")
  func roundTrip() throws {
    let layout = try WAVReader(Self.file)
    #expect(layout.channels == 1 && layout.sampleRate == 16000 && layout.bitsPerSample == 16)
    #expect(layout.dataOffset == 44 && layout.dataLength == 16000 && layout.duration == 0.5)
    #expect(layout.isReadyForSpeech)
    #expect(layout.samples(in: Self.file) == Self.samples)
  }

  @Test(
    "sizes that a killed recorder leaves mean that the sound goes on to the end",
    arguments: [
      0, 0x7FFF_FFFF, 0x7FFF_FFD8, 0x8000_0000, 0xFFFF_FFFF, 16002,
    ])
  func openEnd(size: Int) throws {
    // The last byte of a torn sample is left out.
    let torn = Self.replacing(4, Self.number(size + 36), in: Self.replacing(40, Self.number(size), in: Self.file)) + [7]
    let layout = try WAVReader(torn)
    #expect(layout.dataLength == 16000)
    #expect(layout.samples(in: torn) == Self.samples)
  }

  @Test("parts before and after the sound are passed over, with their padding")
  func chunks() throws {
    let data = Array(Self.file[44...])
    let bytes = Self.riff(
      Self.chunk("LIST", Array("odd length".utf8) + [0]), Self.chunk("fmt ", Self.format()),
      Self.chunk("fact", [1, 2, 3]),
      Self.chunk("data", data), Self.chunk("id3 ", [1, 2, 3]))
    let layout = try WAVReader(bytes)
    #expect(layout.samples(in: bytes) == Self.samples)
  }

  @Test("the extensible format of PCM is taken, and channels are put together")
  func extensible() throws {
    let pcm: [UInt8] = [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    let extra = Self.number(22, 2) + Self.number(16, 2) + Self.number(3) + pcm
    let frames: [Int16] = [1000, 3000, -32768, -32768, 32767, 32767, -5, 5]
    let bytes = Self.riff(
      Self.chunk("fmt ", Self.format(0xFFFE, channels: 2, extra: extra)),
      Self.chunk("data", Array(WAVWriter.file(frames)[44...])))
    let layout = try WAVReader(bytes)
    #expect(layout.isReadyForSpeech && layout.channels == 2)
    #expect(layout.samples(in: bytes) == [2000, -32768, 32767, 0])
    // Float samples in the extensible format.
    let float = Self.replacing(20 + 24, [3, 0], in: bytes)
    #expect(throws: WAVFault.encoding(3)) { try WAVReader(float) }
  }

  @Test("what cannot be read says why")
  func faults() {
    let data = Self.chunk("data", Array(Self.file[44...]))
    let cases: [([UInt8], WAVFault)] = [
      ([], .notWAV), (Array(Self.file[..<11]), .notWAV), (Array("RIFX".utf8) + Self.file[4...], .notWAV),
      (Self.replacing(8, Array("AVI ".utf8), in: Self.file), .notWAV), (Array(Self.file[..<12]), .noFormat),
      (Array(Self.file[..<36]), .noSamples), (Self.riff(data), .noFormat),
      (Self.riff(Self.chunk("fmt ", Self.format(6, bits: 8)), data), .encoding(6)),
      (Self.riff(Self.chunk("fmt ", Array(Self.format()[..<14])), data), .damaged("its format is cut off")),
      (Self.riff(Self.chunk("fmt ", Self.format(0xFFFE)), data), .damaged("its format is cut off")),
      (Self.riff(Self.chunk("fmt ", Self.format(channels: 0, align: 2)), data), .damaged("its format makes no sense")),
      (Self.riff(Self.chunk("fmt ", Self.format(rate: 0)), data), .damaged("its format makes no sense")),
      (Self.riff(Self.chunk("fmt ", Self.format(bits: 12)), data), .damaged("its format makes no sense")),
      (Self.riff(Self.chunk("fmt ", Self.format(align: 4)), data), .damaged("its format makes no sense")),
      (
        Self.riff(Self.chunk("LIST", [1, 2], size: 5000), data), .damaged("a part before the sound is cut off")
      ),
      (
        Self.riff(Self.chunk("fmt ", Self.format()), (0..<70).flatMap { _ in Self.chunk("junk", []) }, data),
        .damaged("it has too many parts before the sound")
      ),
    ]
    for (bytes, fault) in cases { #expect(throws: fault) { try WAVReader(bytes) } }
  }

  @Test("damaged files never trap, and what is read of them lies within them", arguments: 0..<40)
  func damaged(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let whole = Self.riff(
      Self.chunk("LIST", [UInt8](repeating: 3, count: 21)), Self.chunk("fmt ", Self.format(channels: 2)),
      Self.chunk("data", [UInt8](repeating: 9, count: 4000)))
    let telling: [UInt8] = [0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF]
    for _ in 0..<250 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        // Mostly in the header, where every byte has a meaning.
        let at = Int.random(in: 0..<(Bool.random(using: &random) ? 80 : bytes.count), using: &random)
        bytes[at] = telling.randomElement(using: &random) ?? 0
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
      guard let layout = try? WAVReader(bytes) else { continue }
      #expect(layout.dataOffset + layout.dataLength <= bytes.count)
      #expect(layout.dataLength % layout.blockAlign == 0 && layout.duration.isFinite && layout.duration >= 0)
      if layout.bitsPerSample == 16 {
        #expect(layout.samples(in: bytes).count == layout.dataLength / layout.blockAlign)
      }
    }
  }
}
