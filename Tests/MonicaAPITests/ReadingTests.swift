import Bus
import EventLoop
import KithMessages
import SwiftProtobuf
import Testing
import Transfer

@testable import MonicaAPI

@Suite(
  .enabled(if: MonicaServer.isInstalled, "there is no Tests/servers/monica.py"), .timeLimit(.minutes(2)))
struct ReadingTests {
  // MARK: - The account

  @Test func theTokenTellsWhoseItIs() async throws {
    try await MonicaServer.run { server in
      let user = try await server.verify()
      #expect(
        user.userID == 1 && user.email == "a@example.test" && user.timeZone == "America/Chicago" && user.meID == 0)
    }
  }

  @Test func whatKeepsATokenFromWorkingIsSaid() async throws {
    try await MonicaServer.run { server in
      var server = server
      server.account.tokenName = "wrong"
      #expect(await failure { try await server.verify() }?.reason == "TOKEN_INVALID")
      server.account.tokenName = "bad"
      #expect(await failure { try await server.verify() }?.reason == "TOKEN_MISSING")
      server.account.tokenName = "none"
      #expect(await failure { try await server.verify() }?.code == .unauthenticated)
      server.account.tokenName = "token"
      server.account.endpoint = "\(server.url)/elsewhere"
      #expect(await failure { try await server.verify() }?.reason == "NOT_MONICA")
      server.account.endpoint = "http://127.0.0.1:1"
      #expect(await failure { try await server.verify() }?.reason == "MONICA_UNREACHABLE")
      server.account.endpoint = "http://192.0.2.1"
      #expect(await failure { try await server.verify() }?.reason == "FIELD_INVALID")
      server.account.endpoint = server.url
      try await server.fault(["redirect": true], ["status": 404], ["status": 402], ["bad_json": true], ["status": 500])
      #expect(await failure { try await server.verify() }?.reason == "NOT_MONICA")
      #expect(await failure { try await server.verify() }?.reason == "NOT_MONICA")
      #expect(await failure { try await server.verify() }?.reason == "MONICA_PLAN_LIMIT")
      #expect(await failure { try await server.verify() }?.reason == "NOT_MONICA")
      #expect(await failure { try await server.verify() }?.reason == "MONICA_TROUBLE")
      try await server.tokens.keep("renewed", named: "token")
      try await server.control("POST", "config", ["token": "renewed"])
      #expect(try await server.verify().userID == 1)
    }
  }

  @Test func catalogsHaveNamesAndGroups() async throws {
    try await MonicaServer.run { server in
      let entries = try await server.service.ask(ReadCatalogRequest.with { $0.account = server.account }).entries
      #expect(entries.first { $0.name == "Woman" }?.type == "F")
      #expect(entries.first { $0.catalog == "contact_field_type" && $0.name == "Email" }?.type == "email")
      #expect(entries.first { $0.name == "went to the museum" }?.group == "Cultural activities")
      #expect(entries.first { $0.name == "parent" }?.reverseName == "child")
      #expect(entries.first { $0.name == "parent" }?.group == "family")
    }
  }

  // MARK: - Lists

  @Test func aListComesPageByPage() async throws {
    try await MonicaServer.run(contacts: 250) { server in
      let (reply, pages) = try await server.pull("person")
      let people = pages.flatMap(\.records)
      #expect(pages.map(\.page) == [1, 2, 3] && pages.allSatisfy { $0.lastPage == 3 })
      // Archived people are not listed.
      #expect(people.count == 245 && reply.total == 245 && reply.pages == 3 && reply.complete)
      #expect(Set(people.map(\.monicaID)).count == 245)
      #expect(people.allSatisfy { $0.hasChildren_p && !$0.person.firstName.isEmpty })
      // Each relationship comes with one of its two people, with the type as seen from the other one.
      let relationships = people.flatMap(\.children).filter {
        $0.record.map { if case .relationship = $0 { true } else { false } } ?? false
      }
      #expect(!relationships.isEmpty)
      #expect(relationships.allSatisfy { $0.owner < $0.others[0] && $0.relationship.reverseType == "friend" })
      let page = try await server.pull("person") {
        $0.firstPage = 2
        $0.lastPage = 2
      }
      #expect(page.pages.map(\.page) == [2] && page.pages[0].records.count == 100 && !page.reply.complete)
    }
  }

  @Test(arguments: ["address", "note", "task", "activity", "gift", "tag", "reminder", "call", "conversation"])
  func eachListIsRead(_ kind: String) async throws {
    try await MonicaServer.run(contacts: 60) { server in
      let (reply, pages) = try await server.pull(kind)
      #expect(reply.total > 0 && pages.flatMap(\.records).count == Int(reply.total))
      #expect(pages.flatMap(\.records).allSatisfy { $0.record != nil && $0.monicaID > 0 })
      let newest = try await server.pull(kind) { $0.newestFirst = true }
      #expect(Set(newest.pages.flatMap(\.records).map(\.monicaID)) == Set(pages.flatMap(\.records).map(\.monicaID)))
      let record = try #require(pages.first?.records.first)
      let read = try await server.read(kind, record.monicaID)
      #expect(read.found && read.record == record)
      #expect(try await server.read(kind, 99_999).found == false)
    }
  }

  @Test(arguments: [
    "contact_field", "address", "note", "task", "activity", "gift", "relationship", "reminder", "call", "conversation",
  ])
  func theListOfOnePersonIsRead(_ kind: String) async throws {
    try await MonicaServer.run(contacts: 60) { server in
      // The server's seed has records of each kind for one of these people.
      var found = 0
      for owner in [8, 9, 15, 19, 21, 22, 24, 60] as [UInt64] {
        // One side of a relationship has the record, the other only its id and time.
        let records = try await server.all(kind, owner: owner).filter { $0.record != nil }
        found += records.count
        #expect(records.allSatisfy { $0.owner == owner })
      }
      #expect(found > 0)
    }
  }

  @Test func whatThereIsNoListOfIsSaid() async throws {
    try await MonicaServer.run { server in
      for kind in ["contact_field", "relationship"] {
        #expect(await failure { try await server.pull(kind) }?.reason == "FIELD_INVALID")
      }
      for kind in ["person", "tag"] {
        #expect(await failure { try await server.all(kind, owner: 1) }?.reason == "FIELD_INVALID")
      }
      #expect(await failure { try await server.pull("debt") }?.reason == "FIELD_INVALID")
      #expect(await failure { try await server.all("note", owner: 7) }?.reason == "GONE")
      let empty = try await server.pull("note")
      #expect(empty.reply.total == 0 && empty.pages.count == 1)
    }
  }

  @Test func newestFirstEndsWhereTheGroundIsKnown() async throws {
    try await MonicaServer.run(contacts: 250) { server in
      try await server.mutate([
        "op": "update", "table": "contacts", "id": 17, "set": ["nickname": "New"], "touch": true,
      ])
      let since = Google_Protobuf_Timestamp(seconds: 1_704_096_000 + 86_400)
      let (reply, pages) = try await server.pull("person") {
        $0.newestFirst = true
        $0.since = since
      }
      #expect(reply.reachedSince && reply.pages == 1)
      #expect(pages[0].records.first?.monicaID == 17 && pages[0].records.first?.person.nickname == "New")
      // Notes have their own order: all of a page has to be older.
      let notes = try await server.pull("note") {
        $0.newestFirst = true
        $0.since = since
      }
      #expect(notes.reply.reachedSince)
    }
  }

  @Test func aListThatShiftsIsReadAgain() async throws {
    try await MonicaServer.run(contacts: 250) { server in
      let hasDeleted = Lock(false)
      let (reply, pages) = try await server.pull(
        "person",
        onPage: { _ in
          let isFirst = hasDeleted.withLock { done in
            defer { done = true }
            return !done
          }
          // The first record of the next page is now the last of this one, and is not seen.
          for id in 1...5 where isFirst { try? await server.mutate(["op": "delete", "table": "contacts", "id": id]) }
        })
      let ids = Set(pages.flatMap(\.records).map(\.monicaID))
      #expect(ids.count == pages.flatMap(\.records).count)
      let expected = (6...250 as ClosedRange<UInt64>).filter { $0 % 50 != 49 }
      #expect(ids.isSuperset(of: expected))
      #expect(reply.total == 240 && reply.pages > 3 && reply.complete)
    }
  }

  @Test func serversMayHaveSmallerPages() async throws {
    try await MonicaServer.run(contacts: 60, arguments: ["--max-limit", "20"]) { server in
      let (reply, pages) = try await server.pull("person")
      #expect(pages.flatMap(\.records).count == Int(reply.total) && pages.count == 4)
    }
  }

  @Test func listsThatMakeNoSenseAreErrors() async throws {
    try await MonicaServer.run(contacts: 5) { server in
      for (order, reason) in [
        (["bad_json": true], "MONICA_GARBLED"), (["truncate": true], "MONICA_UNREACHABLE"),
        (["html": true], "MONICA_TROUBLE"),
        (["drop": true], "MONICA_UNREACHABLE"), (["status": 401], "TOKEN_INVALID"), (["redirect": true], "NOT_MONICA"),
      ] as [([String: Any], String)] {
        // libcurl sends a request once more if a kept connection closes without an answer.
        try await server.fault(order.merging(["times": order["drop"] != nil ? 2 : 1]) { $1 })
        let fault = await failure { try await server.pull("person") }
        #expect(fault?.reason == reason)
        #expect(fault?.status.details["outcome"] == nil)
        try await server.control("DELETE", "faults")
      }
    }
  }

  @Test func whatBelongsToSomebodyDeletedHasNoOwner() async throws {
    try await MonicaServer.run(contacts: 20) { server in
      try await server.mutate(["op": "delete", "table": "contacts", "id": 1])
      let calls = try await server.all("call")
      #expect(calls.contains { $0.owner == 0 })
    }
  }

  @Test func archivedPeopleAreReadAndNotListed() async throws {
    try await MonicaServer.run(contacts: 60) { server in
      let person = try await server.read("person", 49)
      #expect(person.found && person.record.person.isArchived)
      #expect(try await server.all("person").contains { $0.monicaID == 49 } == false)
    }
  }

  // MARK: - The rate limit

  @Test func aRefusalIsWaitedFor() async throws {
    try await MonicaServer.run(contacts: 5) { server in
      try await server.fault(["status": 429, "retry_after": 0])
      #expect(try await server.all("person").count == 5)
    }
  }

  @Test func whoeverWaitsIsToldHowLong() async throws {
    try await MonicaServer.run(contacts: 5, rateLimit: 5) { server in
      for _ in 0..<5 { _ = try await server.pull("person") { $0.urgent = true } }
      let fault = await failure { try await server.pull("person") { $0.urgent = true } }
      #expect(fault?.reason == "RATE_LIMITED")
      #expect((1...61_000).contains(fault?.status.retryAfterMs ?? 0))
      // No request was sent that would have been refused.
      #expect(try await server.requests().count == 5)
    }
  }

  @Test func waitingForATurnCanBeGivenUp() async throws {
    try await MonicaServer.run(contacts: 5, rateLimit: 3) { server in
      for _ in 0..<2 { _ = try await server.pull("person") }
      let waiting = Task { await failure { try await server.pull("person") } }
      waiting.cancel()
      #expect(await waiting.value?.code == .cancelled)
    }
  }

  // MARK: - Photos

  @Test func theNewestPictureIsRead() async throws {
    try await MonicaServer.run(contacts: 5) { server in
      func read(_ person: UInt64) async throws(Failure) -> ReadPhotoReply {
        try await server.service.ask(
          ReadPhotoRequest.with {
            $0.account = server.account
            $0.person = person
          })
      }
      #expect(try await read(1).found == false)
      #expect(try await read(99).found == false)
      var request = HTTPRequest("POST", try WebURL("\(server.url)/api/photos"), credentials: .bearer(token: "secret"))
      request.headers.add("Content-Type", "application/json")
      request.headers.add("Accept", "application/json")
      request.body = .bytes(Array(#"{"contact_id":1,"data":"data:image/png;base64,iVBORw0KGgo="}"#.utf8))
      #expect(try await server.http.send(request).isSuccess)
      let photo = try await read(1)
      #expect(photo.found && photo.mediaType == "image/png" && Array(photo.data.prefix(4)) == [0x89, 0x50, 0x4E, 0x47])
    }
  }
}
