import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaAPI

@Suite(
  .enabled(if: MonicaServer.isInstalled, "there is no Tests/servers/monica.py"), .timeLimit(.minutes(2)))
struct PersonPushTests {
  @Test func whatIsNotInMessagesStaysWithAPerson() async throws {
    try await MonicaServer.run(contacts: 3) { server in
      try await server.mutate([
        "op": "update", "table": "contacts", "id": 1,
        "set": ["middle_name": "King", "first_met_through": 2, "first_met_info": "Ball", "is_starred": true],
      ])
      let before = try await server.read("person", 1).record
      var want = before
      want.person.nickname = "Countess"
      let done = try await server.push("update", want, base: before)
      #expect(done.outcome == .done && done.record.person.middleName == "King" && done.record.person.isStarred)
      let row = try #require(try await server.rows("contacts").first { $0["id"] as? Int == 1 })
      #expect(row["middle_name"] as? String == "King" && row["first_met_through"] as? Int == 2)
      // Also when the first meeting is changed.
      want.person.howMet = "A party"
      want.person.nickname = "Countess"
      #expect(try await server.push("update", want, base: done.record).record.person.howMet == "A party")
      let met = try #require(try await server.rows("contacts").first { $0["id"] as? Int == 1 })
      #expect(met["first_met_through"] as? Int == 2)
    }
  }

  @Test(.enabled(if: MonicaServer.hasLog, "this server shows no log"))
  func somebodyKnownThroughOthersIsMadeOnce() async throws {
    try await MonicaServer.run(contacts: 3) { server in
      let want = RemoteRecord.person("Gus") { $0.isPartial = true }
      let firstTriedAt = Google_Protobuf_Timestamp.now()
      try await server.fault(["match": ["method": "POST"], "drop_after": true])
      let lost = await failure { try await server.push("create", want) }
      #expect(lost?.status.details["outcome"] == "unknown")
      // Another person of the same name.
      let other = try await server.create(.person("Gus") { $0.isPartial = true })
      let found = try await server.push("create", want) {
        $0.lookFirst = true
        $0.firstTriedAt = firstTriedAt
      }
      #expect(found.outcome == .done && found.record.person.isPartial && found.record.monicaID != other.monicaID)
      #expect(try await server.rows("contacts").count == 5)
      // A person who was never created is not found.
      let new = try await server.push("create", .person("Gus") { $0.isPartial = true }) {
        $0.lookFirst = true
        $0.firstTriedAt = firstTriedAt
      }
      #expect(![found.record.monicaID, other.monicaID].contains(new.record.monicaID))
    }
  }

  @Test func remindersOfBirthdaysSurvive() async throws {
    try await MonicaServer.run { server in
      var made = try await server.create(
        .person("Ada") {
          $0.birthday = "1815-12-10"
          $0.birthdayReminder = true
        })
      #expect(try await server.rows("reminders").count == 1)
      // A hub that does not know the reminder changes the name.
      made.person.birthdayReminder = false
      var want = made
      want.person.firstName = "Augusta"
      let renamed = try await server.push("update", want, base: made)
      #expect(renamed.outcome == .done)
      #expect(try await server.rows("reminders").count == 1)
      // Removed on purpose.
      var base = renamed.record
      base.person.birthdayReminder = true
      want = base
      want.person.birthdayReminder = false
      #expect(try await server.push("update", want, base: base).outcome == .done)
      #expect(try await server.rows("reminders").isEmpty)
    }
  }

  @Test(arguments: ["1815-12-10", "--12-10", "~1950", ""])
  func birthdaysComeBackAsTheyWere(_ birthday: String) async throws {
    try await MonicaServer.run { server in
      let made = try await server.create(.person("Ada") { $0.birthday = birthday })
      #expect(made.person.birthday == birthday)
      #expect(try await server.read("person", made.monicaID).record.person.birthday == birthday)
    }
  }

  @Test func tagsThatOthersPutStay() async throws {
    try await MonicaServer.run { server in
      let made = try await server.create(.person("Ada") { $0.tags = ["one", "two"] })
      var want = made
      want.person.tags = ["two", "three"]
      let done = try await server.push("update", want, base: made)
      #expect(Set(done.record.person.tags) == ["two", "three"])
      // Interrupted between two steps: the part that exists is not someone else's change.
      var half = made
      half.person.nickname = "N"
      half.person.tags = ["one", "two", "three"]
      let more = try await server.push("update", half, base: made)
      #expect(more.outcome == .changed)
    }
  }

  @Test func namesThatTheServerDoesNotKnowAreRefused() async throws {
    try await MonicaServer.run(contacts: 2) { server in
      for (record, field) in [
        (.person("Ada") { $0.gender = "Robot" }, "gender"),
        (RemoteRecord(.contactField(.with { ($0.type, $0.data) = ("Telepathy", "x") }), owner: 1), "type"),
        (RemoteRecord(.relationship(.with { $0.type = "nemesis" }), owner: 1, others: [2]), "type"),
        (.person("Ada") { $0.birthday = "soon" }, "birthday"),
      ] as [(RemoteRecord, String)] {
        let fault = await failure { try await server.create(record) }
        #expect(fault?.reason == "FIELD_INVALID")
        #expect(fault?.status.details.keys.contains(field) == true)
        #expect(fault?.status.details["outcome"] == nil)
      }
      let people = try await server.rows("contacts")
      #expect(people.count == 2)
    }
  }

  @Test func archivedPeopleAreLeftAlone() async throws {
    try await MonicaServer.run(contacts: 3) { server in
      let call = try await server.create(.call(with: 1) { $0.note = "Hi" })
      let person = try await server.read("person", 1).record
      try await server.mutate(["op": "archive", "id": 1])
      var want = person
      want.person.isArchived = false
      want.person.nickname = "N"
      for work: (String, RemoteRecord, RemoteRecord?) in [
        ("update", want, person), ("create", .call(with: 1), nil), ("update", Samples.changed(call), call),
        ("delete", call, call),
        ("delete", person, person),
      ] {
        let fault = await failure { try await server.push(work.0, work.1, base: work.2) }
        #expect(fault?.reason == "PERSON_ARCHIVED" && fault?.code == .failedPrecondition, "\(work.0)")
      }
    }
  }

  @Test func whoeverIsGoneTakesEverythingAlong() async throws {
    try await MonicaServer.run(contacts: 3) { server in
      let call = try await server.create(.call(with: 1) { $0.note = "Hi" })
      try await server.mutate(["op": "delete", "table": "contacts", "id": 1])
      #expect(try await server.push("update", Samples.changed(call), base: call).outcome == .gone)
      #expect(try await server.push("delete", call, base: call).outcome == .gone)
      for record in [.call(with: 1), Samples.records[1], Samples.records[3]] as [RemoteRecord] {
        for looks in [false, true] {
          let fault = await failure {
            try await server.push("create", record) { $0.lookFirst = looks }
          }
          #expect(fault?.reason == "GONE" && fault?.status.details["record"] == "person")
        }
      }
    }
  }
}
