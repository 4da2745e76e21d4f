import DAV
import EventLoop
import Foundation
import Logging
import TestKit
import Testing
import Transfer

@Suite(.timeLimit(.minutes(5))) struct RedirectedCardTests {
  /// A redirect is followed without the password; a host of the family is asked again with it, also for a single card.
  @Test func aCardThatARelativeHasIsAskedForWithThePassword() async throws {
    let authority = try TestAuthority()
    let certificate = try authority.issue("server", names: "DNS:localhost,DNS:below.localhost")
    let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("servers/scripted_http.py").path
    let server = try await ServerProcess(["python3", program, "--tls", certificate.file, certificate.key]) {
      $0.hasPrefix("ready ")
    }
    let port = try #require(server.ready.split(separator: " ").compactMap { Int($0) }.first)
    try await LoopExecutor.withLoop(
      name: "dav", poller: try DescriptorPoller(), logger: Logger(label: "dav.test")
    ) { loop in
      let http = HTTPClient(on: loop, tls: TLSSettings(authorityFile: authority.file))
      let client = DAVClient(http: http, credentials: .basic(username: "alice", password: "secret"))
      let book = try AddressBook(url: try WebURL("https://localhost:\(port)/book"), client: client)
      var cards: [FetchedCard] = []
      let ended = await book.fetch([path("/moved-down")], form: .asStored) { cards.append($0) }
      await http.close()
      #expect(throws: Never.self) { try ended.get() }
      guard case .card(let bytes, let fingerprint)? = cards.first?.outcome else {
        Issue.record("\(cards)")
        return
      }
      #expect(String(decoding: bytes, as: UTF8.self).contains("Guarded") && fingerprint == "\"1\"")
    }
  }
}
