import Bus
import Fields
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// Every text of every kind has the limit that clients were promised, in commands and in merges.
@Suite struct TextLimitTests {
  /// One character as people see it, two as they are counted.
  private static let accented = "e\u{301}"

  private func text(_ count: Int) -> String {
    String(repeating: Self.accented, count: count / 2) + (count.isMultiple(of: 2) ? "" : "x")
  }

  /// Tests a field of a kind at its limit.
  private func check<Record: EditableRecord>(
    _ name: String, _ path: WritableKeyPath<Record, String>, _ count: Int, isJoined: Bool = true
  ) throws {
    let field = try #require(Record.field(name))
    let isRefused = { (text: String) in
      var record = Record()
      record[keyPath: path] = text
      return field.fault(record, now: 0) != nil
    }
    #expect(!isRefused(self.text(count)), "\(Record.self).\(name) at its limit")
    #expect(isRefused(self.text(count + 1)), "\(Record.self).\(name) beyond it")
    guard isJoined else { return }
    // Both sides were extended: together they are as long as allowed, or one longer.
    let half = (count - 10) / 2
    for excess in [0, 1] {
      let base = String(repeating: "b", count: 10)
      let ends = ["", self.text(half), String(repeating: "y", count: count - 10 - half + excess)]
      let versions = ends.map { end in
        var record = Record()
        record[keyPath: path] = base + end
        return record
      }
      var result = Record()
      #expect(field.join(versions[0], versions[1], versions[2], &result) == (excess == 0), "\(Record.self).\(name)")
      #expect(excess == 1 || result[keyPath: path].unicodeScalars.count == count)
    }
  }

  @Test func `all kinds`() throws {
    try self.check("first_name", \Person.firstName, 255, isJoined: false)
    try self.check("description", \Person.description_p, 255)
    try self.check("food_preferences", \Person.foodPreferences, 65_535)
    try self.check("how_met", \Person.howMet, 65_535)
    try self.check("data", \ContactField.data, 255, isJoined: false)
    try self.check("street", \PersonAddress.street, 255, isJoined: false)
    try self.check("body", \Note.body, 100_000)
    try self.check("title", \TaskItem.title, 255, isJoined: false)
    try self.check("description", \TaskItem.description_p, 65_535)
    try self.check("summary", \Activity.summary, 255, isJoined: false)
    try self.check("description", \Activity.description_p, 65_535)
    try self.check("comment", \Gift.comment, 65_535)
    try self.check("url", \Gift.url, 2000, isJoined: false)
    try self.check("name", \KithMessages.Tag.name, 255, isJoined: false)
    try self.check("type", \Relationship.type, 255, isJoined: false)
    try self.check("title", \PersonReminder.title, 255, isJoined: false)
    try self.check("description", \PersonReminder.description_p, 65_535)
    try self.check("note", \Call.note, 5000)
    try self.check("channel", \Conversation.channel, 255, isJoined: false)
  }

  @Test func `texts that are no records`() {
    #expect(TextLimit.memo.characters == 5000 && TextLimit.transcript.characters == 20_000)
    #expect(TextLimit.name.characters == 100 && TextLimit.reminderNote.characters == 500)
  }
}
