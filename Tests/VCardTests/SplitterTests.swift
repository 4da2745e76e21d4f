import Testing

@testable import VCard

/// The splitter finds the same cards in a stream as the reader in the whole.
@Suite struct SplitterTests {
  @Test func aLongCardDoesNotWaitForTheEndOfThoseInside() throws {
    var limits = Limits()
    limits.cardBytes = 200
    let begin = "BEGIN:VCARD\nVERSION:2.1\nN:"
    let text =
      begin + "Outer\n" + begin + "A\nEND:VCARD\n" + begin + "B\n" + String(repeating: "NOTE:x\n", count: 100)
      + "END:VCARD\nTEL:1\nEND:VCARD\n" + begin + "C\nEND:VCARD\n"
    for size in [1, 7, 50, 1000] {
      var splitter = CardSplitter(limits: limits)
      var found: [String?] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        splitter.append(rest.prefix(size))
        rest = rest.dropFirst(size)
        while let raw = splitter.next() { found.append(try? raw.card().formattedName) }
      }
      splitter.finish()
      while let raw = splitter.next() { found.append(try? raw.card().formattedName) }
      #expect(found.last == "C" && found.contains("A"), "in pieces of \(size)")
    }
  }

  static let text =
    "junk\r\nBEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nNOTE:a\r\n b\r\nEND:VCARD\r\n\r\nbegin:vcard\rfn:Bob\rend:vcard\r"
    + "BEGIN:VCARD\nAGENT:\nBEGIN:VCARD\nFN:X\nEND:VCARD\nFN:Cid\nEND:VCARD\nFN:Dan\nBEGIN:VCARD\nFN:Eve"

  private func split(_ bytes: [UInt8], chunk: Int, limits: Limits = Limits()) -> [RawCard] {
    var splitter = CardSplitter(limits: limits)
    var found: [RawCard] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      splitter.append(bytes[start..<min(bytes.count, start + chunk)])
      while let raw = splitter.next() { found.append(raw) }
    }
    splitter.finish()
    while let raw = splitter.next() { found.append(raw) }
    return found
  }

  @Test(arguments: [1, 2, 3, 7, 16, 64, 4096])
  func agreesWithTheReader(chunk: Int) throws {
    let bytes = Array(Self.text.utf8)
    let whole = Array(CardReader(bytes))
    let pieces = split(bytes, chunk: chunk)
    #expect(whole.map { try? $0.result.get().formattedName } == ["Ann", "Bob", "Cid", "Dan", "Eve"])
    #expect(pieces.map(\.byteRange) == whole.map(\.byteRange))
    #expect(pieces.map(\.lineNumber) == whole.map(\.lineNumber))
    #expect(pieces.map { try? $0.card().formattedName } == ["Ann", "Bob", "Cid", "Dan", "Eve"])
    #expect(pieces.allSatisfy { $0.bytes == Array(bytes[$0.byteRange]) })
  }

  @Test(arguments: [1, 50, 1000])
  func dropsCardsThatAreTooLarge(chunk: Int) throws {
    var limits = Limits()
    limits.cardBytes = 200
    let large = "BEGIN:VCARD\r\nFN:L\r\nNOTE:" + String(repeating: "x", count: 5000) + "\r\nNOTE:y\r\nEND:VCARD\r\n"
    let small = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:S\r\nEND:VCARD\r\n"
    let bytes = Array((small + large + small).utf8)
    let pieces = split(bytes, chunk: chunk, limits: limits)
    #expect(pieces.map(\.lineNumber) == [1, 5, 10])
    #expect(pieces.map(\.byteRange.upperBound) == [small.utf8.count, small.utf8.count + large.utf8.count, bytes.count])
    #expect(pieces.map { try? $0.card().formattedName } == ["S", nil, "S"])
    #expect(throws: CardFault(.cardTooLarge, line: 5)) { try pieces.dropFirst().first?.card() }
  }

  @Test func emptyStreams() {
    #expect(split([], chunk: 1).isEmpty)
    #expect(split([0x42], chunk: 1).isEmpty)
    #expect(split(Array("\n\n".utf8), chunk: 1).isEmpty)
  }
}
