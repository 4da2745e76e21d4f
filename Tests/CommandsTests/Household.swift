import KithMessages
import SwiftProtobuf

@testable import Commands

/// Replies that the tests of records share.
enum Household {
  static let annID = "0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d10"
  static let bobID = "0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d11"

  static let ann = Person.with {
    $0.id = Self.annID
    $0.firstName = "Ann"
    $0.lastName = "Lee"
    $0.displayName = "Ann Lee"
    $0.syncState = "synced"
  }

  static let bob = Person.with {
    $0.id = Self.bobID
    $0.firstName = "Bob"
    $0.displayName = "Bob"
    $0.syncState = "pending"
  }

  static func ago(_ seconds: Int64) -> Google_Protobuf_Timestamp { .init(seconds: CommandRun.now.seconds - seconds) }

  /// The reply of a search that finds people by their names.
  static func who(_ people: [Person]) -> WhoReply {
    WhoReply.with {
      $0.hits = people.map { person in
        Acquaintance.with {
          $0.person = person
          $0.name = person.displayName
          $0.foundBy = "name"
        }
      }
    }
  }

  /// The replies to look-ups of people by name and id; nil for other commands.
  static func people(_ command: any KithMessages.Command) -> (any Message & Sendable)? {
    switch command {
    case let search as WhoRequest:
      Self.who([Self.ann, Self.bob].filter { $0.firstName.lowercased() == search.text })
    case let get as GetPersonRequest:
      PersonDetails.with { $0.person = get.id == Self.annID ? Self.ann : Self.bob }
    default: nil
    }
  }
}
