import Bus
import KithMessages
import Testing

@testable import MonicaGateway

/// The addresses of servers that a person may type, and their normal forms.
@Suite struct SyncEndpointTests {
  @Test(arguments: [
    ("https://app.monicahq.com", "https://app.monicahq.com"),
    (" app.monicahq.com/ ", "https://app.monicahq.com"),
    ("HTTPS://Monica.Example.com:443/api/", "https://monica.example.com"),
    ("https://example.com/monica/api", "https://example.com/monica"),
    ("https://example.com:8443/monica//", "https://example.com:8443/monica"),
    ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
    ("http://localhost/", "http://localhost"),
    ("http://[::1]:9000/api", "http://[::1]:9000"),
  ])
  func oneFormForEachServer(_ written: String, _ form: String) throws {
    #expect(try MonicaEndpoint(written).text == form)
  }

  @Test(arguments: [
    "", "   ", "http://example.com", "http://127.0.0.1.example.com", "http://127.example.com", "ftp://example.com",
    "https://", "https://user:secret@example.com", "https://example.com/?a=b", "https://example.com/#a",
    "https://example.com/../x", "https://" + String(repeating: "a", count: 250) + ".com",
  ])
  func othersAreRefusedByName(_ written: String) {
    let failure = #expect(throws: Failure.self) { try MonicaEndpoint(written) }
    #expect(failure?.status.details["endpoint"] != nil)
  }

  @Test func noTwoAddressesShareTheNameOfAToken() throws {
    let written = [
      "https://example.com", "https://example.com/a", "https://example.com/a_b", "https://example.com/a/b",
      "https://example.com:444", "http://localhost:1", "https://localhost:1", "https://example.com-a",
    ]
    let names = try written.map { try MonicaEndpoint($0).tokenName }
    #expect(Set(names).count == written.count && !names.contains(MonicaEndpoint.candidateName))
    #expect(names[0] == "monica-example.com")
    #expect(names.allSatisfy { name in name.utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 > 0x20 && $0 < 0x7F } })
  }
}
