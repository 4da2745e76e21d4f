import Bus
import CivilTime
import Testing

@testable import Pages

@Suite struct FormMessageTests {
  private let zone = Zone(named: "Europe/Berlin") ?? .system()

  @Test func namesBecomeFieldsWithinFields() throws {
    let fields = [
      ("form", "x"), ("key", "y"), ("next", "/"), ("record.note", "Walk \"far\""), ("record.tags[]", "a"),
      ("record.tags[]", "b"),
      ("record.empty", ""), ("enabled:bool", "on"), ("off:bool", "false"), ("lines:lines", "one\r\ntwo"),
      ("words:words", " a  b "),
    ]
    let json = try FormMessage(fields.map { (name: $0.0, value: $0.1) }, zone: self.zone).json
    #expect(
      json
        == #"{"enabled":true,"lines":["one","two"],"off":false,"record":{"note":"Walk \"far\"","tags":["a","b"]},"words":["a","b"]}"#
    )
  }

  @Test(arguments: [
    ("2026-07-01T08:10", "2026-07-01T06:10:00Z"), ("2026-12-01T08:10", "2026-12-01T07:10:00Z"),
    ("2026-03-29T02:30", "2026-03-29T01:00:00Z"), ("2026-10-25T02:30", "2026-10-25T00:30:00Z"),
  ])
  func timesAreOfTheHousehold(_ local: String, _ expected: String) throws {
    let json = try FormMessage([("at:time", local)], zone: self.zone).json
    #expect(json == "{\"at\":\"\(expected)\"}")
  }

  @Test func namesWithNumbersBecomeEntriesOfAList() throws {
    let fields = [
      ("record.messages[0].content", "Hello"), ("record.messages[0].writtenByMe:bool", "true"),
      ("record.messages[1].content", "Bye"), ("record.messages[1].content", "again"), ("record.empty[0].text", ""),
    ]
    let json = try FormMessage(fields.map { (name: $0.0, value: $0.1) }, zone: self.zone).json
    #expect(json == #"{"record":{"messages":[{"content":"Hello","writtenByMe":true},{"content":"Bye"}]}}"#)
  }

  @Test(arguments: ["a[1].b", "a[-1].b", "a[x].b", "a[].b", "[0].b", "a[0]", "a[0]b.c", "a[99999999999999999999].b"])
  func whatIsNoEntryOfAListIsRefused(_ name: String) {
    #expect(throws: Failure.self) { try FormMessage([(name, "text")], zone: self.zone) }
  }

  @Test(arguments: ["a..b", "1a", "a-b", "a:what", "a.b.c.d.e", "at:time"])
  func whatIsNoFieldIsNamed(_ name: String) {
    #expect(throws: Failure.self) { try FormMessage([(name, "text")], zone: self.zone) }
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
