import Bus
import EventLoop
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// Reading one person at once, with that person's records.
@Suite(.timeLimit(.minutes(5))) struct SyncRefreshTests {
  @Test func aPersonIsReadWithWhatIsTheirs() async throws {
    try await SyncHome.with { home in
      let id = home.server.makePerson("Ann")
      let call = home.server.make(
        .call(
          .with {
            $0.note = "one"; $0.calledAt = .init(seconds: 1)
          }), owner: id)
      try await home.sync()
      home.server.edit(.person, id) { $0.person.job = "Baker" }
      home.server.edit(.call, call) { $0.call.note = "changed" }
      home.server.make(.note(.with { $0.body = "new" }), owner: id)
      home.server.state.withLock { $0.picture = [1, 2, 3] }
      let person = try #require(try await home.all(Person.self).first)
      try await home.engine.refresh(person: person.id)
      let fresh = try await home.get(Person.self, person.id)
      #expect(fresh.job == "Baker" && fresh.photo.size == 3 && fresh.syncState == "synced")
      #expect(try await home.all(Call.self).map(\.note) == ["changed"])
      #expect(try await home.all(Note.self).map(\.body) == ["new"])
      home.server.remove(.call, call)
      _ = home.server.takeRequests()
      try await home.engine.refresh(person: person.id)
      #expect(try await home.all(Call.self).isEmpty)
      #expect(!home.server.takeRequests().contains("photo"), "a picture is asked for once a day")
      #expect(try await home.queue().isEmpty)
      home.server.remove(.person, id)
      home.pass(SyncHome.minute)
      try await home.engine.refresh(person: person.id)
      #expect(try await home.all(Person.self).isEmpty)
      #expect(await home.engine.lastRefresh(of: person.id) == home.now)
      // Another account has other people.
      try await home.engine.hold { () async throws(Failure) in }
      #expect(await home.engine.lastRefresh(of: person.id) == nil)
    }
  }

  @Test func aPersonWhoIsNotThereYetIsNotAskedFor() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.engine.refresh(person: ann.id)
      #expect(home.server.takeRequests().isEmpty)
      await #expect(throws: Failure.self) { try await home.engine.refresh(person: "nobody") }
    }
  }

  @Test func aRefusedTokenEndsTheSessionInARefreshToo() async throws {
    try await SyncHome.with { home in
      home.server.makePerson("Ann")
      try await home.sync()
      home.server.fail([.refusedToken])
      let ann = try #require(try await home.all(Person.self).first)
      let failure = await #expect(throws: Failure.self) { try await home.engine.refresh(person: ann.id) }
      #expect(failure?.reason == "SESSION_EXPIRED")
      #expect(try await home.status().state == "expired")
      let ofPass = await #expect(throws: Failure.self) { _ = try await home.engine.usedAccount() }
      #expect(ofPass?.reason == "SESSION_EXPIRED")
    }
  }
}
