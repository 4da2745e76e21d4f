import Digest
import Testing

/// The values are those of Python's `hmac` for the parts, each preceded by its length.
@Suite struct HMACKeyTests {
  @Test func `codes are those of RFC 2104`() {
    let short = HMACKey([1, 2, 3]).authenticationCode(for: Array("kith.v1.Contacts/Sync".utf8), [])
    #expect(Hex.encode(short) == "058d314c5c9097213f6e842c05b97a80b2ddacf0e3789fbc6a7c245df38f8528")
    let long = HMACKey([UInt8](repeating: UInt8(ascii: "k"), count: 65)).authenticationCode(
      for: Array("a".utf8), Array("bc".utf8))
    #expect(Hex.encode(long) == "faa247c39f457a7d1debf3f90875fa77b8bc8719729e30eca6389e08f9b0aef5")
  }
}
