import Digest
import Testing

@testable import VCard

/// Pictures are taken out of a card's bytes and restored byte for byte.
@Suite struct DetachedCardTests {
  private func roundTrip(_ card: Card) -> (detached: [UInt8], blobs: [[UInt8]], back: [UInt8]?) {
    func name(of data: [UInt8]) -> String { "sha256:" + Hex.encode(SHA256.digest(data)) }
    var blobs: [[UInt8]] = []
    let detached = DetachedCard.detach(card) { data in
      blobs.append(data)
      return name(of: data)
    }
    let back = DetachedCard.attach(detached) { wanted in blobs.first { name(of: $0) == wanted } }
    return (detached, blobs, back)
  }

  @Test(arguments: [0, 1, 2, 40, 41, 42, 500, 501, 502])
  func everyShape(_ length: Int) throws {
    let data = ViewTests.jpeg + (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    let digits = String(decoding: Base64.encode(data), as: UTF8.self)
    var unpadded = digits
    while unpadded.hasSuffix("=") { unpadded.removeLast() }
    var folded: [UInt8] = []
    LineFolder.append(Array("PHOTO;ENCODING=b;TYPE=JPEG:\(digits)".utf8), to: &folded)
    let lines = [
      "PHOTO;ENCODING=b:\(digits)", "PHOTO;ENCODING=b:\(unpadded)", "PHOTO:data:image/jpeg;base64,\(digits)",
      String(decoding: folded.dropLast(2), as: UTF8.self), "KEY;BASE64:\r\n  \(digits)\r\n",
    ]
    for line in lines {
      let card = try card(line, "FN:Ann", "NOTE:x")
      let (detached, blobs, back) = roundTrip(card)
      #expect(blobs == [data])
      #expect(back == Array(card.source))
      #expect(detached.count < 250)
    }
  }

  @Test func severalValues() throws {
    let card = try card(
      "PHOTO;ENCODING=b:/9j/4AABAgM=", "FN:Ann", "LOGO;ENCODING=b:/9j/4AABAgM", "SOUND:https://example.com/a")
    let (_, blobs, back) = roundTrip(card)
    #expect(blobs.count == 2)
    #expect(back == Array(card.source))
  }

  @Test func unevenFoldsStay() throws {
    let card = try card("PHOTO;ENCODING=b:/9j/4A\r\n AB\r\n AgM=", "FN:Ann")
    let (detached, blobs, back) = roundTrip(card)
    #expect(blobs.isEmpty)
    #expect(detached == Array(card.source) && back == detached)
  }

  @Test func textThatLooksLikeAReferenceIsText() throws {
    let card = try card("NOTE:\u{1}sha256:00 4 0  =\u{2}", "PHOTO;ENCODING=b:/9j/4AABAgM=")
    let (_, blobs, back) = roundTrip(card)
    #expect(blobs.count == 1)
    #expect(back == Array(card.source))
  }

  @Test func whatIsMissingOrBrokenGivesNil() throws {
    let card = try card("PHOTO;ENCODING=b:/9j/4AABAgM=")
    let (detached, _, _) = roundTrip(card)
    #expect(DetachedCard.attach(detached) { _ in nil } == nil)
    #expect(DetachedCard.attach([1]) { _ in [] } == nil)
    #expect(DetachedCard.attach(Array("\u{1}a b\u{2}".utf8)) { _ in [] } == nil)
    #expect(DetachedCard.attach(Array("\u{1}a 1 0 0a -\u{2}".utf8)) { _ in [1, 2, 3] } == nil)
  }
}
