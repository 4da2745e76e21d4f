import Foundation
import TestKit
import Testing
import Transfer

@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
  private func send(_ url: WebURL, _ tls: TLSSettings) async throws -> HTTPResponse {
    try await withClient(tls: tls) { try await $0.send(HTTPRequest("GET", url)) }
  }

  private func failure(_ url: WebURL, _ tls: TLSSettings) async throws -> TransferError? {
    try await withClient(tls: tls) { await $0.failure(HTTPRequest("GET", url)) }
  }

  private func server(_ certificate: TestAuthority.Certificate) async throws -> ScriptedServer {
    try await ScriptedServer("--tls", certificate.file, certificate.key, scheme: "https")
  }

  @Test func authoritiesAndPins() async throws {
    let authority = try TestAuthority()
    let certificate = try authority.issue("server", names: "IP:127.0.0.1,DNS:localhost")
    let server = try await server(certificate)
    let url = try server.url("/echo")
    let trusted = TLSSettings(authorityFile: authority.file)
    #expect(try await send(url, trusted).status == 200)
    #expect(try await send(try server.url("/echo", host: "localhost"), trusted).status == 200)

    #expect(try await failure(url, .system) == .tls(.untrusted, url.origin))
    let other = try TestAuthority()
    #expect(try await failure(url, TLSSettings(authorityFile: other.file)) == .tls(.untrusted, url.origin))
    #expect(
      try await failure(url, TLSSettings(authorityFile: "/nonexistent"))
        == .tls(.authorityFile, url.origin))

    let right = try #require(TLSSettings.KeyPin(certificate.pin))
    let wrong = try #require(TLSSettings.KeyPin("sha256//" + other.pin))
    #expect(try await send(url, TLSSettings(authorityFile: authority.file, pins: [right])).status == 200)
    #expect(try await send(url, TLSSettings(authorityFile: authority.file, pins: [wrong, right])).status == 200)
    #expect(
      try await failure(url, TLSSettings(authorityFile: authority.file, pins: [wrong]))
        == .pinMismatch(url.origin))
    // A pin does not replace a trusted authority.
    #expect(try await failure(url, TLSSettings(pins: [right])) == .tls(.untrusted, url.origin))
  }

  @Test func namesAreVerified() async throws {
    let authority = try TestAuthority()
    let server = try await server(try authority.issue("server", names: "DNS:other.example,DNS:127.0.0.1"))
    let url = try server.url("/echo")
    #expect(
      try await failure(url, TLSSettings(authorityFile: authority.file)) == .tls(.nameMismatch, url.origin)
    )
  }

  @Test func datesAreVerified() async throws {
    let authority = try TestAuthority()
    let server = try await server(try authority.issue("server", names: "IP:127.0.0.1", days: -1))
    let url = try server.url("/echo")
    #expect(
      try await failure(url, TLSSettings(authorityFile: authority.file)) == .tls(.expired, url.origin))
  }

  @Test func clientCertificatesAreShown() async throws {
    let authority = try TestAuthority()
    let certificate = try authority.issue("server", names: "IP:127.0.0.1")
    let server = try await ScriptedServer(
      "--tls", certificate.file, certificate.key, "--client-authority", authority.file, scheme: "https")
    let url = try server.url("/echo")
    let own = try authority.issue("ann", names: "DNS:ann")
    var tls = TLSSettings(
      authorityFile: authority.file, clientCertificate: .init(certificateFile: own.file, keyFile: own.key))
    #expect(try await send(url, tls).status == 200)
    tls.clientCertificate = nil
    #expect(try await failure(url, tls) != nil)
    tls.clientCertificate = .init(certificateFile: own.file, keyFile: certificate.key)
    #expect(try await failure(url, tls) == .tls(.clientCertificate, url.origin))
    tls.clientCertificate = .init(certificateFile: "/nonexistent", keyFile: "/nonexistent")
    #expect(try await failure(url, tls) == .tls(.clientCertificate, url.origin))
  }

  @Test func portsWithoutTLSAreNamed() async throws {
    let server = try await ScriptedServer.shared
    let url = try WebURL("https://127.0.0.1:\(server.port)/")
    let error = try await failure(url, .system)
    guard case .tls(.handshake, url.origin)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func downgradesAreRefused() async throws {
    let authority = try TestAuthority()
    let server = try await server(try authority.issue("server", names: "IP:127.0.0.1"))
    let plain = try await ScriptedServer.shared.url("/echo")
    #expect(
      try await failure(server.redirect(301, to: plain.description), TLSSettings(authorityFile: authority.file))
        == .refusedRedirect(.downgrade, server.origin()))
  }

  @Test func bodiesAndCutsComeThroughTLS() async throws {
    let authority = try TestAuthority()
    let server = try await server(try authority.issue("server", names: "IP:127.0.0.1"))
    let tls = TLSSettings(authorityFile: authority.file)
    #expect(try await send(try server.url("/bytes?size=3000000"), tls).body.count == 3_000_000)
    #expect(try await failure(server.url("/truncated?by=chunks"), tls) == .truncated(server.origin()))
    try await withClient(tls: tls) { client in
      let body = RequestBody.bytes([UInt8](repeating: 1, count: 20_000_000))
      let request = HTTPRequest("PUT", try server.url("/reset-upload"), body: body)
      #expect(await client.failure(request) != nil)
    }
  }

  @Test(arguments: ["", "abc", "sha256//", String(repeating: "=", count: 44), String(repeating: "a", count: 44)])
  func malformedPins(_ text: String) {
    #expect(TLSSettings.KeyPin(text) == nil)
  }
}
