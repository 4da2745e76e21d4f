import DAV
import TestKit
import Testing

@Suite struct NameAnswerTests {
  private static func name(_ text: String) -> [UInt8] {
    text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  private static func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

  /// A record whose name points at the question.
  private static func record(_ type: Int, _ data: [UInt8]) -> [UInt8] {
    [0xC0, 12] + self.number(type) + self.number(1) + [0, 0, 1, 0] + self.number(data.count) + data
  }

  private static func message(_ records: [[UInt8]]) -> [UInt8] {
    [0x12, 0x34, 0x81, 0x80] + self.number(1) + self.number(records.count) + [0, 0, 0, 0]
      + self.name("_carddavs._tcp.example.com") + self.number(33) + self.number(1) + records.flatMap { $0 }
  }

  private static func service(_ priority: Int, _ weight: Int, _ port: Int, _ target: [UInt8]) -> [UInt8] {
    self.record(33, self.number(priority) + self.number(weight) + self.number(port) + target)
  }

  @Test func servicesComeInTheirOrder() throws {
    // The last target points at "example.com" within the question.
    let pointer = 12 + 1 + "_carddavs".utf8.count + 1 + "_tcp".utf8.count
    let answer = try #require(
      NameAnswer(
        Self.message([
          Self.service(20, 0, 443, Self.name("c.example.com")), Self.service(10, 1, 443, Self.name("B.Example.com")),
          Self.service(10, 5, 8443, [1, 0x61, 0xC0, UInt8(pointer)]),
        ])))
    #expect(answer.services.map(\.target) == ["a.example.com", "b.example.com", "c.example.com"])
    #expect(answer.services.first == ServiceRecord(priority: 10, weight: 5, port: 8443, target: "a.example.com"))
    #expect(answer.path == nil)
  }

  @Test func aLoneDotIsNoService() { #expect(NameAnswer(Self.message([Self.service(0, 0, 0, [0])]))?.services == []) }

  @Test func thePathIsInATextRecord() throws {
    func text(_ strings: String...) -> [UInt8] {
      Self.record(16, strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) })
    }
    #expect(NameAnswer(Self.message([text("v=1"), text("x=1", "path=/dav/")]))?.path == "/dav/")
    #expect(NameAnswer(Self.message([text("path=evil.example")]))?.path == nil)
  }

  @Test func pointersThatLoopAreRefused() {
    let at = Self.message([]).count + 12 + 6
    #expect(NameAnswer(Self.message([Self.service(0, 0, 1, [0xC0, UInt8(at)])])) == nil)
    #expect(NameAnswer(Self.message([Self.service(0, 0, 1, [0xC1, 0xFF])])) == nil)
  }

  @Test func cutAndNoisyAnswersAreRefusedOrRead() {
    let whole = Self.message([
      Self.service(1, 2, 3, Self.name("a.example.com")), Self.record(16, [5] + Array("path=".utf8)),
    ])
    for count in 0..<whole.count { #expect(NameAnswer(Array(whole[..<count])) == nil, "\(count) bytes") }
    var random = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      var noisy = whole
      for _ in 0..<3 {
        noisy[Int.random(in: 0..<noisy.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = NameAnswer(noisy)
    }
  }
}
