import Fields
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// Merging two sides of a record.
@Suite struct SyncMergeTests {
  private func person(_ change: (inout Person) -> Void = { _ in }) -> Person {
    var person = Person()
    person.id = "p"
    person.firstName = "Ann"
    person.description_p = "Plays chess."
    person.tags = ["club", "friends"]
    change(&person)
    return person
  }

  @Test func changesOfDifferentFieldsAreBothThere() {
    let merge = ThreeWayMerge(
      base: self.person(), local: self.person { $0.job = "Baker" }, server: self.person { $0.company = "Crumb" })
    #expect(merge.overlaps.isEmpty)
    #expect(merge.body.job == "Baker" && merge.body.company == "Crumb" && merge.body.id == "p")
    #expect(merge.base.job.isEmpty && merge.base.company == "Crumb")
    #expect(ThreeWayMerge.differ(merge.body, merge.base))
  }

  @Test func theSameChangeOnBothSidesIsNoChange() {
    let merge = ThreeWayMerge(
      base: self.person(), local: self.person { $0.job = "Baker" }, server: self.person { $0.job = "Baker" })
    #expect(merge.overlaps.isEmpty && !ThreeWayMerge.differ(merge.body, merge.base))
  }

  @Test func differentChangesOfOneFieldOverlap() {
    let merge = ThreeWayMerge(
      base: self.person(), local: self.person { $0.lastName = "Lee" }, server: self.person { $0.lastName = "Li" })
    #expect(merge.overlaps == ["last_name"])
    #expect(merge.body.lastName == "Lee" && merge.base.lastName == "Li")
  }

  @Test func tagsAreBroughtTogetherAsSets() {
    let merge = ThreeWayMerge(
      base: self.person(), local: self.person { $0.tags = ["friends", "work"] },
      server: self.person { $0.tags = ["club", "friends", "family"] })
    #expect(merge.overlaps.isEmpty)
    #expect(Set(merge.body.tags) == ["friends", "family", "work"])
  }

  @Test func whatTheServerDoesNotSayStays() {
    func call(_ change: (inout Call) -> Void) -> Call {
      var call = Call()
      call.calledAt = .init(seconds: 1_000)
      call.durationMinutes = 12
      call.emotion = "happy"
      call.tags = ["plan"]
      change(&call)
      return call
    }
    let unsaid = ["duration_minutes", "emotion", "tags"]
    let server = call { call in
      call.durationMinutes = 0
      call.emotion = ""
      call.tags = []
      call.note = "From the web"
    }
    let same = ThreeWayMerge(base: call { _ in }, local: call { _ in }, server: server, unsaid: unsaid)
    #expect(same.overlaps.isEmpty && same.body.durationMinutes == 12 && same.body.emotion == "happy")
    #expect(same.body.tags == ["plan"] && same.body.note == "From the web")
    #expect(!ThreeWayMerge.differ(same.body, same.base))
    let edited = ThreeWayMerge(
      base: call { _ in }, local: call { $0.durationMinutes = 30 }, server: server, unsaid: unsaid)
    #expect(edited.overlaps.isEmpty && edited.body.durationMinutes == 30 && edited.base.durationMinutes == 12)
    let said = ThreeWayMerge(base: call { _ in }, local: call { _ in }, server: server)
    #expect(said.body.durationMinutes == 0 && said.body.tags.isEmpty)
  }

  @Test func whatTheHubKeepsIsNeitherTakenNorSent() {
    var local = Call()
    local.attachments = [BlobRef.with { $0.sha256 = "ab" }]
    let merge = ThreeWayMerge(base: Call(), local: local, server: Call())
    #expect(merge.body.attachments == local.attachments)
    #expect(!ThreeWayMerge.differ(merge.body, merge.base))
  }

  @Test(arguments: [
    ("base", "base and more", "base", "base and more"),
    ("base", "base", "base!", "base!"),
    ("base", "base here", "base there", "base there here"),
    ("base", "base here", "other", "other here"),
    ("base", "other", "base there", "other there"),
    ("base", "base one two", "base one", "base one two"),
    ("", "same", "same", "same"),
  ])
  func textsThatWereWrittenOnAreJoined(_ base: String, _ local: String, _ server: String, _ joined: String) {
    #expect(TextJoin.join(base: base, local: local, server: server) == joined)
  }

  @Test(arguments: [
    ("base", "mine", "yours"), ("", "mine", "yours"),
    // Without a base one of them may have been shortened.
    ("", "milk", "milk and eggs"), ("", "milk and eggs", "milk"), ("", "", "milk"),
    // Emptied or shortened on one side, and extended on the other.
    ("nuts", "", "nuts, and eggs"), ("nuts, and eggs", "nuts, and eggs, and milk", ""),
    ("call tomorrow", "call tomorrow at 9", "call"), ("call tomorrow", "call", "call tomorrow at 9"),
  ])
  func textsThatWereRewrittenAreNot(_ base: String, _ local: String, _ server: String) {
    #expect(TextJoin.join(base: base, local: local, server: server) == nil)
  }

  @Test func aJoinedTextThatIsTooLongOverlaps() {
    func call(_ note: String) -> Call { Call.with { $0.note = note } }
    let half = String(repeating: "x", count: 2_000)
    let long = ThreeWayMerge(
      base: call(half), local: call(half + "a" + half), server: call(half + "b" + half))
    #expect(long.overlaps == ["note"] && long.body.note == half + "a" + half)
  }

  @Test func namedFieldsAreTakenAndOthersNot() throws {
    var person = self.person()
    try person.take(
      ["description", "job"],
      of: Person.with {
        $0.job = "Baker"; $0.firstName = "Bea"
      })
    #expect(person.description_p.isEmpty && person.job == "Baker" && person.firstName == "Ann")
    try person.take([], of: Person.with { $0.firstName = "Bea" })
    #expect(person.firstName == "Bea" && person.job == "Baker")
    for name in ["photo", "id", "display_name", "firstName"] {
      #expect(throws: (any Error).self) { try person.take([name], of: Person()) }
    }
  }

  // MARK: - Messages

  private func message(
    _ content: String, id: String = "", monicaID: UInt64 = 0, at seconds: Int64 = 0
  ) -> ConversationMessage {
    ConversationMessage.with {
      $0.id = id
      $0.monicaID = monicaID
      $0.content = content
      $0.writtenAt = .init(seconds: seconds)
    }
  }

  @Test func messagesAddedOnBothSidesAreAllThere() throws {
    let base = [self.message("a", id: "1", monicaID: 1, at: 1)]
    let joined = try #require(
      MessageJoin.join(
        base: base, local: base + [self.message("mine", id: "2", at: 3)],
        server: [self.message("a", monicaID: 1, at: 1), self.message("yours", monicaID: 7, at: 2)]))
    #expect(joined.map(\.content) == ["a", "yours", "mine"])
    #expect(joined.map(\.id) == ["1", "", "2"] && joined.map(\.monicaID) == [1, 7, 0])
  }

  @Test func aMessageWhoseAnswerWasLostIsNotDoubled() throws {
    let joined = try #require(
      MessageJoin.join(
        base: [], local: [self.message("mine", id: "2", at: 3)], server: [self.message("mine", monicaID: 9, at: 3)]))
    #expect(joined.count == 1 && joined[0].id == "2" && joined[0].monicaID == 9)
  }

  @Test func twoMessagesOfTheSameWordsStayTwo() throws {
    let mine = [self.message("ok", id: "1", at: 3), self.message("ok", id: "2", at: 3)]
    let joined = try #require(
      MessageJoin.join(base: [], local: mine, server: [self.message("ok", monicaID: 9, at: 3)]))
    #expect(joined.map(\.id).sorted() == ["1", "2"] && joined.map(\.monicaID).sorted() == [0, 9])
  }

  @Test func messagesEditedAndDeletedOnOneSideFollowIt() throws {
    let base = (1...3).map { self.message("m\($0)", id: "\($0)", monicaID: UInt64($0), at: Int64($0)) }
    var local = base
    local[0].content = "edited"
    local.removeLast()
    var server = base.map { self.message($0.content, monicaID: $0.monicaID, at: $0.writtenAt.seconds) }
    server.remove(at: 1)
    let joined = try #require(MessageJoin.join(base: base, local: local, server: server))
    #expect(joined.map(\.content) == ["edited"] && joined[0].id == "1")
  }

  @Test func oneMessageChangedTwiceOverlaps() {
    let base = [self.message("a", id: "1", monicaID: 1)]
    let mine = [self.message("b", id: "1", monicaID: 1)]
    #expect(MessageJoin.join(base: base, local: mine, server: [self.message("c", monicaID: 1)]) == nil)
    #expect(MessageJoin.join(base: base, local: mine, server: []) == nil)
    #expect(MessageJoin.join(base: base, local: [], server: [self.message("c", monicaID: 1)]) == nil)
    #expect(MessageJoin.join(base: base, local: [], server: [self.message("a", monicaID: 1)]) == [])
  }

  @Test func aThousandMessagesAreJoinedAtOnce() throws {
    let base = (1...1_000).map { self.message("m\($0)", id: "\($0)", monicaID: UInt64($0), at: Int64($0)) }
    let joined = try #require(
      MessageJoin.join(base: base, local: base + [self.message("new", id: "n", at: 5_000)], server: base))
    #expect(joined.count == 1_001 && joined.last?.content == "new")
  }
}
