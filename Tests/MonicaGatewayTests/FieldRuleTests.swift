import Bus
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// What is taken of each kind of record, and what is not.
@Suite struct FieldRuleTests {
  private static let now = Household.start
  private static let long = String(repeating: "x", count: 256)

  private func field<Record: EditableRecord>(_ record: Record) -> String? {
    do {
      _ = try Record(creating: record, now: Self.now)
      return nil
    } catch {
      #expect(error.reason == "FIELD_INVALID" && error.code == .invalidArgument)
      return error.status.details.keys.first
    }
  }

  private func check<Record: EditableRecord>(
    _ valid: Record, _ bad: [(field: String, (inout Record) -> Void)], good: [(inout Record) -> Void] = []
  ) {
    #expect(self.field(valid) == nil)
    for (index, change) in bad.enumerated() {
      var record = valid
      change.1(&record)
      #expect(self.field(record) == change.field, "case \(index)")
    }
    for (index, change) in good.enumerated() {
      var record = valid
      change(&record)
      #expect(self.field(record) == nil, "case \(index)")
    }
  }

  @Test func people() {
    self.check(
      Person.with { $0.firstName = "Ann" },
      [
        ("first_name", { $0.firstName = " \n" }), ("first_name", { $0.firstName = Self.long }),
        ("first_name", { $0.firstName = "A\u{0}n" }), ("last_name", { $0.lastName = "L\nM" }),
        ("middle_name", { $0.middleName = Self.long }), ("nickname", { $0.nickname = Self.long }),
        ("description", { $0.description_p = Self.long }), ("job", { $0.job = Self.long }),
        ("company", { $0.company = Self.long }), ("gender", { $0.gender = Self.long }),
        ("food_preferences", { $0.foodPreferences = String(repeating: "é", count: 65_536) }),
        ("tags", { $0.tags = [""] }), ("tags", { $0.tags = [Self.long] }),
        ("tags", { $0.tags = (0...50).map { "t\($0)" } }),
        ("birthday", { $0.birthday = "1990-02-30" }), ("birthday", { $0.birthday = "--02-30" }),
        ("birthday", { $0.birthday = "~90" }), ("birthday", { $0.birthday = "1990" }),
        ("birthday", { $0.birthday = "2026-03-08" }), ("birthday", { $0.birthday = "~2027" }),
        ("birthday_reminder", { $0.birthdayReminder = true }),
        ("deceased_on", { $0.deceasedOn = "2020-01-01" }),
      ],
      good: [
        // Characters are counted as the server counts them, not bytes.
        { $0.firstName = String(repeating: "佐", count: 255) },
        { $0.birthday = "1990-02-28" }, { $0.birthday = "--02-29" }, { $0.birthday = "~1985" },
        { $0.birthday = "2026-03-07" },
        {
          $0.isDead = true
          $0.deceasedOn = "~2001"
        },
        {
          $0.birthday = "--05-01"
          $0.birthdayReminder = true
        },
      ])
  }

  @Test func waysToReachPeople() {
    self.check(
      ContactField.with {
        $0.personID = "p"
        $0.type = "phone"
        $0.data = "+49 30 1234"
      },
      [
        ("type", { $0.type = "" }), ("data", { $0.data = " " }), ("data", { $0.data = Self.long }),
        ("labels", { $0.labels = ["a\tb"] }),
        (
          "data",
          {
            $0.type = "email"
            $0.data = "ann at example"
          }
        ),
        (
          "data",
          {
            $0.type = "email"
            $0.data = "@example.org"
          }
        ),
      ],
      good: [
        {
          $0.type = "email"
          $0.data = "ann@example.org"
        }
      ])
    self.check(
      PersonAddress.with {
        $0.personID = "p"
        $0.city = "Kyoto"
      },
      [
        ("street", { $0.city = "" }), ("country", { $0.country = "Japan" }), ("country", { $0.country = "ZZ" }),
        ("latitude", { $0.latitude = "91" }), ("longitude", { $0.longitude = "-180.5" }),
        ("latitude", { $0.latitude = "nan" }), ("longitude", { $0.longitude = "0x10" }),
        ("postal_code", { $0.postalCode = Self.long }),
      ],
      good: [{ $0.country = "jp" }, { $0.latitude = "-35.0116" }])
  }

  @Test func whatIsWrittenOfPeople() {
    self.check(
      Note.with {
        $0.personID = "p"
        $0.body = "x"
      },
      [("body", { $0.body = "" }), ("body", { $0.body = String(repeating: "x", count: 100_001) })],
      good: [{ $0.body = String(repeating: "é", count: 100_000) }, { $0.body = "two\nlines" }])
    self.check(
      TaskItem.with { $0.title = "Call" }, [("title", { $0.title = "" }), ("title", { $0.title = Self.long })])
    self.check(
      Activity.with {
        $0.summary = "Lunch"
        $0.happenedOn = "2026-03-01"
        $0.participants = ["a", "b"]
      },
      [
        ("summary", { $0.summary = "" }), ("happened_on", { $0.happenedOn = "" }),
        ("happened_on", { $0.happenedOn = "2026-03-01T10:00:00Z" }), ("happened_on", { $0.happenedOn = "2026-04-01" }),
        ("participants", { $0.participants = [] }),
        ("participants", { $0.participants = (0...100).map { "p\($0)" } }),
      ])
    self.check(
      Gift.with {
        $0.personID = "p"
        $0.name = "Book"
        $0.status = "idea"
      },
      [
        ("name", { $0.name = "" }), ("status", { $0.status = "" }), ("status", { $0.status = "given" }),
        ("amount", { $0.amount = "12.345" }), ("amount", { $0.amount = "-1" }), ("amount", { $0.amount = "1e3" }),
        ("amount", { $0.amount = "12 €" }), ("amount", { $0.amount = "." }), ("date", { $0.date = "soon" }),
      ], good: [{ $0.amount = "12" }, { $0.amount = "0.5" }, { $0.date = "2030-12-24" }])
    self.check(
      PersonReminder.with {
        $0.personID = "p"
        $0.title = "Flowers"
        $0.initialDate = "2026-08-31"
        $0.frequency = "month"
        $0.every = 1
      },
      [
        ("title", { $0.title = "" }), ("initial_date", { $0.initialDate = "31.8.2026" }),
        ("frequency", { $0.frequency = "daily" }), ("frequency", { $0.frequency = "" }), ("every", { $0.every = 0 }),
        ("every", { $0.every = 1001 }),
      ],
      good: [
        {
          $0.frequency = "one_time"
          $0.every = 0
        }
      ])
    self.check(
      Relationship.with {
        $0.personID = "a"
        $0.otherID = "b"
        $0.type = "friend"
      },
      [
        ("type", { $0.type = "" }), ("other_id", { $0.otherID = "a" }), ("other_id", { $0.otherID = "" }),
        ("person_id", { $0.personID = "" }),
      ])
    self.check(Tag.with { $0.name = "family" }, [("name", { $0.name = "" }), ("name", { $0.name = Self.long })])
  }

  @Test func callsAndConversations() throws {
    let noon = try moment("2026-03-06T12:00:00Z")
    self.check(
      Call.with {
        $0.personID = "p"
        $0.calledAt = noon
      },
      [
        ("called_at", { $0.clearCalledAt() }), ("called_at", { $0.calledAt.seconds += 90_000 }),
        ("called_at", { $0.calledAt.nanos = -1 }), ("called_at", { $0.calledAt.seconds = -.max }),
        ("duration_minutes", { $0.durationMinutes = 1441 }), ("emotion", { $0.emotion = "bored" }),
        ("note", { $0.note = String(repeating: "佐", count: 5001) }), ("tags", { $0.tags = ["two words"] }),
        ("tags", { $0.tags = ["#x"] }), ("tags", { $0.tags = [String(repeating: "x", count: 65)] }),
        ("attachments", { $0.attachments = .init(repeating: BlobRef(), count: 11) }),
      ],
      good: [
        { $0.note = String(repeating: "佐", count: 5000) }, { $0.durationMinutes = 1440 },
        { $0.tags = ["garden", "家族", "e\u{301}te", "a-b_c1"] }, { $0.calledAt.seconds += 86_400 },
      ])
    self.check(
      Conversation.with {
        $0.personID = "p"
        $0.channel = "email"
        $0.happenedAt = noon
      },
      [
        ("channel", { $0.channel = "" }), ("happened_at", { $0.clearHappenedAt() }),
        ("messages", { $0.messages = [ConversationMessage()] }),
        (
          "messages", { $0.messages = [.with { $0.content = String(repeating: "x", count: 10_001) }] }
        ),
        ("messages", { $0.messages = .init(repeating: .with { $0.content = "x" }, count: 1200) }),
      ], good: [{ $0.messages = [.with { $0.content = String(repeating: "佐", count: 10_000) }] }])
  }

  @Test("texts are put in the form that the server gives back")
  func tidying() throws {
    let person = try Person(
      creating: .with {
        $0.firstName = " Ann\u{3000}"
        $0.tags = [" a", "a", "b "]
        $0.displayName = "not mine to say"
        $0.isStarred = true
        $0.monicaID = 7
      }, now: Self.now)
    #expect(
      person
        == .with {
          $0.firstName = "Ann"
          $0.tags = ["a", "b"]
        })
    let address = try PersonAddress(
      creating: .with {
        $0.personID = "p"
        $0.country = "jp"
      }, now: Self.now)
    #expect(address.country == "JP")
    for (given, kept) in [("12", "12.00"), ("012.5", "12.50"), ("0", "0.00"), ("3.14", "3.14")] {
      let gift = try Gift(
        creating: .with {
          $0.personID = "p"
          $0.name = "x"
          $0.status = "idea"
          $0.amount = given
        }, now: Self.now)
      #expect(gift.amount == kept)
    }
    let activity = try Activity(
      creating: .with {
        $0.summary = "x"
        $0.happenedOn = "2026-01-01"
        $0.personID = "p"
      }, now: Self.now)
    #expect(activity.participants == ["p"] && activity.personID == "p")
  }

  @Test("an update takes the fields it names, else those that are not empty")
  func masks() throws {
    let stored = Gift.with {
      $0.personID = "p"
      $0.name = "Book"
      $0.status = "idea"
      $0.comment = "blue"
    }
    var gift = stored
    try gift.change([], as: .with { $0.status = "offered" }, now: Self.now)
    #expect(
      gift
        == .with {
          $0 = stored
          $0.status = "offered"
        })
    gift = stored
    try gift.change(["comment"], as: .with { $0.name = "ignored" }, now: Self.now)
    #expect(gift.comment.isEmpty && gift.name == "Book")
    for fields in [["colour"], ["person_id"], ["id"], ["sync_state"]] {
      #expect(throws: Failure.self) {
        var gift = stored
        try gift.change(fields, as: Gift(), now: Self.now)
      }
    }
    #expect(throws: Failure.self) {
      var gift = stored
      try gift.change(["name"], as: Gift(), now: Self.now)
    }
    #expect(throws: Failure.self) {
      var gift = stored
      try gift.change([], as: .with { $0.personID = "other" }, now: Self.now)
    }
  }

  @Test("what the server has is not held against another change")
  func oldContent() throws {
    var call = Call.with {
      $0.calledAt.seconds = 1
      $0.note = String(repeating: "x", count: 70_000)
    }
    try call.change([], as: .with { $0.emotion = "happy" }, now: Self.now)
    #expect(call.emotion == "happy")
    #expect(throws: Failure.self) { try call.change([], as: .with { $0.note = call.note + "x" }, now: Self.now) }
  }

  @Test("names of a catalog are written as the server does; without a catalog any will do")
  func catalogs() throws {
    let name = try #require(Person.catalogNames.first)
    let entries = ["Man", "Woman"].map { entry in CatalogEntry.with { $0.name = entry } }
    #expect(try name.resolve("woman", entries) == "Woman")
    #expect(try name.resolve("", entries) == "")
    #expect(try name.resolve("Nobody knows", []) == "Nobody knows")
    let failure = #expect(throws: Failure.self) { try name.resolve("Nobody", entries) }
    #expect(failure?.message.contains("Man, Woman") == true)
    #expect(try #require(Conversation.catalogNames.first).resolve("in person", entries) == "in person")
  }
}
