import Bus
import KithMessages
import Storage
import SwiftProtobuf

/// People and years of calls and conversations with them, the same in every run.
struct History {
  /// The newest moment, in nanoseconds since 1970.
  static let newest: Int64 = 1_760_000_000_000_000_000

  private let people: Int
  private var state: UInt64 = 42

  init(people: Int) { self.people = people }

  /// The moment of the call of a number, in nanoseconds since 1970: one an hour, backwards.
  static func moment(_ number: Int) -> Int64 { self.newest - Int64(number) * 3_600_000_000_000 }

  func person(_ number: Int) -> RemoteRecord {
    var person = Person()
    person.firstName = "First\(number)"
    person.lastName = "Last\(number)"
    person.displayName = "First\(number) Last\(number)"
    person.company = number.isMultiple(of: 3) ? "Acme" : ""
    return self.remote(person.any, id: number + 1, owner: 0, at: number)
  }

  mutating func call(_ number: Int) -> RemoteRecord {
    var call = Call()
    call.calledAt = .init(nanosecondsSince1970: Self.moment(number))
    call.durationMinutes = UInt32(self.next(60))
    call.emotion = ["happy", "neutral", "sad", "excited", ""][self.next(5)]
    if number == 77 { call.emotion = "frustrated" }
    call.note = "talked about " + (0..<4 + self.next(25)).map { _ in self.word() }.joined(separator: " ")
    if number % 997 == 5 { call.note += " quetzalcoatl" }
    if number.isMultiple(of: 10) { call.note += " 京都に行く予定" }
    if number.isMultiple(of: 4) { call.tags = ["family"] }
    if number % 1_999 == 5 { call.tags.append("rare") }
    return self.remote(call.any, id: number + 1, owner: 1 + self.next(self.people), at: number)
  }

  mutating func conversation(_ number: Int) -> RemoteRecord {
    var conversation = Conversation()
    conversation.channel = number.isMultiple(of: 2) ? "email" : "text"
    conversation.happenedAt = .init(nanosecondsSince1970: Self.moment(number * 7))
    conversation.messages = (0..<3).map { _ in
      var message = ConversationMessage()
      message.content = (0..<20).map { _ in self.word() }.joined(separator: " ")
      return message
    }
    return self.remote(conversation.any, id: number + 1, owner: 1, at: number)
  }

  private func remote(_ record: AnyRecord, id: Int, owner: Int, at number: Int) -> RemoteRecord {
    var remote = RemoteRecord()
    remote.record = record
    remote.monicaID = UInt64(id)
    remote.owner = UInt64(owner)
    remote.updatedAt = .init(nanosecondsSince1970: Self.moment(number))
    return remote
  }

  private mutating func word() -> String { Self.words[min(self.next(Self.words.count), self.next(Self.words.count))] }

  private mutating func next(_ bound: Int) -> Int {
    self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((self.state >> 33) % UInt64(bound))
  }

  private static let words =
    ["garden", "roof", "doctor", "the", "and", "new", "school", "holiday", "birthday", "work", "train", "dinner"]
    + (0..<400).map(Self.madeUp)

  private static func madeUp(_ number: Int) -> String {
    let letters = (0..<5).map { place in
      let letter = (number * (7 + 3 * place) + place * 11) % 26
      return UInt8(97 + letter)
    }
    return String(decoding: letters, as: UTF8.self)
  }
}
