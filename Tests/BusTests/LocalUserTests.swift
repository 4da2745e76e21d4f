import Glibc
import Testing

@testable import Bus

@Suite struct LocalUserTests {
  @Test func `a user is found by name and number`() {
    #expect(LocalUser.name(of: 0) == "root" && LocalUser.number(of: "root") == 0)
    #expect(LocalUser.number(of: "4711") == 4711)
    #expect(LocalUser.number(of: "nobody of that name") == nil)
    #expect(LocalUser.name(of: 3_999_999_999) == "3999999999")
    let own = geteuid()
    #expect(LocalUser.number(of: LocalUser.name(of: own)) == own)
  }
}
