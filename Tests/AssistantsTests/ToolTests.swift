import Bus
import KithMessages
import Testing

@testable import Assistants

@Suite("Tools of assistants") struct ToolTests {
  private let household = HouseholdPort()

  @Test func theToolsAreThoseThatProtoNames() {
    #expect(Set(Tool.all.map(\.name)) == Set(ToolTable.methods.keys))
    #expect(Set(Tool.all.map(\.name)).count == Tool.all.count)
    for tool in Tool.all {
      #expect(tool.methods.allSatisfy { [.viewer, .recorder].contains($0.role) }, "\(tool.name)")
      #expect(tool.isWriting == (tool.role == .recorder), "\(tool.name)")
    }
  }

  @Test func eachFieldHasItsSchemaInProto() {
    func check(_ shape: Shape, _ tool: String) {
      for part in shape.parts {
        switch part {
        case .field(let name):
          #expect(FieldSchema.of("\(shape.message).\(name)")["type"] != nil, "\(tool): \(shape.message).\(name)")
        case .one(_, let inner), .each(_, let inner): check(inner, tool)
        case .own(_, let schema): #expect(schema["type"] != nil)
        }
      }
    }
    for tool in Tool.all {
      check(tool.output, tool.name)
      for input in tool.inputs {
        #expect(input.schema["type"] != nil && input.schema["description"] != nil, "\(tool.name).\(input.name)")
      }
    }
    #expect(FieldSchema.of("CareRecord.category")["enum"]?.entries?.count == 5)
    #expect(FieldSchema.of("RecordCareRequest.memo")["maxLength"] == .number("5000"))
  }

  @Test func aViewerIsShownNoToolThatWrites() async throws {
    func names(_ role: Role) async throws -> [String] {
      let answer = try await self.household.server(role).asked("tools/list")
      return answer["result"]?["tools"]?.entries?.compactMap { $0["name"]?.text } ?? []
    }
    let writing = ["care_log", "care_correct", "plan_give", "measure", "call_log", "reminder_done", "remind_to_call"]
    let (viewer, recorder) = try await (names(.viewer), names(.recorder))
    #expect(recorder.count == 17 && viewer == recorder.filter { !writing.contains($0) })
    #expect(try await names(.admin) == recorder)
    #expect(try await names(.door).isEmpty)
    #expect(try await names(.worker).isEmpty)
  }

  @Test func aViewerThatCallsOneAllTheSameIsRefusedBeforeTheHub() async throws {
    let result = try await self.household.server(.viewer).call("care_log", #"{"category":"meal"}"#)
    #expect(result.isError && result.words.hasPrefix("ROLE_NOT_ALLOWED: "))
    #expect(self.household.commands.isEmpty)
  }

  @Test func anEntryHasTheNameOfTheAssistantAndTheTimeOfTheHousehold() async throws {
    let server = self.household.server(.recorder)
    let result = try await server.call(
      "care_log", #"{"category":"meal","memo":"Rice","occurred_at":"2026-11-25T08:10","recorder":"Hanako"}"#)
    let record = result["structuredContent"]?["record"]
    #expect(record?["occurred_at"] == "2026-11-25T08:10:00+09:00" && record?["recorder"] == "Hanako, by claude")
    _ = try await server.call("care_log", #"{"category":"meal","recorder":null}"#)
    #expect((self.household.commands.last as? RecordCareRequest)?.recorder == "claude")
  }

  @Test func aCorrectionChangesWhatWasGivenAndNamesTheAssistant() async throws {
    let server = self.household.server(.recorder)
    _ = try await server.call("care_correct", #"{"id":"\#(HouseholdPort.entryID)","memo":""}"#)
    let sent = try #require(self.household.commands.last as? UpdateCareRequest)
    #expect(sent.fields == ["memo"] && sent.correctedBy == "claude")
    let nothing = try await server.call("care_correct", #"{"id":"\#(HouseholdPort.entryID)"}"#)
    #expect(nothing.words.hasPrefix("FIELD_INVALID: "))
  }

  @Test func aRepeatedCallHasTheSameKey() async throws {
    func key(_ arguments: String, after seconds: Int64 = 0) async throws -> String {
      let server = self.household.server(.recorder, now: HouseholdPort.now + seconds * 1_000_000_000)
      #expect(try await !server.call("care_log", arguments).isError)
      return try #require(self.household.keys.last)
    }
    let meal = #"{"category":"meal","memo":"Rice"}"#
    let first = try await key(meal)
    #expect(first.utf8.count == 64)
    #expect(try await key(#"{"memo":"Rice","category":"meal"}"#, after: 59) == first)
    #expect(try await key(meal, after: 60) != first, "an equal dose in another minute is another one")
    #expect(try await key(#"{"category":"meal","memo":"Soup"}"#) != first)
    let named = #"{"category":"meal","memo":"Rice","request_key":"a"}"#
    #expect(try await key(named) == key(named, after: 6000))
  }

  @Test func whoIsMeantIsFoundByNameOrAsked() async throws {
    let server = self.household.server(.recorder)
    let made = try await server.call("call_log", #"{"person":"ANN","minutes":5,"emotion":"happy"}"#)
    #expect(made["structuredContent"]?["person_id"] == .text(HouseholdPort.annID))
    #expect((self.household.commands.last as? LogCallRequest)?.record.tags == ["assistant"])
    let many = try await server.call("call_log", #"{"person":"all"}"#)
    #expect(many.words.hasPrefix("NAME_AMBIGUOUS: ") && many.words.contains(HouseholdPort.bobID))
    let nobody = try await server.call("remind_to_call", #"{"person":"Zoe","in_days":1}"#)
    #expect(nobody.words.hasPrefix("RECORD_UNKNOWN: "))
    _ = try await server.call("calls_list", #"{"person":"\#(HouseholdPort.bobID)"}"#)
    #expect((self.household.commands.last as? ListCallsRequest)?.filter.personID == HouseholdPort.bobID)
  }

  @Test(arguments: [
    (#"{"category":5}"#, "category"), (#"{"category":"meal","nurse":"x"}"#, "nurse"), ("{}", "category"),
    (#"{"category":"meal","occurred_at":"soon"}"#, "occurred_at"),
    (#"{"category":"meal","occurred_at":"2026-11-25T24:00"}"#, "occurred_at"), (#"{"category":"dance"}"#, "category"),
  ]) func wrongArgumentsAreSaidToTheModel(_ arguments: String, _ field: String) async throws {
    let result = try await self.household.server(.recorder).call("care_log", arguments)
    #expect(result.isError && result.words.hasPrefix("FIELD_INVALID: \(field): "))
  }

  @Test func textsOfPeopleAreMarkedAndNowhereElse() async throws {
    let server = self.household.server(.viewer)
    let list = try await server.call("care_list", #"{"day":"yesterday"}"#)
    #expect(list["structuredContent"]?.members?.first?.name == "notice")
    #expect(list["structuredContent"]?["next_cursor"] == "more")
    #expect(list.words == list["structuredContent"]?.line)
    #expect((self.household.commands.last as? ListCareRequest)?.day == "2026-11-24")
    for method in ["initialize", "tools/list"] { #expect(try await !server.asked(method).line.contains("Porridge")) }
  }

  @Test func aResultHasABound() async throws {
    let shown = try await self.household.server(.viewer).call("person_show", #"{"person":"\#(HouseholdPort.annID)"}"#)
    let notes = try #require(shown["structuredContent"]?["notes"]?.entries)
    #expect((1..<40).contains(notes.count) && shown["structuredContent"]?.bytes.count ?? 0 <= 24 << 10)
  }

  @Test func whatABoundLeavesOutIsSaidAndComesWithItsCursor() async throws {
    let server = self.household.server(.viewer)
    var (bodies, cursor, parts): ([String], String, Int) = ([], "", 0)
    repeat {
      let given = cursor.isEmpty ? "" : #","cursor":"\#(cursor)""#
      let part = try await server.call("person_show", #"{"person":"\#(HouseholdPort.annID)"\#(given)}"#)
      let told = try #require(part["structuredContent"])
      bodies += told["notes"]?.entries?.compactMap { $0["body"]?.text } ?? []
      cursor = told["next_cursor"]?.text ?? ""
      parts += 1
      let left = told["left_out"]?.text ?? ""
      #expect(
        cursor.isEmpty
          ? left.isEmpty
          : left.hasPrefix("\(40 - bodies.count) more. ")
            && left.contains("person_show again with cursor \"\(cursor)\""))
    } while !cursor.isEmpty && parts < 50
    #expect(bodies.count == 40 && Set(bodies).count == 40 && parts > 1)
    let wrong = try await server.call("person_show", #"{"person":"\#(HouseholdPort.annID)","cursor":"-1"}"#)
    #expect(wrong.words.hasPrefix("FIELD_INVALID: cursor"))
  }

  @Test func stateAndRemindersAreTold() async throws {
    let server = self.household.server(.recorder)
    let state = try await server.call("sync_status")
    #expect(
      state["structuredContent"]?["sources"]?.line == #"[{"source":"contacts:home","state":"COMPLETED","live":12}]"#)
    #expect(state["structuredContent"]?["monica"]?.line == #"{"state":"none"}"#)
    let due = try await server.call("reminders_due")["structuredContent"]?["due"]?.entries
    #expect(due?.first?["due"] == "2026-11-25T21:00:00+09:00")
    #expect(
      try await server.call("reminder_done", #"{"id":"daily:2026-11-25"}"#)["structuredContent"]?["state"] == "done")
    #expect(try await server.call("care_summary")["structuredContent"]?["text"] == "Meals: 1")
  }
}
