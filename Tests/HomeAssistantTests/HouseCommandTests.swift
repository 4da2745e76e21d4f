import KithMessages
import SwiftProtobuf
import Testing

@testable import HomeAssistant

@Suite struct HouseCommandTests {
  private func press(_ text: String) throws -> Press { try #require(Press(Array(text.utf8))) }

  @Test(
    arguments: [
      ("care/medication", #"{"at": "2026-11-25T08:10:00+09:00"}"#, HouseCommand.record(.medication, memo: "")),
      ("care/meal", "PRESS", .record(.meal, memo: "")),
      ("memo", #"{"at": "x", "text": "お粥を半分"}"#, .record(.freeMemo, memo: "お粥を半分")),
      ("memo", "plain words", .record(.freeMemo, memo: "plain words")), ("memo", "  ", nil),
      ("undo", "PRESS", .undo), ("daily", "ON", .daily(true)), ("daily", "OFF", .daily(false)), ("daily", "maybe", nil),
      ("done", "PRESS", .done), ("snooze", "PRESS", .snooze), ("care/surgery", "PRESS", nil), ("care/", "PRESS", nil),
      ("", "PRESS", nil),
      ("nothing", "PRESS", nil),
    ] as [(String, String, HouseCommand?)])
  func `a message is a command or nothing`(name: String, payload: String, command: HouseCommand?) throws {
    #expect(HouseCommand(name: name, try self.press(payload)) == command)
  }

  @Test func `a payload that is no text, or too long, is nothing`() {
    #expect(Press([0xFF, 0xFE]) == nil)
    #expect(Press([]) == nil)
    #expect(Press(Array(repeating: 0x61, count: 8193)) == nil)
  }

  @Test func `a press that is delivered again has the same key, and another press another one`() throws {
    let (first, again) = (try self.press(#"{"at": "8:10"}"#), try self.press(#"{"at":"8:10"}"#))
    #expect(first.key("care/meal", arrival: "a") == again.key("care/meal", arrival: "b"))
    #expect(first.key("care/meal", arrival: "a") != first.key("care/medication", arrival: "a"))
    let later = try self.press(#"{"at": "8:11"}"#)
    #expect(first.key("care/meal", arrival: "a") != later.key("care/meal", arrival: "a"))
    #expect(first.key("care/meal", arrival: "a").utf8.count <= 47)
    // One without a time is told by its arrival.
    let plain = try self.press("PRESS")
    #expect(plain.key("care/meal", arrival: "a") != plain.key("care/meal", arrival: "b"))
  }

  @Test func `two presses within two seconds are one, and later ones or other buttons are not`() throws {
    var filter = PressFilter()
    let now = ContinuousClock.now
    let press = try self.press("PRESS")
    var taken: [Bool] = []
    for (name, after) in [("care/meal", 0), ("care/meal", 1900), ("care/medication", 100), ("care/meal", 2000)] {
      taken.append(filter.take(name, press, at: now + .milliseconds(after)))
    }
    #expect(taken == [true, false, true, true])
    // One that says when it was is known again.
    let timed = try self.press(#"{"at": "8:10"}"#)
    let again = [0, 60_000].map { filter.take("care/medical_visit", timed, at: now + .milliseconds($0)) }
    #expect(again == [true, false])
    // Two memos one after the other are two.
    let memos = try ["one", "two", "two"].map { filter.take("memo", try self.press($0), at: now) }
    #expect(memos == [true, true, false])
  }

  @Test func `two presses of an item of the plan within a minute are one, unless the first came to nothing`() throws {
    var filter = PressFilter()
    let now = ContinuousClock.now
    var taken: [Bool] = []
    for (name, after) in [("plan/1", 0), ("plan/1", 59), ("plan/2", 59), ("plan/1", 60), ("plan/1", 61)] {
      taken.append(filter.take(name, try self.press(#"{"at": "\#(after)"}"#), at: now + .seconds(after)))
    }
    #expect(taken == [true, false, true, true, false])
    filter.release("plan/1")
    #expect(filter.take("plan/1", try self.press(#"{"at": "62"}"#), at: now + .seconds(62)))
    // One that was carried out and is delivered again is known all the same.
    #expect(!filter.take("plan/1", try self.press(#"{"at": "60"}"#), at: now + .seconds(200)))
    #expect(HouseCommand(name: "plan/2f6e8a7b9d10", try self.press("PRESS")) == .give("2f6e8a7b9d10"))
  }

  @Test func `undo is about the newest press alone`() {
    let all: [HouseCommand] = [.record(.meal, memo: ""), .give("1"), .done, .snooze, .skip, .undo, .daily(true)]
    #expect(all.map(\.isNewest) == [true, true, true, true, true, false, false])
  }

  @Test func `what is due is kept, so that a press answers that and nothing later`() {
    var status = ReminderStatusReply()
    status.due = [(ReminderKind.plan, "plan:2026-11-25-0700"), (.call, "call")].map { kind, id in
      Reminder.with { ($0.id, $0.knownKind) = (id, kind) }
    }
    var state = HouseState()
    state.take(status)
    #expect(state.due == 2 && state.json.contains(#""due":2"#) && !state.json.contains("reminders"))
    let all: [HouseCommand] = [.done, .snooze, .skip, .undo]
    let answered = all.map { command in state.reminders.filter { command.answers($0) }.map(\.id) }
    #expect(
      answered == [["plan:2026-11-25-0700", "call"], ["plan:2026-11-25-0700", "call"], ["plan:2026-11-25-0700"], []])
  }
}
