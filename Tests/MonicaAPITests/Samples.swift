import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaAPI

/// Records to send, and comparisons of them.
enum Samples {
  /// A record of each kind, for people 1 and 2.
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

  /// The record with another text.
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
    let kind = try #require(record.record?.kind)
    func facts<R: WritableResource>(_ type: R.Type) -> Facts { type.facts(record) }
    return facts(kind.resource(callsAreActivities: activities))
  }

  /// Whether two records have the same values, except for ids of messages and values that the server does not return.
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
}
