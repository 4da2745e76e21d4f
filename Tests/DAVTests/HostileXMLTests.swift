import DAV
import TestKit
import Testing

@Suite struct HostileXMLTests {
  private func fault(_ text: String, limits: XMLLimits = XMLLimits()) -> XMLFault? {
    do throws(XMLFault) { _ = try Reading(text, limits: limits) } catch { return error }
    return nil
  }

  @Test func documentTypesAreRefused() {
    let laughs = """
      <?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>
      <multistatus xmlns="DAV:"><response><href>&c;</href></response></multistatus>
      """
    #expect(self.fault(laughs) == .documentType)
    #expect(self.fault("<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><multistatus xmlns=\"DAV:\"/>") == .documentType)
  }

  @Test func unknownEntitiesAreNotWellFormed() {
    guard case .notWellFormed = self.fault("<multistatus xmlns=\"DAV:\">&nbsp;</multistatus>") else {
      Issue.record("an entity without a declaration was read")
      return
    }
  }

  @Test func depthIsBounded() {
    let deep = "<multistatus xmlns=\"DAV:\">" + String(repeating: "<a>", count: 100_000)
    #expect(self.fault(deep) == .tooLarge("64 nested elements"))
  }

  @Test func countsAreBounded() {
    var limits = XMLLimits()
    limits.responses = 3
    limits.elements = 100
    let response = "<response><href>/a</href><status>HTTP/1.1 404 x</status></response>"
    let three = "<multistatus xmlns=\"DAV:\">" + String(repeating: response, count: 3)
    #expect(self.fault(three + "</multistatus>", limits: limits) == nil)
    #expect(self.fault(three + response + "</multistatus>", limits: limits) == .tooLarge("3 responses"))
    // A response about several resources counts once for each.
    let several = { count in
      "<multistatus xmlns=\"DAV:\"><response>\(String(repeating: "<href>/a</href>", count: count))"
        + "<status>HTTP/1.1 404 x</status></response>"
    }
    #expect(self.fault(several(3) + "</multistatus>", limits: limits) == nil)
    #expect(self.fault(several(4) + "</multistatus>", limits: limits) == .tooLarge("3 responses"))
    #expect(self.fault(several(3) + response + "</multistatus>", limits: limits) == .tooLarge("3 responses"))
    let many = "<multistatus xmlns=\"DAV:\">" + String(repeating: "<x/>", count: 100) + "</multistatus>"
    #expect(self.fault(many, limits: limits) == .tooLarge("100 elements"))
  }

  /// 200 MB in one element, made while it is read: refused after 16.
  @Test func textIsBounded() throws {
    var reader = try MultistatusReader()
    let head =
      #"<multistatus xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav"><response><propstat><prop><c:address-data>"#
    _ = try Reading.feed(&reader, Array(head.utf8))
    let line = [UInt8](repeating: 0x41, count: 1 << 16)
    var fed = 0
    #expect(throws: XMLFault.tooLarge("\(16 << 20) bytes in one element")) {
      while fed < 200 << 20 {
        _ = try Reading.feed(&reader, line)
        fed += line.count
      }
    }
    #expect(fed <= 17 << 20)
  }

  /// Unwanted text costs only the time to read it.
  @Test func textThatIsNotWantedIsNotKept() throws {
    var reader = try MultistatusReader()
    _ = try Reading.feed(&reader, Array("<multistatus xmlns=\"DAV:\"><x>".utf8))
    let line = [UInt8](repeating: 0x41, count: 1 << 20)
    for _ in 0..<200 { _ = try Reading.feed(&reader, line) }
    _ = try Reading.feed(&reader, Array("</x></multistatus>".utf8))
    #expect(try reader.finish().end.responses == 0)
  }

  /// An unterminated tag, comment or attribute is not collected without limit.
  @Test(arguments: ["<multistatus xmlns=\"DAV:\"><x a=\"", "<!--", "<multistatus xmlns=\"", "<?x "])
  func tokensAreBounded(_ beginning: String) throws {
    var reader = try MultistatusReader()
    _ = try Reading.feed(&reader, Array(beginning.utf8))
    let line = [UInt8](repeating: 0x41, count: 1 << 16)
    var fed = 0
    #expect(throws: XMLFault.tooLarge("\(1 << 20) bytes in one tag")) {
      while fed < 64 << 20 {
        _ = try Reading.feed(&reader, line)
        fed += line.count
      }
    }
    #expect(fed <= 4 << 20)
  }

  @Test func otherDocumentsAreNamed() {
    #expect(
      self.fault("<html xmlns=\"http://www.w3.org/1999/xhtml\"/>")
        == .unexpectedRoot("http://www.w3.org/1999/xhtml html"))
    #expect(self.fault("<multistatus/>") == .unexpectedRoot("multistatus"))
    guard case .notWellFormed = self.fault("") else {
      Issue.record("nothing was read as a document")
      return
    }
  }

  @Test func aFaultIsFinal() throws {
    var reader = try MultistatusReader()
    #expect(throws: XMLFault.self) { _ = try Reading.feed(&reader, Array("<multistatus xmlns=\"DAV:\"></x>".utf8)) }
    #expect(throws: XMLFault.self) { _ = try Reading.feed(&reader, Array("<multistatus xmlns=\"DAV:\"/>".utf8)) }
  }

  @Test func whatWasCompleteBeforeAFaultIsGood() throws {
    var reader = try MultistatusReader()
    let text = "<multistatus xmlns=\"DAV:\"><response><href>/a</href><status>HTTP/1.1 404 x</status></response>\u{1}"
    #expect(throws: XMLFault.self) { _ = try Reading.feed(&reader, Array(text.utf8)) }
    #expect(reader.rescued().map(\.href) == ["/a"])
  }

  /// Randomly changed bytes are either read or refused.
  @Test func noiseIsReadOrRefused() throws {
    var random = SeededGenerator(seed: 7)
    for document in Dialects.all.sorted(by: { $0.key < $1.key }).map(\.value) {
      for _ in 0..<300 {
        var bytes = Array(document.utf8)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        _ = try? Reading([bytes])
      }
    }
  }
}
