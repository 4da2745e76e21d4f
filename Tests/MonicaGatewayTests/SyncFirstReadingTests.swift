import Bus
import EventLoop
import KithMessages
import TestKit
import Testing

@testable import MonicaGateway

/// The first reading of an account, and a sync that comes while it runs.
@Suite(.timeLimit(.minutes(5))) struct SyncFirstReadingTests {
  private let ann = UUIDv7.make()
  private let bea = UUIDv7.make()
  private let commanded = PullPlan.Options(isCommanded: true)

  /// A login to a server with people, whose first reading waits at a request.
  private func withReading(
    before request: String, _ work: @escaping (SyncHome, Gate) async throws -> Void
  ) async throws {
    try await SyncHome.with(isLoggedIn: false) { home in
      for number in 1...12 { home.server.makePerson("p\(number)") }
      let gate = Gate()
      home.server.state.withLock { $0.pause = (request, gate) }
      var login = LoginRequest()
      login.cloud = true
      login.token = "good"
      #expect(try await home.router.ask(login).state == "logged_in")
      await gate.arrival()
      try await work(home, gate)
    }
  }

  /// Asks for a sync, and lets the reading go on once that waits.
  private func sync(_ home: SyncHome, _ gate: Gate, full: Bool = false) async throws -> MonicaStatus {
    async let status = home.sync(full: full)
    try await until {
      let agenda = await home.engine.agenda
      return agenda.current?.waiters.isEmpty == false || agenda.next != nil
    }
    gate.open()
    return try await status
  }

  @Test func aSyncAfterTheLoginReportsWhatTheFirstReadingRead() async throws {
    try await self.withReading(before: "pull call 1 newest") { home, gate in
      home.server.makePerson("late")
      let status = try await self.sync(home, gate)
      #expect(status.sync.state == .completed && status.sync.added == 13 && status.sync.unchanged == 0)
      #expect(status.people == 13, "what was made on the server before the sync was asked for is there")
      let requests = home.server.takeRequests()
      #expect(requests.count { $0 == "catalogs" } == 1 && requests.count { $0.hasPrefix("pull note") } == 1)
      #expect(requests.count { $0 == "pull contact 1 newest" || $0 == "pull person 1 newest" } == 2)
      await home.rest()
      #expect(home.server.takeRequests().isEmpty)
      // The next one reads, and counts each record once.
      let next = try await home.sync()
      #expect(next.sync.added == 0 && next.sync.unchanged == 13)
    }
  }

  @Test func aSyncBeforeAnyListIsReadAddsNoRequest() async throws {
    try await self.withReading(before: "catalogs") { home, gate in
      let status = try await self.sync(home, gate)
      #expect(status.sync.added == 12 && status.sync.unchanged == 0)
      let requests = home.server.takeRequests()
      #expect(Set(requests).count == requests.count, "\(requests)")
    }
  }

  @Test func whatWasWrittenBeforeTheSyncIsOnTheServerAfterIt() async throws {
    try await self.withReading(before: "pull gift 1 newest") { home, gate in
      try await home.person("mine")
      let status = try await self.sync(home, gate)
      #expect(status.pending == 0 && status.sync.pushed == 1 && home.server.texts(.person).contains("mine"))
    }
  }

  @Test func aFullSyncReadsEverythingAfterwards() async throws {
    try await self.withReading(before: "pull call 1 newest") { home, gate in
      let status = try await self.sync(home, gate, full: true)
      #expect(status.sync.added == 0 && status.sync.unchanged == 12)
      #expect(home.server.takeRequests().count { $0 == "catalogs" } == 2)
    }
  }

  @Test func aFirstReadingThatFailsIsNotJoinedAfterwards() async throws {
    try await self.withReading(before: "pull call 1 newest") { home, gate in
      home.server.fail([.trouble])
      let failed = try await self.sync(home, gate)
      #expect(failed.sync.state == .error)
      let status = try await home.sync()
      #expect(status.sync.state == .completed && status.people == 12)
    }
  }

  // MARK: - The agenda

  @Test func theFirstReadingTakesTheCallersOfTheNextPass() {
    var agenda = SyncAgenda()
    agenda.ask(nil, reading: PullPlan.Options())
    _ = agenda.begin()
    agenda.ask(self.ann, reading: self.commanded)
    #expect(agenda.next?.waiters == [self.ann])
    agenda.openFirstReading()
    #expect(agenda.next == nil && agenda.current?.waiters == [self.ann])
    agenda.close()
    agenda.ask(self.bea, reading: self.commanded)
    #expect(agenda.next == nil)
    let isOver = agenda.leave(self.ann)
    #expect(!isOver, "it is owed")
    agenda.closeFirstReading()
    agenda.ask(self.ann, reading: self.commanded)
    #expect(agenda.next?.waiters == [self.ann])
    let waiters = agenda.end()
    #expect(waiters == [self.bea])
  }

  @Test func theFirstReadingDoesNotServeMoreThanItReads() {
    var agenda = SyncAgenda()
    agenda.ask(nil, reading: PullPlan.Options())
    _ = agenda.begin()
    agenda.openFirstReading()
    agenda.close()
    agenda.ask(self.ann, reading: PullPlan.Options(isFull: true, isCommanded: true))
    agenda.ask(self.bea, reading: nil)
    #expect(agenda.current?.waiters == [] && agenda.next?.waiters == [self.ann, self.bea])
  }

  @Test func theFollowingPassIsNoFirstReading() {
    var agenda = SyncAgenda()
    agenda.ask(nil, reading: PullPlan.Options())
    _ = agenda.begin()
    agenda.openFirstReading()
    _ = agenda.end()
    agenda.ask(nil, reading: PullPlan.Options())
    _ = agenda.begin()
    agenda.close()
    agenda.ask(self.ann, reading: self.commanded)
    #expect(agenda.next?.waiters == [self.ann])
  }
}
