import Foundation
import TestKit
import Testing

@testable import VCard

/// Damaged cards: the reader, all views and the writer never trap, and respect the limits.
@Suite struct FuzzTests {
  /// Cards that together have every kind of property and encoding, and the samples if they are installed.
  private static let seeds: [[UInt8]] = {
    let own = [
      "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=SHIFT_JIS;ENCODING=QUOTED-PRINTABLE:=95=5C;=94=\r\n =5C\r\nTEL;HOME;VOICE:1\r\n"
        + "AGENT:\r\nBEGIN:VCARD\r\nFN:Bob\r\nEND:VCARD\r\nPHOTO;BASE64:\r\n  /9j/4AAB\r\n  AgM=\r\n\r\nBDAY:19850412\r\nEND:VCARD\r\n",
      "BEGIN:VCARD\nVERSION:3.0\nFN:Müller\\, Ann\nitem1.TEL;TYPE=cell,\"home,fax\":+1\nitem1.X-ABLabel:_$!<Mobile>!$_\n"
        + "item2.ADR;TYPE=My Hut:;;a;b\nitem2.X-ABADR:de\nX-SOCIALPROFILE;type=x;x-user=u:http://x\nNOTE:a\n b\nEND:VCARD\n",
      "BEGIN:VCARD\rVERSION:4.0\rFN:A\rBDAY:--0412\rPHOTO:data:image/jpeg;base64,/9j/4AABAgM=\rTEL;PREF=1;VALUE=uri:tel:1\rEND:VCARD\r",
    ].map { Array($0.utf8) }
    guard let folder = TestData.folder("vcards"),
      let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    else { return own }
    let files = names.compactMap { $0 as? URL }.filter { $0.pathExtension == "vcf" }.sorted { $0.path < $1.path }
    return own + files.compactMap { try? [UInt8](Data(contentsOf: $0)) }.filter { $0.count < 1200 }
  }()

  @Test(.timeLimit(.minutes(5)), arguments: testSeeds(short: 8, full: 80))
  func mutations(seed: UInt64) throws {
    var limits = Limits()
    limits.cardBytes = 4000
    limits.properties = 50
    limits.valuesPerKind = 5
    limits.parameters = 6
    limits.photoBytes = 1000
    var read = 0
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let bytes = mutate(Self.seeds.randomElement(using: &random) ?? [], &random)
      for reading in CardReader(bytes, limits: limits) {
        guard case .success(let card) = reading.result else { continue }
        read += 1
        check(card, limits: limits, version: random.chance(50) ? .v3_0 : .v4_0)
        if random.chance(10) { checkForms(of: card) }
      }
      if random.chance(10) { agreesInSlices(bytes, limits: limits, &random) }
    }
    #expect(read > 200)
  }

  private func check(_ card: Card, limits: Limits, version: Version) {
    let values = TypedValues(card)
    let isWithin =
      card.source.count <= limits.cardBytes && card.properties.count <= limits.properties
      && values.labeled.allSatisfy { $0.count <= limits.valuesPerKind }
      && card.valueWarnings().allSatisfy { $0.line >= card.lineNumber }
    #expect(isWithin)
    if case .inline(let bytes, _)? = values.photo { #expect(bytes.count <= limits.photoBytes) }
    let written = try? Card(CardWriter(version: version).bytes(of: card))
    let isReadable = written != nil && written?.formattedName == values.name
    #expect(isReadable)
  }

  private func checkForms(of card: Card) {
    var blobs: [[UInt8]] = []
    let detached = DetachedCard.detach(card) { data in
      blobs.append(data)
      return String(blobs.count - 1)
    }
    let isWhole = DetachedCard.attach(detached) { Int($0).map { blobs[$0] } } == Array(card.source)
    #expect(isWhole)
    let again = try? Card(Array(card.source), lineNumber: card.lineNumber, limits: card.limits)
    let isSame = again.map { SemanticForm.bytes(of: $0) } == SemanticForm.bytes(of: card)
    #expect(isSame)
  }

  private func agreesInSlices(_ bytes: [UInt8], limits: Limits, _ random: inout SeededGenerator) {
    let whole = CardReader(bytes, limits: limits).map(\.byteRange)
    var splitter = CardSplitter(limits: limits)
    var ranges: [Range<Int>] = []
    var position = 0
    while position < bytes.count {
      let end = min(bytes.count, position + Int.random(in: 1...200, using: &random))
      splitter.append(bytes[position..<end])
      while let raw = splitter.next() { ranges.append(raw.byteRange) }
      position = end
    }
    splitter.finish()
    while let raw = splitter.next() { ranges.append(raw.byteRange) }
    #expect(ranges.map(\.upperBound) == whole.map(\.upperBound))
  }

  private static let tokens = [
    "BEGIN:VCARD\n", "END:VCARD\r\n", "\r\nBEGIN:VCARD\r\nVERSION:2.1\r\nN:x\r\n", "VERSION:2.1\n", "AGENT:\n",
    ";ENCODING=QUOTED-PRINTABLE:", ";ENCODING=b:", ";CHARSET=EUC-JP:",
    "\n ", "=\n",
    "\r", "\n", "\"", ";", ":", ",", "\\", "item1.", "X-ABLabel:", "TYPE=", "data:image/png;base64,", "^n", "\u{1}",
    "\u{FEFF}",
    "TEL;PREF=99999999999999999999:", "BDAY:--13-99\n",
  ].map { Array($0.utf8) }

  private func mutate(_ original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let position = Int.random(in: 0...bytes.count, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0 where position < bytes.count:
        bytes[position] = UInt8.random(in: 0...255, using: &random)
      case 1 where position < bytes.count:
        bytes.removeSubrange(position..<min(bytes.count, position + Int.random(in: 1...40, using: &random)))
      case 2:
        bytes.insert(contentsOf: Self.tokens.randomElement(using: &random) ?? [], at: position)
      case 3:
        let start = Int.random(in: 0...bytes.count, using: &random)
        bytes.insert(contentsOf: Array(bytes[start..<min(bytes.count, start + 60)]), at: position)
      case 4 where random.chance(20):
        bytes = Array(bytes.prefix(position))
      case 5 where random.chance(5):
        bytes = bytes.flatMap { [$0, 0] }
      default:
        bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
      }
    }
    return bytes
  }
}
