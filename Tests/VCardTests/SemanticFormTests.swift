import Testing

@testable import VCard

/// The digest input stays the same when a card is rewritten, and changes with its meaning.
@Suite struct SemanticFormTests {
  @Test func rewritingDoesNotCount() throws {
    let one = try card(
      "PRODID:a", "UID:1", "REV:20240101T000000Z", "N:Müller;Ann;;;", "FN:Ann", "item1.TEL;type=CELL;type=pref:+1 2",
      "item2.EMAIL:a@example.com", "item2.X-ABLabel:Hut", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12",
      "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AABAgM=", "ORG:Acme;")
    let two = try card(
      "PHOTO:data:image/jpeg;base64,/9j/4AA\r\n BAgM=", "UID:urn:uuid:2", "X-RADICALE-ETAG:5", "FN:A\r\n nn",
      "org:Acme", "BDAY:--0412", "x9.EMAIL;TYPE=INTERNET:a@example.com", "x9.X-ABLABEL:Hut",
      "TEL;TYPE=voice,cell;PREF=1:tel:+1 2", "N;CHARSET=UTF-8:Müller;Ann", "NOTE:", version: "4.0")
    #expect(SemanticForm.bytes(of: one) == SemanticForm.bytes(of: two))
  }

  @Test(arguments: [
    ["TEL:2"], ["TEL;TYPE=HOME:1"], ["TEL;PREF=1:1"], ["TEL:1", "TEL:1"], ["a.TEL:1", "a.X-ABLabel:x"], ["NOTE:1"],
    ["TEL:1", "X-FOO:1"], ["TEL;X-A=1:1"],
  ])
  func meaningCounts(_ lines: [String]) throws {
    let one = try card("TEL:1")
    let two = try card(lines.joined(separator: "\r\n"))
    #expect(SemanticForm.bytes(of: one) != SemanticForm.bytes(of: two))
  }

  @Test func countriesBelongToTheirAddress() throws {
    let one = try card("a.ADR:;;x", "a.X-ABADR:de", "b.ADR:;;y", "b.X-ABADR:jp")
    let two = try card("a.ADR:;;x", "a.X-ABADR:jp", "b.ADR:;;y", "b.X-ABADR:de")
    #expect(SemanticForm.bytes(of: one) != SemanticForm.bytes(of: two))
  }
}
