import Bus
import CivilTime
import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import Pages

/// One row of `Tests/vectors/forms.json`.
struct FormVector: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let zone: String
  let fields: [[String]]
  let message: Google_Protobuf_Struct?
  /// The name of the field that is refused.
  let invalid: String?

  static let all: [FormVector] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "vectors/forms.json")
    guard let text = try? String(contentsOf: file, encoding: .utf8),
      let rows = try? Google_Protobuf_ListValue(jsonString: text)
    else { return [] }
    return rows.values.map { row in
      let row = row.structValue.fields
      return FormVector(
        testDescription: row["case"]?.stringValue ?? "", zone: row["zone"]?.stringValue ?? "",
        fields: row["fields"]?.listValue.values.map { $0.listValue.values.map(\.stringValue) } ?? [],
        message: row["message"]?.structValue, invalid: row["invalid"]?.stringValue)
    }
  }()
}

@Suite struct FormMessageTests {
  @Test(arguments: FormVector.all)
  func fieldsBecomeAMessageAsInScript(vector: FormVector) throws {
    let zone = try #require(Zone(named: vector.zone))
    let fields = vector.fields.map { (name: $0[0], value: $0[1]) }
    if let name = vector.invalid {
      let failure = try #require(throws: Failure.self) { try FormMessage(fields, zone: zone) }
      #expect(failure.code == .invalidArgument && failure.status.details[name] != nil)
    } else {
      let message = try Google_Protobuf_Struct(jsonString: FormMessage(fields, zone: zone).json)
      #expect(message == vector.message)
    }
  }

  @Test func vectorsAreThere() {
    #expect(FormVector.all.contains { $0.message != nil } && FormVector.all.contains { $0.invalid != nil })
  }

  @Test func theSameFieldsGiveTheSameBytes() throws {
    let fields = [("b.d", "1"), ("b.c", "2"), ("a", "\"")].map { (name: $0.0, value: $0.1) }
    #expect(try FormMessage(fields, zone: .system()).json == #"{"a":"\"","b":{"c":"2","d":"1"}}"#)
  }

  @Test func addressesLeadToTheirPages() {
    #expect(PageAddress(path: "/") == .today)
    #expect(PageAddress(path: "/people/01a1") == .person)
    #expect(PageAddress(path: "/records/contact_field") == .records)
    #expect(PageAddress(path: "/people/../x") == nil)
    #expect(PageAddress(path: "/nothing") == nil)
    #expect(PageLanguage.allCases.allSatisfy { language in Frame.scriptWords.allSatisfy { !$0.1(language).isEmpty } })
  }
}
