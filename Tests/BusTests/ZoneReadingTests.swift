import Bus
import CivilTime
import KithMessages
import Testing

@Suite("The time zone of a request") struct ZoneReadingTests {
  @Test("is named as the database names it, or is that of this machine")
  func known() throws {
    // Zones of machines whose zone has no region, or without a zone.
    for name in ["Europe/Berlin", "GMT", "Japan"] { #expect(try Zone.reading(name).name == name) }
    #expect(try Zone.reading("") == .system())
  }

  @Test("is refused by its field otherwise", arguments: ["Mars/Phobos", "PST", "Tokyo", "GMT+3", "../etc/passwd"])
  func unknown(name: String) {
    let failure = #expect(throws: Failure.self) { try Zone.reading(name) }
    #expect(failure?.reason == "FIELD_INVALID" && failure?.status.details["time_zone"]?.contains(name) == true)
  }
}
