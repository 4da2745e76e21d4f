import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// Every text of every kind has one limit, in commands and in merges.
@Suite struct TextLimitTests {
  /// One character as people see it, two as they are counted.
  private static let accented = "e\u{301}"

  private func text(_ count: Int) -> String {
    String(repeating: Self.accented, count: count / 2) + (count.isMultiple(of: 2) ? "" : "x")
  }

  /// Tests a field of a kind at its limit.
  private func check<Record: EditableRecord>(
    _ name: String, _ path: WritableKeyPath<Record, String>, _ limit: TextLimit, isJoined: Bool = true
  ) throws {
    let count = limit.characters
    let isRefused = { (text: String) in
      var record = Record()
      record[keyPath: path] = text
      return Record.rules.contains { $0.field == name && $0.fault(record, 0) != nil }
    }
    #expect(!isRefused(self.text(count)), "\(Record.self).\(name) at its limit")
    #expect(isRefused(self.text(count + 1)), "\(Record.self).\(name) beyond it")
    guard isJoined else { return }
    let field = try #require(Record.fields.first { $0.name == name })
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
    try self.check("first_name", \Person.firstName, .line, isJoined: false)
    try self.check("description", \Person.description_p, .line)
    try self.check("food_preferences", \Person.foodPreferences, .description)
    try self.check("how_met", \Person.howMet, .description)
    try self.check("data", \ContactField.data, .line, isJoined: false)
    try self.check("street", \PersonAddress.street, .line, isJoined: false)
    try self.check("body", \Note.body, .note)
    try self.check("title", \TaskItem.title, .line, isJoined: false)
    try self.check("description", \TaskItem.description_p, .description)
    try self.check("summary", \Activity.summary, .line, isJoined: false)
    try self.check("description", \Activity.description_p, .description)
    try self.check("comment", \Gift.comment, .description)
    try self.check("url", \Gift.url, .url, isJoined: false)
    try self.check("name", \KithMessages.Tag.name, .line, isJoined: false)
    try self.check("type", \Relationship.type, .line, isJoined: false)
    try self.check("title", \PersonReminder.title, .line, isJoined: false)
    try self.check("description", \PersonReminder.description_p, .description)
    try self.check("note", \Call.note, .memo)
    try self.check("channel", \Conversation.channel, .line, isJoined: false)
  }
}
