import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaAPI

struct ResourceTests {
  private func read<R: Resource>(_ type: R.Type, _ json: String) throws -> RemoteRecord {
    try #require(try JSONDecoder().decode(type, from: Data(json.utf8)).record)
  }

  private static let ada = #"{"id":1,"complete_name":"Ada","is_partial":false}"#

  @Test func numbersMayBeTextsAndKeysMayBeMissing() throws {
    let note = try self.read(NoteResource.self, #"{"id":"7","body":"x","is_favorited":1,"contact":{"id":"3"}}"#)
    #expect(note.monicaID == 7)
    #expect(note.owner == 3)
    #expect(note.note.isFavorite)
    #expect(!note.hasUpdatedAt)
    #expect(try self.read(NoteResource.self, #"{"id":7,"body":null,"contact":[]}"#).owner == 0)
  }

  @Test(arguments: [#"{"body":"x"}"#, #"{"id":null}"#, #"{"id":"x"}"#, #"{"id":-1}"#, "[]", "null", "7"])
  func recordsWithoutAnIDAreNone(_ json: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(NoteResource.self, from: Data(json.utf8)) }
  }

  @Test func aCallWithoutATrailerSaysNothingOfItsDetails() throws {
    let plain = try self.read(
      CallResource.self,
      #"{"id":1,"called_at":"2024-05-01T10:00:00Z","content":"Hi","contact_called":null,"contact":\#(Self.ada)}"#)
    #expect(plain.unsaid == ["duration_minutes", "emotion", "tags", "attachments"])
    #expect(plain.call.note == "Hi")
    #expect(plain.call.calledAt.seconds == 1_714_557_600)
    #expect(!plain.call.theyCalled)
    let told = try self.read(
      CallResource.self,
      #"{"id":1,"called_at":"2024-05-01T10:00:00Z","content":"Hi\n\n— 25 min · sad 😢","contact_called":true}"#)
    #expect(told.unsaid == ["attachments"])
    #expect(told.call.durationMinutes == 25)
    #expect(told.call.emotion == "sad")
    #expect(told.call.note == "Hi")
    #expect(told.call.theyCalled)
    #expect(throws: DecodingError.self) { try self.read(CallResource.self, #"{"id":1,"called_at":null}"#) }
  }

  @Test func callsKeptAsActivitiesAreTold() throws {
    let json = #"""
      {"id":4,"summary":"Call: Moved house","description":"Moved house\n\n— 09:41:07 UTC · they called · 5 min",
       "happened_at":"2024-05-01","attendees":{"total":1,"contacts":[{"id":1}]},"uuid":"u"}
      """#
    let call = try self.read(CallActivityResource.self, json)
    #expect(call.call.calledAt.seconds == 1_714_556_467)
    #expect(call.call.theyCalled && call.call.durationMinutes == 5 && call.owner == 1)
    #expect(try JSONDecoder().decode(PlainActivityResource.self, from: Data(json.utf8)).record == nil)
    #expect(try JSONDecoder().decode(PlainActivityResource.self, from: Data(json.utf8)).listed.monicaID == 4)
    // Its trailer was deleted on the web.
    let bare = try self.read(
      CallActivityResource.self,
      #"{"id":4,"summary":"Call: Moved house","happened_at":"2024-05-01","attendees":{"contacts":[{"id":1}]}}"#)
    #expect(Set(bare.unsaid).isSuperset(of: ["called_at", "they_called", "duration_minutes"]))
    let lunch = #"{"id":4,"summary":"Lunch","happened_at":"2024-05-01","attendees":{"contacts":[{"id":1},{"id":2}]}}"#
    #expect(try JSONDecoder().decode(CallActivityResource.self, from: Data(lunch.utf8)).record == nil)
    #expect(try self.read(PlainActivityResource.self, lunch).others == [1, 2])
  }

  @Test func aPersonBringsItsChildrenAlong() throws {
    for spelling in ["contactFields", "contact_fields"] {
      let person = try self.read(
        PersonResource.self,
        #"""
        {"id":5,"uuid":"u5","first_name":"Ada","last_name":"Byron","nickname":"Countess","is_active":true,
         "complete_name":"Ada King Byron (Countess) ⚰","is_dead":true,"is_partial":false,"gender":"Woman",
         "information":{"dates":{"birthdate":{"is_age_based":false,"is_year_unknown":true,"date":"2024-12-10T00:00:00Z"},
           "deceased_date":{"date":"1852-11-27T00:00:00Z","is_age_based":false,"is_year_unknown":false}},
           "career":{"job":"Analyst","company":null},"food_preferences":null,"how_you_met":{"general_information":"Ball"},
           "relationships":{"family":{"total":2,"contacts":[
             {"relationship":{"id":11,"name":"parent"},"contact":{"id":9,"complete_name":"Anne","is_partial":false}},
             {"relationship":{"id":12,"name":"child"},"contact":{"id":2,"complete_name":"Older","is_partial":false}},
             {"relationship":{"id":13,"name":"child"},"contact":{"id":3,"complete_name":"Partial","is_partial":true}}]},
             "love":{"total":0,"contacts":[]}}},
         "addresses":[{"id":21,"city":"London","country":{"iso":"gb"},"latitude":51.5}],"tags":[{"id":1,"name":"vip"}],
         "\#(spelling)":[{"id":31,"content":"a@b.c","contact_field_type":{"id":1,"name":"E-Mail","type":"email"},
           "labels":[{"id":1,"type":"home","label":"Zuhause"}]}]}
        """#)
      #expect(person.person.middleName == "King")
      #expect(person.unsaid == ["birthday_reminder"])
      #expect(person.person.birthday == "--12-10")
      #expect(person.person.deceasedOn == "1852-11-27")
      #expect(person.person.job == "Analyst" && person.person.howMet == "Ball" && person.person.tags == ["vip"])
      #expect(person.hasChildren_p)
      #expect(person.children.map(\.monicaID) == [31, 21, 11, 13])
      #expect(person.children.allSatisfy { $0.owner == 5 })
      #expect(person.children[0].contactField.type == "email" && person.children[0].contactField.labels == ["home"])
      #expect(person.children[1].address.country == "GB" && person.children[1].address.latitude == "51.5")
      #expect(person.children[1].unsaid == ["labels"])
      #expect(person.children[2].others == [9] && person.children[2].relationship.type == "parent")
    }
  }

  @Test(
    "the middle name is read from the whole name, or not known",
    arguments: [
      ("Ada Byron", ""), ("Ada King Byron", "King"), ("Ada King Noel Byron (C)", "King Noel"), ("Byron Ada", nil),
      ("C", nil),
      ("Ada Byron ⚰", ""), ("AdaKing Byron", nil), ("", nil),
    ] as [(String, String?)])
  func middleNames(_ whole: String, _ middle: String?) throws {
    let json = #"{"id":5,"first_name":"Ada","last_name":"Byron","nickname":"C","complete_name":"\#(whole)"}"#
    let person = try JSONDecoder().decode(PersonResource.self, from: Data(json.utf8))
    #expect(person.middleName == middle)
    #expect(person.record?.unsaid.contains("middle_name") == (middle == nil))
  }

  @Test func partsThatAreMissingAreNotEmpty() throws {
    let partial = try self.read(
      PersonResource.self, #"{"id":7,"first_name":"Gus","complete_name":"Gus","is_partial":true}"#)
    #expect(!partial.hasChildren_p)
    #expect(partial.unsaid == ["job", "company", "food_preferences", "how_met", "tags"])
  }

  @Test func oneOfTwoRelationshipsStandsForBoth() {
    #expect(RelationshipResource.isCanonical((1, false), (2, false)))
    #expect(!RelationshipResource.isCanonical((2, false), (1, false)))
    #expect(RelationshipResource.isCanonical((2, false), (1, true)))
    #expect(!RelationshipResource.isCanonical((1, true), (2, false)))
    #expect(RelationshipResource.isCanonical((1, true), (2, true)))
  }

  @Test func channelsHaveTheSameNameInEachLanguage() throws {
    func channel(_ json: String) throws -> String {
      ConversationResource.channel(try JSONDecoder().decode(ContactFieldTypeResource.self, from: Data(json.utf8)))
    }
    #expect(try channel(#"{"id":1,"name":"Courriel","type":"email"}"#) == "email")
    #expect(try channel(#"{"id":1,"name":"In Person","type":null}"#) == "in person")
    #expect(try channel(#"{"id":1,"name":"Whatsapp"}"#) == "Whatsapp")
    #expect(ConversationResource.typeName("in person") == "In person")
    #expect(ConversationResource.typeName("Signal") == "Signal")
  }

  @Test func messagesAreFoundAgain() throws {
    func message(_ id: String, _ content: String, monica: UInt64 = 0) -> ConversationMessage {
      var message = ConversationMessage()
      message.id = id
      message.content = content
      message.monicaID = monica
      return message
    }
    func there(_ id: UInt64, _ uuid: String, _ content: String) throws -> MessageResource {
      let json = #"{"id":\#(id),"uuid":"\#(uuid)","content":"\#(content)","written_at":"1970-01-01T00:00:00Z"}"#
      return try JSONDecoder().decode(MessageResource.self, from: Data(json.utf8))
    }
    let ours = [
      message("A", "one"), message("b", "two"), message("", "same"), message("", "same"), message("e", "x", monica: 5),
    ]
    let theirs = [
      try there(1, "a", "edited"), try there(2, "zz", "same"), try there(5, "e", "other"),
      try there(6, "y", "stranger"),
    ]
    #expect(MessagePairing(ours, theirs).named.map(\.monicaID) == [1, 0, 2, 0, 5])
  }
}
