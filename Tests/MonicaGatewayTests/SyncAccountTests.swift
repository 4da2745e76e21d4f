import Bus
import EventLoop
import Foundation
import Glibc
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import MonicaGateway

/// Login, logout, and what is stored of them.
@Suite(.timeLimit(.minutes(5))) struct SyncAccountTests {
  @discardableResult
  private func login(
    _ home: SyncHome, _ endpoint: String = "", token: String = "good", file: String = ""
  ) async throws -> MonicaStatus {
    var request = LoginRequest()
    if endpoint.isEmpty { request.cloud = true } else { request.endpoint = endpoint }
    request.token = token
    request.tokenFile = file
    return try await home.router.ask(request)
  }

  private func secrets(_ home: SyncHome) -> [String: String] { home.secrets.all.withLock { $0 } }

  @Test func whatWasRecordedBeforeIsSentAfterTheLogin() async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      let none = try await home.status()
      #expect(none.state == "none" && none.endpoint.isEmpty && none.token.isEmpty)
      let failure = await #expect(throws: Failure.self) { try await home.sync() }
      #expect(failure?.reason == "NOT_LOGGED_IN")
      try await home.person("Ann")
      home.server.makePerson("Bea")
      home.server.state.withLock { _ = $0.tokens.insert("a-long-token-ending-in-wxyz") }
      let status = try await self.login(home, token: " a-long-token-ending-in-wxyz\n")
      #expect(status.state == "logged_in" && status.endpoint == "https://app.monicahq.com")
      #expect(status.userName == "Ann Lee" && status.token == "\u{2022}\u{2022}\u{2022}\u{2022}wxyz")
      #expect(self.secrets(home) == ["monica-app.monicahq.com": "a-long-token-ending-in-wxyz"])
      await home.rest()
      #expect(home.server.texts(.person) == ["Ann", "Bea"])
      #expect(try await home.status().people == 2)
    }
  }

  @Test func aRefusedTokenLeavesNothing() async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      let failure = await #expect(throws: Failure.self) { try await self.login(home, token: "bad") }
      #expect(failure?.message == "This API token is invalid or expired")
      #expect(self.secrets(home).isEmpty)
      let status = try await home.status()
      #expect(status.state == "none")
    }
  }

  @Test func aRefusedTokenLeavesTheOldOne() async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      try await self.login(home)
      await home.rest()
      await #expect(throws: Failure.self) { try await self.login(home, token: "bad") }
      #expect(self.secrets(home) == ["monica-app.monicahq.com": "good"])
      #expect(try await home.status().state == "logged_in")
      #expect(try await home.sync().sync.state == .completed)
    }
  }

  @Test func aTokenOfSomebodyElseIsNeverKeptForTheAccount() async throws {
    try await SyncHome.with { home in
      try await home.person("Ann")
      try await home.sync()
      home.server.state.withLock { $0.userID = 8 }
      home.secrets.kept.withLock { $0 = [] }
      let failure = await #expect(throws: Failure.self) { try await self.login(home) }
      #expect(failure?.reason == "OTHER_USER")
      #expect(home.secrets.kept.withLock { $0 } == [MonicaEndpoint.candidateName])
      #expect(self.secrets(home) == [MonicaEndpoint.cloud.tokenName: "good"])
    }
  }

  @Test func eachLoginIsAboutItsOwnToken() async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      for _ in 0..<20 {
        async let good = self.login(home, token: "good").state
        let failure = await #expect(throws: Failure.self) { try await self.login(home, token: "bad") }
        #expect(failure?.reason == "TOKEN_INVALID")
        let state = try await good
        #expect(state == "logged_in")
      }
      await home.rest()
      #expect(self.secrets(home) == ["monica-app.monicahq.com": "good"])
    }
  }

  @Test func whatAKilledLoginLeftIsForgottenAtTheNextStart() async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      try await home.secrets.keep("half", named: MonicaEndpoint.candidateName)
      try await home.crash()
      try await until { self.secrets(home).isEmpty }
    }
  }

  @Test(arguments: ["http://example.com", "", "ftp://example.com"])
  func anAddressThatCannotBeIsRefusedByName(_ endpoint: String) async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      var request = LoginRequest()
      request.endpoint = endpoint
      request.token = "good"
      let failure = await #expect(throws: Failure.self) { _ = try await home.router.ask(request) }
      #expect(failure?.status.details["endpoint"] != nil && self.secrets(home).isEmpty)
    }
  }

  @Test(arguments: ["", "two words", "gr\u{FC}n", String(repeating: "x", count: 9_000)])
  func aTokenThatCannotBeIsRefusedByName(_ token: String) async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      let failure = await #expect(throws: Failure.self) { try await self.login(home, token: token) }
      #expect(failure?.status.details["token"] != nil && self.secrets(home).isEmpty)
    }
  }

  @Test func aTokenMayComeFromAFileThatNobodyElseReads() async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      let file = home.root + "/token"
      try Data("good\n".utf8).write(to: URL(fileURLWithPath: file))
      chmod(file, 0o644)
      let failure = await #expect(throws: Failure.self) { try await self.login(home, token: "", file: file) }
      #expect(failure?.reason == "SECRET_UNREADABLE")
      chmod(file, 0o600)
      #expect(try await self.login(home, token: "", file: file).state == "logged_in")
      for (token, path) in [("good", file), ("", "token"), ("", home.root + "/none")] {
        await #expect(throws: Failure.self) { try await self.login(home, token: token, file: path) }
      }
    }
  }

  @Test func loggingOutForgetsTheTokenAndNothingElse() async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      home.server.makePerson("Bea")
      try await self.login(home)
      await home.rest()
      try await home.person("Ann")
      let status = try await home.router.ask(LogoutRequest())
      #expect(status.state == "logged_out" && status.token.isEmpty && status.pending == 1 && status.people == 2)
      #expect(self.secrets(home).isEmpty)
      _ = home.server.takeRequests()
      home.engine.nudge()
      await Task.yield()
      await home.rest()
      #expect(home.server.takeRequests().isEmpty)
      try await self.login(home)
      await home.rest()
      #expect(home.server.texts(.person) == ["Ann", "Bea"])
    }
  }

  @Test func aPassThatWaitedWhileSomebodyLoggedOutSendsNothing() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      home.server.fail([nil, .crash])
      let asked = home.server.watch()
      let reading = Task { try await home.engine.sync(PullPlan.Options(isCommanded: true), cause: "", progress: nil) }
      for await _ in asked { break }
      // The pass reads; one that only sends comes after it.
      try await home.note(ann, "waits")
      let sending = Task { try await home.engine.sync(nil, cause: "", progress: nil) }
      try await until { await home.engine.agenda.next != nil }
      let logout = Task { try await home.router.ask(LogoutRequest()) }
      try await until { await home.engine.holds > 0 }
      home.server.revive()
      #expect(try await logout.value.state == "logged_out")
      _ = try? await reading.value
      let status = try await sending.value
      #expect(status.state == .error && status.error.reason == "NOT_LOGGED_IN")
      let entry = try #require(try await home.queue().first)
      #expect(entry.state == "pending" && entry.attempts == 0, "nothing was tried")
    }
  }

  @Test func accountsAreKeptApart() async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      try await self.login(home)
      await home.rest()
      try await home.person("Cloud")
      try await self.login(home, "https://monica.example.com/api/")
      await home.rest()
      #expect(try await home.all(Person.self).isEmpty, "the other account has none")
      #expect(home.server.rows(.person).isEmpty, "what waits for one server is not sent to another")
      #expect(try await home.status().instances == ["https://monica.example.com", "https://app.monicahq.com"])
      var request = SwitchInstanceRequest()
      request.endpoint = "app.monicahq.com"
      #expect(try await home.router.ask(request).state == "logged_in")
      await home.rest()
      #expect(home.server.texts(.person) == ["Cloud"])
      request.endpoint = "https://other.example.com"
      let failure = await #expect(throws: Failure.self) { _ = try await home.router.ask(request) }
      #expect(failure?.reason == "RECORD_UNKNOWN")
    }
  }

  @Test func theCacheIsReadAgain() async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      home.server.makePerson("Bea")
      try await self.login(home)
      await home.rest()
      try await home.person("Ann")
      let failure = await #expect(throws: Failure.self) { _ = try await home.router.ask(ClearCacheRequest()) }
      #expect(failure?.reason == "CHANGES_WAIT")
      await home.rest()
      try await home.sync()
      let reply = try await home.router.ask(ClearCacheRequest())
      #expect(reply.removed >= 2)
      await home.rest()
      #expect(try await home.all(Person.self).map(\.firstName).sorted() == ["Ann", "Bea"])
    }
  }

  @Test func anAccountChangedWhileAPassRunsGetsNothingOfTheOther() async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      for number in 1...20 { home.server.makePerson("p\(number)") }
      try await self.login(home)
      let status = try await self.login(home, "https://monica.example.com")
      #expect(status.endpoint == "https://monica.example.com")
      await home.rest()
      #expect(try await home.all(Person.self).count == 20)
      let failure = await #expect(throws: Failure.self) {
        try await self.login(home, token: "bad")
      }
      #expect(failure != nil)
      #expect(try await home.status().endpoint == "https://monica.example.com")
    }
  }

  @Test func whatIsMaskedShowsNoMoreThanItsEnd() {
    #expect(AccountRules.masked(nil).isEmpty && AccountRules.masked("").isEmpty)
    #expect(AccountRules.masked("short-token") == "\u{2022}\u{2022}\u{2022}\u{2022}")
    #expect(AccountRules.masked("a-token-of-some-length") == "\u{2022}\u{2022}\u{2022}\u{2022}ngth")
  }
}
