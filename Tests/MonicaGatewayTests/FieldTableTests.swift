import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaGateway
@testable import Storage

/// What the hub does with each field of the twelve kinds is what `proto/` states. A difference is listed here with its reason.
@Suite struct FieldTableTests {
  private static let now = Household.start
  /// A valid record of each kind: its fields in JSON.
  private static let valid: [RecordKind: [String: String]] = [
    .person: ["firstName": #""Ann""#],
    .contactField: ["personId": #""p""#, "type": #""phone""#, "data": #""1""#],
    .address: ["personId": #""p""#, "city": #""Oslo""#],
    .note: ["personId": #""p""#, "body": #""b""#],
    .task: ["title": #""t""#],
    .activity: ["personId": #""p""#, "summary": #""s""#, "happenedOn": #""2020-01-31""#],
    .gift: ["personId": #""p""#, "name": #""n""#, "status": #""idea""#],
    .tag: ["name": #""n""#],
    .relationship: ["personId": #""p""#, "otherId": #""o""#, "type": #""friend""#],
    .reminder: [
      "personId": #""p""#, "title": #""t""#, "initialDate": #""2020-01-31""#, "frequency": #""month""#, "every": "1",
    ],
    .call: ["personId": #""p""#, "calledAt": #""2020-01-31T14:05:00Z""#],
    .conversation: ["personId": #""p""#, "channel": #""email""#, "happenedAt": #""2020-01-31T14:05:00Z""#],
  ]
  /// Fields that the hub's rules require, but that requests may omit.
  private static let givenByTheHub: Set<String> = [
    "call.called_at",  // Calls/Log sets it to now
    "reminder.every",  // always 1 for frequency one_time
  ]

  private func editable(_ kind: RecordKind) throws -> any EditableRecord.Type {
    try #require(kind.type as? any EditableRecord.Type)
  }

  private func record<R: SyncedRecord>(_ type: R.Type, of members: [String: String]) throws -> R {
    try R(jsonString: "{\(members.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}")
  }

  /// The field for which the record is refused; nil if it is accepted.
  private func fault<R: EditableRecord>(_ record: R) -> String? {
    do {
      _ = try R(creating: record, now: Self.now)
      return nil
    } catch {
      return error.status.details.keys.first ?? error.reason
    }
  }

  /// The same for the valid record of a kind with a new value of one field; nil = without the field.
  private func fault(_ kind: RecordKind, _ field: FieldRules, _ value: String?) throws -> String? {
    var members = try #require(Self.valid[kind])
    members[field.jsonName] = value
    func fault<R: EditableRecord>(_ type: R.Type) throws -> String? { self.fault(try self.record(type, of: members)) }
    return try fault(try self.editable(kind))
  }

  /// A record of the kind with only this field.
  private func alone(_ kind: RecordKind, _ field: FieldRules) throws -> AnyRecord {
    func alone<R: SyncedRecord>(_ type: R.Type) throws -> AnyRecord {
      try self.record(type, of: [field.jsonName: self.sample(field)]).any
    }
    return try alone(kind.type)
  }

  /// A value of the field other than its default.
  private func sample(_ field: FieldRules) -> String {
    let one =
      switch field.kind {
      case .text, .bytes: "\"QUJD\""
      case .number: "1"
      case .flag: "true"
      case .moment: "\"2020-01-31T14:05:00Z\""
      case .choice: "1"
      case .message where field.name == "messages": #"{"content": "QUJD"}"#
      case .message where field.name == "sync_error": #"{"reason": "GONE"}"#
      case .message: #"{"size": "1"}"#
      }
    return field.isRepeated ? "[\(one)]" : one
  }

  @Test(arguments: RecordKind.allCases) func limits(_ kind: RecordKind) throws {
    for field in kind.fields where field.isEditable {
      func text(_ count: Int) -> String {
        let text = "\"\(String(repeating: "1", count: count))\""
        return field.isRepeated ? "[\(text)]" : text
      }
      let isPlain = [.any, .line, .word].contains(field.format)
      switch field.kind {
      case .text where !field.choices.isEmpty: break
      case .text where isPlain:
        #expect(try self.fault(kind, field, text(field.max)) == nil, "\(field.name)")
        #expect(try self.fault(kind, field, text(field.max + 1)) == field.name)
        let isLine = try self.fault(kind, field, field.isRepeated ? #"["a\u0007b"]"# : #""a\u0007b""#) == field.name
        #expect(isLine == (field.format != .any), "\(field.name)")
        let isWord = try self.fault(kind, field, field.isRepeated ? #"["a b"]"# : #""a b""#) == field.name
        #expect(isWord == (field.format == .word), "\(field.name)")
      case .number:
        #expect(try self.fault(kind, field, "\(field.max)") == nil)
        #expect(try self.fault(kind, field, "\(field.max + 1)") == field.name)
        #expect(try field.min == 0 || self.fault(kind, field, "\(field.min - 1)") == field.name)
      default: break
      }
      guard field.isRepeated, field.maxItems > 0, field.kind == .text else { continue }
      for excess in 0...1 {
        let names = (1...field.maxItems + excess).map { "\"n\($0)\"" }.joined(separator: ", ")
        #expect(try self.fault(kind, field, "[\(names)]") == (excess == 0 ? nil : field.name))
      }
    }
  }

  @Test func attachmentsAreCounted() throws {
    let field = try #require(RecordKind.call.fields.first { $0.name == "attachments" })
    for excess in 0...1 {
      let blobs = Array(repeating: "{}", count: field.maxItems + excess).joined(separator: ", ")
      #expect(try self.fault(.call, field, "[\(blobs)]") == (excess == 0 ? nil : "attachments"))
    }
  }

  /// Accepted and refused values of each format.
  @Test func formats() throws {
    let tried: [(RecordKind, String, good: [String], bad: [String])] = [
      (.gift, "amount", ["12", "12.5", "012.50"], ["1e3", "12.505", "EUR 12", "-1"]),
      (.gift, "date", ["2020-02-29", "2999-01-01"], ["2021-02-29", "2020-2-1", "soon"]),
      (.address, "country", ["JP", "jp"], ["JPN", "ZZ"]), (.address, "latitude", ["-90", "35.68"], ["90.1", "N35"]),
      (.address, "longitude", ["180"], ["180.5"]), (.reminder, "initial_date", ["2999-01-01"], ["--01-01"]),
      (.activity, "happened_on", ["2020-01-31"], ["2999-01-01", "~2020"]),
      (.person, "birthday", ["1990-01-31", "--01-31", "~1990"], ["2999-01-01", "~2999", "1990"]),
    ]
    for (kind, name, good, bad) in tried {
      let field = try #require(kind.fields.first { $0.name == name })
      #expect(![.any, .line].contains(field.format), "\(name)")
      for value in good { #expect(try self.fault(kind, field, "\"\(value)\"") == nil, "\(name) \(value)") }
      for value in bad { #expect(try self.fault(kind, field, "\"\(value)\"") == name, "\(name) \(value)") }
    }
    let formatted = RecordKind.allCases.flatMap(\.fields)
      .filter { $0.isEditable && ![.any, .line, .word].contains($0.format) }
    // All except deceased_on, which has birthday's format and also requires is_dead.
    #expect(formatted.count == tried.count + 1)
  }

  @Test(arguments: RecordKind.allCases) func whatHasToBeGiven(_ kind: RecordKind) throws {
    for field in kind.fields where field.isEditable || field.isFixed {
      let isWanted = try self.fault(kind, field, nil) == field.name
      #expect(
        isWanted == (field.isRequired || Self.givenByTheHub.contains("\(kind.name).\(field.name)")), "\(field.name)")
    }
  }

  @Test(arguments: RecordKind.allCases) func choices(_ kind: RecordKind) throws {
    for field in kind.fields where field.isEditable && field.kind == .text && !field.isRepeated {
      for choice in field.choices { #expect(try self.fault(kind, field, "\"\(choice)\"") == nil) }
      guard [.any, .line].contains(field.format) else { continue }
      #expect(try (self.fault(kind, field, "\"other\"") == field.name) == !field.choices.isEmpty, "\(field.name)")
    }
    let states = RecordKind.person.fields.first { $0.name == "sync_state" }?.choices
    #expect(states == RecordState.allCases.map(\.name))
  }

  @Test(arguments: RecordKind.allCases) func merges(_ kind: RecordKind) throws {
    func check<R: EditableRecord>(_ type: R.Type) throws {
      for rules in kind.fields where rules.isEditable && rules.place == .both {
        let field = try #require(R.field(rules.name))
        func record(_ value: String) throws -> R { try R(jsonString: "{\"\(rules.jsonName)\": \(value)}") }
        func joins(_ base: String, _ local: String, _ server: String) throws -> R? {
          var result = R()
          return field.join(try record(base), try record(local), try record(server), &result) ? result : nil
        }
        switch rules.merge {
        case .text:
          let (half, rest) = (String(repeating: "b", count: rules.max / 2), rules.max - 1 - rules.max / 2)
          func text(_ count: Int) -> String { String(repeating: "c", count: count) }
          #expect(try joins("\"a\"", "\"a\(half)\"", "\"a\(text(rest))\"") == record("\"a\(text(rest))\(half)\""))
          #expect(try joins("\"a\"", "\"a\(half)\"", "\"a\(text(rest + 1))\"") == nil)
          #expect(try joins("\"a\"", "\"b\"", "\"c\"") == nil)
        case .set:
          #expect(try joins(#"["a", "b"]"#, #"["a", "b", "c"]"#, #"["b", "d"]"#) == record(#"["b", "d", "c"]"#))
        case .each:
          let messages = ["a", "b", "c"].map { "{\"id\": \"\($0)\", \"content\": \"\($0)\"}" }
          #expect(
            try joins(
              "[\(messages[0])]", "[\(messages[0]), \(messages[1])]", "[\(messages[0]), \(messages[2])]") != nil)
        case .value:
          let values =
            switch rules.kind {
            case .text: [#""a""#, #""ab""#, #""ac""#]
            case .number: ["1", "2", "3"]
            case .moment: [#""2020-01-31T14:05:00Z""#, #""2020-01-31T14:05:01Z""#, #""2020-01-31T14:05:02Z""#]
            default: ["false", "true", "true"]
            }
          #expect(try joins(values[0], values[1], values[2]) == nil, "\(rules.name)")
          guard rules.kind == .moment else { continue }
          #expect(try field.isSame(record(values[0]), record(#""2020-01-31T14:05:00.5Z""#)))
        }
      }
    }
    try check(try self.editable(kind))
  }

  /// Which fields are stored, and which are sent to the server.
  @Test(arguments: RecordKind.allCases) func places(_ kind: RecordKind) throws {
    func empty<R: SyncedRecord>(_ type: R.Type) -> AnyRecord { R().any }
    let nothing = empty(kind.type)
    for field in kind.fields {
      let record = try self.alone(kind, field)
      #expect(record != nothing)
      #expect((record.stripped == nothing) == (field.place == .derived), "\(field.name)")
      #expect(record.isSame(as: nothing) == (field.place != .both), "\(field.name)")
      #expect((nothing.takingHubFields(of: record) == record) == (field.place == .hub), "\(field.name)")
    }
  }

  /// People are searched by `PersonSearchIndex` instead, which also has their email addresses.
  @Test(arguments: RecordKind.allCases.filter { $0 != .person }) func search(_ kind: RecordKind) throws {
    for field in kind.fields {
      let traits = RecordTraits(of: try self.alone(kind, field), createdAt: Self.now)
      #expect(traits.texts.contains("QUJD") == field.isSearched, "\(field.name)")
    }
  }
}
