import Foundation
import KithMessages
import TestKit
import Testing

@testable import MonicaAPI

/// Reads recorded answers of a real server, if they are installed.
struct RecordedAnswerTests {
  private static let directory = TestData.folder("monica")?.path

  private struct Request: Decodable {
    let method: String
    let path: String
    let status: Int
  }

  @Test(.enabled(if: Self.directory != nil, "there are no recorded answers"))
  func answersOfARealServerAreUnderstood() throws {
    let directory = try #require(Self.directory)
    func data(_ name: String) throws -> Data {
      try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name).json"))
    }
    let index = try JSONDecoder().decode([String: Request].self, from: try data("index"))
    var (read, passed) = (0, [String]())
    for (name, request) in index.sorted(by: { $0.key < $1.key }) {
      do {
        if try Self.read(try data(name), request) { read += 1 } else { passed.append(name) }
      } catch {
        Issue.record("\(name): \(error)")
      }
    }
    #expect(passed.isEmpty && read == index.count)
  }

  /// Whether such an answer can be read; if so, it is read and checked.
  private static func read(_ data: Data, _ request: Request) throws -> Bool {
    let path = request.path.split(separator: "?")[0].split(separator: "/").map(String.init)
    if request.status >= 400 {
      let reply = try #require(ErrorReply(Array(data)))
      #expect(!reply.text.isEmpty && !reply.sentences.isEmpty)
      #expect((reply.code == 31) == (request.status == 404 && !request.path.contains("nope")))
      return true
    }
    if request.method == "DELETE" {
      _ = try JSONDecoder().decode(Deletion.self, from: data)
      return true
    }
    if path.contains("upcoming") {
      // They have the ids of occasions, and the same values as reminders.
      #expect(try self.page(ReminderResource.self, data).allSatisfy { $0.record?.reminder.title.isEmpty == false })
      return true
    }
    switch path.last {
    // Debts are not stored here; their pages are like all others.
    case "debts": #expect(try !self.page(Named.self, data).isEmpty)
    case "me": _ = try self.one(UserResource.self, data)
    case "genders": #expect(try self.page(GenderResource.self, data).allSatisfy { !$0.name.isEmpty })
    case "contactfieldtypes":
      #expect(try self.page(ContactFieldTypeResource.self, data).contains { $0.type == "email" })
    case "activitytypes": #expect(try self.page(ActivityTypeResource.self, data).allSatisfy { !$0.category.isEmpty })
    case "relationshiptypes": #expect(try self.page(RelationshipTypeResource.self, data).allSatisfy { $0.group > 0 })
    case "relationshiptypegroups", "activitytypecategories": _ = try self.page(Named.self, data)
    case "messages": try self.records(ConversationResource.self, data)
    default:
      guard let type = self.type(path) else { return false }
      try self.records(type, data)
    }
    return true
  }

  private static func type(_ path: [String]) -> (any WritableResource.Type)? {
    guard let name = path.last(where: { Int($0) == nil }) else { return nil }
    let types: [any WritableResource.Type] = RecordKind.allCases.map { $0.resource(callsAreActivities: false) }
    return types.first { $0.path == name }
  }

  private static func records<R: WritableResource>(_ type: R.Type, _ data: Data) throws {
    let values: [R] = (try? [self.one(type, data)]) ?? (try? self.page(type, data)) ?? []
    #expect(!values.isEmpty || String(decoding: data, as: UTF8.self).contains("\"data\": []"))
    for value in values {
      let record = try #require(value.record)
      #expect(record.monicaID > 0 && record.record != nil && record.hasUpdatedAt)
      // A record that was read equals itself.
      #expect(R.facts(record).isDone(R.facts(record), base: R.facts(record), except: record.unsaid))
    }
    if values.isEmpty, !String(decoding: data, as: UTF8.self).contains("\"data\": []") {
      _ = try self.one(type, data)
    }
  }

  private static func one<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
    try JSONDecoder().decode(Envelope<Value>.self, from: data).data
  }

  private static func page<Value: Decodable & Sendable>(_ type: Value.Type, _ data: Data) throws -> [Value] {
    if let page = try? JSONDecoder().decode(ListPage<Value>.self, from: data) { return page.values }
    return try JSONDecoder().decode([String: [Value]].self, from: data)["data"] ?? []
  }
}
