import Testing
import ZeroMQ

struct KeyTests {
  @Test("Z85 is that of RFC 32")
  func vector() {
    let bytes: [UInt8] = [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]
    #expect(Z85.encode(bytes) == "HelloWorld")
    #expect(Z85.decode("HelloWorld") == bytes)
  }

  @Test("what is no Z85 is refused", arguments: ["Hell", "Hello World", "Hell\"", "#####", "Héllo"])
  func invalid(text: String) {
    #expect(Z85.decode(text) == nil)
  }

  @Test("a key survives its text form, and shows nothing of itself")
  func key() throws {
    let pair = try CurveKeyPair.random()
    #expect(CurveKey(z85: pair.secretKey.z85) == pair.secretKey)
    #expect(pair.secretKey != pair.publicKey)
    #expect(CurveKey(bytes: [1, 2, 3]) == nil)
    #expect(CurveKey(z85: "HelloWorld") == nil)
    #expect(!"\(pair)".contains(pair.secretKey.z85))
  }
}
