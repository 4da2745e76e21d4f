import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaAPI

@Suite(
  .enabled(if: MonicaServer.isInstalled, "there is no Tests/servers/monica.py"), .timeLimit(.minutes(2)))
struct PushTests {
  /// A record of each kind, of people 1 and 2.
  static let records: [RemoteRecord] = [
    .person("Grace") {
      $0.lastName = "Hopper"
      $0.middleName = "Brewster"
      $0.gender = "Woman"
      $0.birthday = "1906-12-09"
      $0.birthdayReminder = true
      $0.isDead = true
      $0.deceasedOn = "1992-01-01"
      $0.job = "Admiral"
      $0.company = "Navy"
      $0.foodPreferences = "none"
      $0.howMet = "On a ship"
      $0.description_p = "Found a moth"
      $0.tags = ["vip", "new tag"]
    },
    RemoteRecord(
      .contactField(.with { ($0.type, $0.data, $0.labels) = ("email", "g@example.org", ["work", "own"]) }), owner: 1),
    RemoteRecord(
      .address(
        .with {
          ($0.name, $0.street, $0.city, $0.country) = ("Home", "1 Main St", "Arlington", "us")
          ($0.latitude, $0.longitude, $0.labels) = ("38.88", "-77.10", ["home"])
        }), owner: 1),
    RemoteRecord(.note(.with { ($0.body, $0.isFavorite) = ("A note\nof two lines 🎉 ", true) }), owner: 1),
    RemoteRecord(.task(.with { ($0.title, $0.description_p, $0.isCompleted) = ("Write", "soon", true) }), owner: 1),
    RemoteRecord(.task(.with { $0.title = "Of nobody" })),
    RemoteRecord(
      .activity(
        .with {
          ($0.summary, $0.description_p, $0.happenedOn, $0.type) = ("Lunch", "Soup", "2024-05-01", "ate at home")
        }), owner: 1, others: [1, 2]),
    RemoteRecord(
      .gift(
        .with {
          ($0.name, $0.status, $0.comment, $0.amount) = ("Book", "offered", "signed", "12.5")
          ($0.url, $0.date) = ("https://example.org", "2024-05-01")
        }), owner: 1),
    RemoteRecord(.tag(.with { $0.name = "brand new" })),
    RemoteRecord(.relationship(.with { $0.type = "parent" }), owner: 1, others: [2]),
    RemoteRecord(
      .reminder(
        .with { ($0.title, $0.initialDate, $0.frequency, $0.every) = ("Write", "2030-05-01", "month", 2) }), owner: 1),
    .call(with: 1) {
      ($0.note, $0.durationMinutes, $0.emotion, $0.theyCalled) = ("Moved house", 25, "happy", true)
      $0.tags = ["family"]
      $0.attachments = [.with { $0.sha256 = "x" }]
    },
    RemoteRecord(
      .conversation(
        .with {
          ($0.channel, $0.happenedAt) = ("in person", .init(seconds: 1_714_557_600))
          $0.messages = [
            .with {
              ($0.id, $0.content, $0.writtenAt, $0.writtenByMe) = (
                UUIDv7.make().text, "Hello", .init(seconds: 1_714_557_600), true
              )
            },
            .with { ($0.id, $0.content, $0.writtenAt) = (UUIDv7.make().text, "Hi", .init(seconds: 1_714_557_660)) },
          ]
        }), owner: 1, clientID: UUIDv7.make().text),
  ]

  /// The record with something else in it.
  static func changed(_ record: RemoteRecord, _ text: String = "changed") -> RemoteRecord {
    var record = record
    switch record.record {
    case .person?:
      record.person.nickname = text
      record.person.job = "\(text) job"
      record.person.foodPreferences = ""
      record.person.tags = ["vip", text]
      record.person.birthday = "--12-09"
    case .contactField?: record.contactField.data = "\(text)@example.org"
    case .address?: record.address.city = text
    case .note?: record.note.body = text
    case .task?:
      record.task.title = text
      record.task.isCompleted.toggle()
    case .activity?:
      record.activity.summary = text
      record.activity.type = ""
      record.others = [2]
    case .gift?:
      record.gift.name = text
      record.gift.amount = ""
    case .tag?: record.tag.name = text
    case .relationship?: record.relationship.type = text == "changed" ? "friend" : "cousin"
    case .reminder?: record.reminder.title = text
    case .call?:
      record.call.note = text
      record.call.durationMinutes = 0
      record.call.theyCalled = false
      record.call.attachments = []
    case .conversation?:
      record.conversation.channel = "Signal"
      record.conversation.messages.removeLast()
      record.conversation.messages[0].content = text
      record.conversation.messages.append(
        .with { ($0.id, $0.content, $0.writtenAt) = (UUIDv7.make().text, "new", .init(seconds: 1_714_557_700)) })
    case nil: break
    }
    return record
  }

  static func facts(_ record: RemoteRecord, activities: Bool = false) throws -> Facts {
    let kind = try #require(Self.kind(record))
    func facts<R: WritableResource>(_ type: R.Type) -> Facts { type.facts(record) }
    return facts(kind.resource(callsAreActivities: activities))
  }

  static func kind(_ record: RemoteRecord) -> ResourceKind? {
    switch record.record {
    case .person?: .person
    case .contactField?: .contactField
    case .address?: .address
    case .note?: .note
    case .task?: .task
    case .activity?: .activity
    case .gift?: .gift
    case .tag?: .tag
    case .relationship?: .relationship
    case .reminder?: .reminder
    case .call?: .call
    case .conversation?: .conversation
    case nil: nil
    }
  }

  /// Whether two records say the same, beside their messages' ids and what the server does not say.
  static func isSame(_ left: RemoteRecord, _ right: RemoteRecord, activities: Bool = false) throws -> Bool {
    var (left, right) = (left, right)
    if case .conversation? = left.record {
      for index in left.conversation.messages.indices { left.conversation.messages[index].monicaID = UInt64(index) + 1 }
      for index in right.conversation.messages.indices {
        right.conversation.messages[index].monicaID = UInt64(index) + 1
      }
    }
    return try self.facts(left, activities: activities)
      .agree(with: try self.facts(right, activities: activities), except: left.unsaid + right.unsaid + ["attachments"])
  }

  @Test("a record of each kind lives and dies", arguments: [false, true])
  func lives(_ callsAreActivities: Bool) async throws {
    try await MonicaServer.run(contacts: 3) { server in
      var server = server
      server.account.callsAsActivities = callsAreActivities
      for want in Self.records {
        let kind = try #require(Self.kind(want))
        // Made.
        let made = try await server.push("create", want)
        #expect(made.outcome == .done && made.record.monicaID > 0)
        #expect(try Self.isSame(made.record, want, activities: callsAreActivities), "\(kind)")
        let read = try await server.read(kind.rawValue, made.record.monicaID)
        #expect(read.found)
        #expect(try Self.isSame(read.record, want, activities: callsAreActivities), "\(kind)")
        if !want.clientID.isEmpty, kind != .call || !callsAreActivities {
          #expect(read.record.clientID == want.clientID)
        }
        // Changed by somebody else: told, and nothing written.
        let stranger = try await server.push("update", Self.changed(made.record, "stranger"), base: made.record)
        #expect(stranger.outcome == .done, "\(kind)")
        let late = try await server.push("update", Self.changed(made.record), base: made.record)
        #expect(late.outcome == .changed, "\(kind)")
        #expect(try Self.isSame(late.record, stranger.record, activities: callsAreActivities), "\(kind)")
        #expect(try await server.push("delete", made.record, base: made.record).outcome == .changed)
        // Changed from what is there.
        let changed = Self.changed(stranger.record)
        let done = try await server.push("update", changed, base: stranger.record)
        #expect(done.outcome == .done)
        #expect(try Self.isSame(done.record, changed, activities: callsAreActivities), "\(kind)")
        // The same again writes nothing.
        try await server.clearRequests()
        let again = try await server.push("update", done.record, base: stranger.record)
        #expect(again.outcome == .done)
        #expect(try await server.requests().allSatisfy { $0.hasPrefix("GET ") }, "\(kind)")
        // Deleted, and gone.
        #expect(try await server.push("delete", done.record, base: done.record).outcome == .done)
        #expect(try await server.push("delete", done.record, base: done.record).outcome == .gone)
        #expect(try await server.push("update", changed, base: done.record).outcome == .gone)
        #expect(try await server.read(kind.rawValue, done.record.monicaID).found == false, "\(kind)")
      }
    }
  }

  // MARK: - People

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
      // Also when how one met is changed.
      want.person.howMet = "A party"
      want.person.nickname = "Countess"
      #expect(try await server.push("update", want, base: done.record).record.person.howMet == "A party")
      let met = try #require(try await server.rows("contacts").first { $0["id"] as? Int == 1 })
      #expect(met["first_met_through"] as? Int == 2)
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
      // A hub that never heard of the reminder changes the name.
      made.person.birthdayReminder = false
      var want = made
      want.person.firstName = "Augusta"
      let renamed = try await server.push("update", want, base: made)
      #expect(renamed.outcome == .done)
      #expect(try await server.rows("reminders").count == 1)
      // Taken away on purpose.
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
      // Cut off between two steps: what is there of the change is no stranger's.
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
        ("update", want, person), ("create", .call(with: 1), nil), ("update", Self.changed(call), call),
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
      #expect(try await server.push("update", Self.changed(call), base: call).outcome == .gone)
      #expect(try await server.push("delete", call, base: call).outcome == .gone)
      for record in [.call(with: 1), Self.records[1], Self.records[3]] as [RemoteRecord] {
        for looks in [false, true] {
          let fault = await failure {
            try await server.push("create", record) { $0.lookFirst = looks }
          }
          #expect(fault?.reason == "GONE" && fault?.status.details["record"] == "person")
        }
      }
    }
  }

  // MARK: - Relationships, tags, conversations

  @Test func aRelationshipIsOneRecordFromBothSides() async throws {
    try await MonicaServer.run(contacts: 3) { server in
      // 3's child is 1: the record is that of 1, whose parent is 3.
      let made = try await server.create(
        RemoteRecord(.relationship(.with { $0.type = "child" }), owner: 3, others: [1]))
      #expect(
        made.owner == 1 && made.others == [3] && made.relationship.type == "parent"
          && made.relationship.reverseType == "child")
      #expect(try await server.read("person", 1).record.children.contains { $0.monicaID == made.monicaID })
      #expect(try await server.all("relationship", owner: 3).allSatisfy { $0.record == nil })
      // Changed as seen from the other side.
      var want = RemoteRecord(.relationship(.with { $0.type = "protege" }), owner: 3, others: [1])
      want.monicaID = made.monicaID
      let changed = try await server.push("update", want, base: made)
      #expect(changed.outcome == .done && changed.record.relationship.type == "mentor" && changed.record.owner == 1)
      // Made again after an attempt that arrived: found.
      let again = try await server.push(
        "create", RemoteRecord(.relationship(.with { $0.type = "protege" }), owner: 3, others: [1])
      ) { $0.lookFirst = true }
      #expect(again.record.monicaID == made.monicaID)
    }
  }

  @Test func thereIsOneTagOfAName() async throws {
    try await MonicaServer.run { server in
      let first = try await server.create(RemoteRecord(.tag(.with { $0.name = "Family" })))
      let second = try await server.create(RemoteRecord(.tag(.with { $0.name = "family" })))
      #expect(first.monicaID == second.monicaID)
      #expect(try await server.rows("tags").count == 1)
    }
  }

  @Test func channelsAreMadeOnce() async throws {
    try await MonicaServer.run(contacts: 1) { server in
      let before = try await server.rows("contact_field_types").count
      for _ in 0..<2 {
        for channel in ["in person", "text", "email", "Signal", "signal"] {
          let made = try await server.create(
            RemoteRecord(
              .conversation(.with { ($0.channel, $0.happenedAt) = (channel, .init(seconds: 1)) }), owner: 1,
              clientID: UUIDv7.make().text))
          #expect(made.conversation.channel.lowercased() == channel.lowercased())
        }
      }
      #expect(try await server.rows("contact_field_types").count == before + 3)
    }
  }

  @Test func messagesOfOthersStay() async throws {
    try await MonicaServer.run(contacts: 5) { server in
      let conversation = try #require(try await server.all("conversation").first)
      var want = conversation
      want.conversation.messages[0].content = "changed"
      // Somebody writes on meanwhile.
      try await server.mutate([
        "op": "create", "table": "messages",
        "values": ["contact_id": 5, "conversation_id": conversation.monicaID, "content": "meanwhile"],
      ])
      let late = try await server.push("update", want, base: conversation)
      #expect(late.outcome == .changed && late.record.conversation.messages.count == 3)
      var joined = late.record
      joined.conversation.messages[0].content = "changed"
      let done = try await server.push("update", joined, base: late.record)
      #expect(done.record.conversation.messages.map(\.content) == ["changed", "message 1 of 5", "meanwhile"])
    }
  }

  // MARK: - Calls

  @Test func aCallWhoseTrailerWasDeletedIsNotAConflict() async throws {
    try await MonicaServer.run(contacts: 1) { server in
      let made = try await server.create(.call(with: 1) { ($0.note, $0.durationMinutes) = ("Hi", 25) })
      try await server.mutate([
        "op": "update", "table": "calls", "id": made.monicaID, "set": ["content": "Hi"], "touch": true,
      ])
      let read = try await server.read("call", made.monicaID).record
      #expect(read.unsaid.contains("duration_minutes") && read.call.note == "Hi")
      var want = made
      want.call.durationMinutes = 30
      let done = try await server.push("update", want, base: made)
      #expect(done.outcome == .done && done.record.call.durationMinutes == 30)
    }
  }

  @Test func callsKeptAsActivitiesAreInOneListOnly() async throws {
    try await MonicaServer.run(contacts: 6) { server in
      var server = server
      server.account.callsAsActivities = true
      let before = try await server.pull("activity")
      let made = try await server.create(.call(with: 1) { ($0.note, $0.durationMinutes) = ("Moved house", 25) })
      let calls = try await server.all("call").filter { $0.record != nil }
      #expect(calls.map(\.monicaID) == [made.monicaID] && calls[0].owner == 1 && calls[0].call == made.call)
      // The places of the others are kept, so that counts come out right.
      let after = try await server.pull("activity")
      #expect(after.reply.total == before.reply.total + 1)
      #expect(after.pages.flatMap(\.records).count == Int(after.reply.total))
      #expect(after.pages.flatMap(\.records).filter { $0.record == nil }.map(\.monicaID) == [made.monicaID])
      let row = try #require(try await server.rows("activities").first { $0["id"] as? UInt64 == made.monicaID })
      #expect(row["summary"] as? String == "Call: Moved house")
    }
  }
}
