import CivilTime
import KithMessages
import Testing

@testable import Spoken

@Suite struct ListenerTests {
  private func listener(_ time: String, zone: String = "Asia/Tokyo", called: [String] = []) throws -> Listener {
    try Self.listener("2026-11-25", time, zone: zone, called: called)
  }

  private static func listener(_ day: String, _ time: String, zone: String, called: [String] = []) throws -> Listener {
    let (zone, day, time) = (try #require(Zone(named: zone)), try #require(Day(day)), try #require(TimeOfDay(time)))
    let moment = try #require(zone.instant(of: day, at: time))
    return Listener(now: moment / 1_000_000_000, zone: zone, recipient: "Yoshiko Sato", called: called)
  }

  @Test(
    arguments: [
      ("15:00", "I did not give her lunch", Doubt.negated), ("15:00", "she will take her medicine", .planned),
      ("15:00", "if she ate lunch", .conditional), ("15:00", "maybe she ate lunch", .unsure),
      ("15:00", "he said she ate lunch", .reported), ("15:00", "who is that", .question),
      ("15:00", "I had lunch", .whose),
      ("15:00", "she had lunch and took her medicine", .several), ("15:00", "she had lunch yesterday", .whichTime),
      ("21:30", "she took her medicine at eight", .whichHalf(hour: 8)),
      ("15:00", "she took her medicine at 16:00", .notYet),
      ("15:00", "remind me at nine", .whichReminder), ("15:00", "remind me to call Ingrid", .whichDay),
      ("15:00", "she took her", .half), ("15:00", "the soup of the lid", .unknown(.meal)),
      ("15:00", "the soup of the cat", .whose),
      ("15:00", "good morning sunshine", .unknown(nil)),
      ("13:58", "she took her medicine at two", .whichHalf(hour: 2)), ("15:00", "mum had lunch twelve", .whichTime),
      ("15:00", "he took her pills", .whose), ("15:00", "log medication two tablets sorry three", .several),
    ])
  func `what is not sure has a reason`(time: String, text: String, doubt: Doubt) throws {
    #expect(try self.listener(time).understand(text, .english) == .unclear(doubt))
  }

  @Test func `who the family cares for can be told`() throws {
    let mum = try self.listener("15:00", called: ["Mum"])
    guard case .record = mum.understand("mum had lunch", .english) else { return #expect(Bool(false)) }
    guard case .record = mum.understand("she had lunch", .english) else { return #expect(Bool(false)) }
    guard case .record = mum.understand("Yoshiko had lunch", .english) else { return #expect(Bool(false)) }
    #expect(mum.understand("dad had lunch", .english) == .unclear(.whose))
    let mother = try self.listener("15:00", called: ["おばあちゃん"])
    #expect(mother.understand("父が昼ご飯を食べました", .japanese) == .unclear(.whose))
    guard case .record = mother.understand("おばあちゃんが昼ご飯を食べました", .japanese) else { return #expect(Bool(false)) }
  }

  @Test func `a time that clocks show twice or never is asked back`() throws {
    for day in ["2026-10-25", "2026-03-29"] {
      let listener = try Self.listener(day, "09:00", zone: "Europe/Berlin")
      #expect(listener.understand("she took her medicine at 2:30 am", .english) == .unclear(.whichTime))
    }
  }

  @Test func `the clock of the household counts, not that of the machine`() throws {
    let listener = try self.listener("09:30", zone: "America/New_York")
    guard case .record(.medication, _, let at?) = listener.understand("she took her medicine at 9", .english) else {
      return #expect(Bool(false))
    }
    #expect(listener.now - at == 1800)
  }
}
