import Bus
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

@Suite(.timeLimit(.minutes(2))) struct PeopleCommandTests {
  @Test("people are listed by name and found by parts and other spellings")
  func listAndSearch() async throws {
    let home = try Household()
    for (first, last) in [("Jon", "Smith"), ("Ann", "Smith"), ("佐藤", ""), ("Zoë", "Adams")] {
      _ = try await home.person(first, last)
    }
    let list = try await home.ask(ListPeopleRequest()).people
    #expect(list.map(\.firstName) == ["Zoë", "Ann", "Jon", "佐藤"])
    #expect(try await home.ask(SearchPeopleRequest.with { $0.text = "john" }).people.map(\.firstName) == ["Jon"])
    #expect(try await home.ask(SearchPeopleRequest.with { $0.text = "zoe" }).people.map(\.firstName) == ["Zoë"])
    #expect(await refusal { _ = try await home.ask(SearchPeopleRequest()) }?.reason == "FIELD_INVALID")
  }

  @Test("a person is given with everything that belongs to them")
  func details() async throws {
    let home = try Household()
    let (ann, bob) = (try await home.person("Ann"), try await home.person("Bob"))
    _ = try await home.ask(
      CreateContactFieldRequest.with {
        $0.record.personID = ann.id
        $0.record.type = "email"
        $0.record.data = "ann@example.org"
      })
    let address = try await home.ask(
      CreatePersonAddressRequest.with {
        $0.record.personID = ann.id
        $0.record.city = "Kyoto"
        $0.record.country = "jp"
      })
    #expect(address.country == "JP")
    let reminder = try await home.ask(
      CreatePersonReminderRequest.with {
        $0.record.personID = ann.id
        $0.record.title = "Flowers"
        $0.record.initialDate = "2025-08-31"
        $0.record.frequency = "month"
        $0.record.every = 1
      })
    #expect(reminder.nextOn == "2026-04-01")
    _ = try await home.ask(
      CreateRelationshipRequest.with {
        $0.record.personID = bob.id
        $0.record.otherID = ann.id
        $0.record.type = "friend"
      })
    _ = try await home.ask(
      CreateTaskRequest.with {
        $0.record.personID = ann.id
        $0.record.title = "Write"
      })
    _ = try await home.call(ann, ago: 2)
    for index in 0..<30 {
      home.pass(minutes: 1)
      _ = try await home.ask(
        CreateNoteRequest.with {
          $0.record.personID = ann.id
          $0.record.body = "note \(index)"
        })
    }
    let details = try await home.ask(GetPersonRequest.with { $0.id = ann.id })
    #expect(details.person.firstName == "Ann" && details.fields.map(\.data) == ["ann@example.org"])
    #expect(details.addresses == [address] && details.reminders.map(\.nextOn) == ["2026-04-01"])
    #expect(details.relationships.map(\.otherName) == ["Bob"] && details.tasks.map(\.title) == ["Write"])
    #expect(details.calls.count == 1 && details.person.hasLastInteractionAt)
    #expect(details.notes.count == 20 && details.notes.first?.body == "note 29")
    #expect(!details.refreshed && !details.hasFetchedAt)
    #expect(await refusal { _ = try await home.ask(GetPersonRequest.with { $0.id = "x" }) }?.reason == "RECORD_UNKNOWN")
  }

  @Test("without the server a refresh gives what is stored")
  func refreshOffline() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    let details = try await home.ask(
      GetPersonRequest.with {
        $0.id = ann.id
        $0.refresh = true
      })
    #expect(details.person.id == ann.id && !details.refreshed)
  }

  @Test("a person with very much is still an answer that fits")
  func largeDetails() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    for index in 0..<12 {
      home.pass(minutes: 1)
      _ = try await home.ask(
        CreateNoteRequest.with {
          $0.record.personID = ann.id
          $0.record.body = "\(index) " + String(repeating: "x", count: 20_000)
        })
      _ = try await home.call(ann) { $0.note = String(repeating: "佐", count: 5000) }
    }
    let details = try await home.ask(GetPersonRequest.with { $0.id = ann.id })
    #expect(try Encoding.json.encode(details).count < 250_000)
    #expect(!details.notes.isEmpty && !details.calls.isEmpty && details.notes[0].body.hasPrefix("11 "))
  }

  @Test("a timeline has four kinds in one order, over pages")
  func timeline() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    for ago in [1, 4, 7] as [Int64] { _ = try await home.call(ann, ago: ago) }
    for ago in [2, 5] as [Int64] {
      _ = try await home.ask(
        CreateConversationRequest.with {
          $0.record.personID = ann.id
          $0.record.channel = "text"
          $0.record.happenedAt = .init(nanosecondsSince1970: home.now - ago * 86_400_000_000_000)
        })
    }
    _ = try await home.ask(
      CreateActivityRequest.with {
        $0.record.summary = "x"
        $0.record.happenedOn = "2026-03-03"
        $0.record.participants = [ann.id]
      })
    _ = try await home.ask(
      CreateNoteRequest.with {
        $0.record.personID = ann.id
        $0.record.body = "x"
      })
    var request = PersonTimelineRequest.with {
      $0.id = ann.id
      $0.limit = 3
    }
    var kinds: [String] = []
    var times: [Int64] = []
    repeat {
      let reply = try await home.ask(request)
      #expect(reply.entries.count <= 3)
      for entry in reply.entries {
        times.append(entry.at.nanosecondsSince1970)
        switch entry.record {
        case .call?: kinds.append("call")
        case .conversation?: kinds.append("conversation")
        case .activity?: kinds.append("activity")
        case .note?: kinds.append("note")
        case nil: kinds.append("?")
        }
      }
      request.cursor = reply.nextCursor
    } while !request.cursor.isEmpty
    #expect(kinds == ["note", "call", "conversation", "activity", "call", "conversation", "call"])
    #expect(times == times.sorted(by: >))
  }

  @Test("a deletion takes what belongs to a person along")
  func deletion() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    let call = try await home.call(ann)
    _ = try await home.ask(DeletePersonRequest.with { $0.id = ann.id })
    #expect(try await home.ask(ListPeopleRequest()).people.isEmpty)
    #expect(try await home.ask(GetCallRequest.with { $0.id = call.id }).hasDeletedAt)
    #expect(try await home.ask(ListCallsRequest()).calls.isEmpty)
  }

  @Test("links are made by people alone; what was dismissed is not suggested again")
  func links() async throws {
    let home = try Household()
    let ann = try await home.person("Ann", "Lee")
    let none = try await home.ask(SuggestLinksRequest())
    #expect(none.suggestions.isEmpty)
    for request in [
      LinkPersonRequest.with {
        $0.personID = ann.id
        $0.contactID = "x"
      }, LinkPersonRequest.with { $0.personID = "x" },
    ] {
      #expect(await refusal { _ = try await home.ask(request) }?.reason == "RECORD_UNKNOWN")
    }
    #expect(try await home.ask(LinkPersonRequest.with { $0.personID = ann.id }).contactID.isEmpty)
    #expect(
      await refusal { _ = try await home.ask(DismissLinkRequest.with { $0.personID = ann.id }) }?.reason
        == "FIELD_INVALID")
  }
}
