import Bus
import BusZeroMQ
import KithMessages
import Testing

/// As which device a command runs.
struct DeviceRingTests {
  private static let token = "kith_" + String(repeating: "A", count: 43)

  private func ring(expiresAt: Int64? = nil) -> DeviceRing {
    var ring = DeviceRing()
    ring.replace([TokenDigest(of: Self.token): DeviceGrant(name: "hanako", role: .recorder, expiresAt: expiresAt)])
    return ring
  }

  @Test func aTokenIsItsDevice() {
    #expect(self.ring().principal(Self.token, now: 5) == Principal(name: "device:hanako", role: .recorder))
  }

  @Test(arguments: ["", "kith_", token + "A", String(token.dropLast()), token.lowercased(), TokenDigest(of: token).hex])
  func anotherTextIsNobody(text: String) { #expect(self.ring().principal(text, now: 5) == nil) }

  @Test func aDeviceExpires() {
    #expect(self.ring(expiresAt: 10).principal(Self.token, now: 9) != nil)
    #expect(self.ring(expiresAt: 10).principal(Self.token, now: 10) == nil)
  }

  @Test func aRingThatIsReplacedForgets() {
    var ring = self.ring()
    ring.replace([:])
    #expect(ring.principal(Self.token, now: 5) == nil)
  }

  @Test func aTextWithoutEndIsNotHashed() {
    let long = String(repeating: "A", count: 129)
    var ring = DeviceRing()
    ring.replace([TokenDigest(of: long): DeviceGrant(name: "long", role: .admin)])
    #expect(ring.principal(long, now: 0) == nil)
  }

  @Test func aDigestIsWrittenInOneWay() {
    let digest = TokenDigest(of: Self.token)
    #expect(TokenDigest(hex: digest.hex) == digest && TokenDigest(bytes: digest.bytes) == digest)
    #expect(TokenDigest(hex: digest.hex.uppercased()) == nil && TokenDigest(hex: String(digest.hex.dropLast())) == nil)
    #expect(TokenDigest(bytes: [1]) == nil)
  }
}
