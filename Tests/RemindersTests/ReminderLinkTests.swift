import Bus
import Digest
import KithMessages
import Secrets
import SwiftProtobuf
import TestKit
import Testing

@testable import Reminders

@Suite("Links in messages about reminders") struct ReminderLinkTests {
  private static let made: Int64 = 1_795_608_000_000_000_000
  private let key = HMACKey([UInt8](repeating: 7, count: 32))
  private let reminder = Reminder.with {
    $0.id = "daily:2026-11-25"
    $0.snoozes = 1
  }

  private func reason(_ text: String, key: HMACKey? = nil, after: Int64 = 0) -> String {
    do throws(Failure) {
      _ = try ReminderLink(text, key: key ?? self.key, now: Self.made + after)
      return ""
    } catch {
      return error.reason
    }
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    for action in ReminderLink.Action.allCases {
      let link = ReminderLink(action, self.reminder, made: Self.made)
      #expect(try ReminderLink(link.text(self.key), key: self.key, now: Self.made) == link)
      #expect(link.text(self.key).hasPrefix("\(action.rawValue).1795680000.1.daily:2026-11-25."))
    }
  }

  @Test func nothingOfItCanBeChanged() {
    let text = ReminderLink(.done, self.reminder, made: Self.made).text(self.key)
    for change in [
      ("done", "snooze"), ("1795680000", "1795680001"), (".1.", ".0."), ("2026-11-25", "2026-11-26"), (".done", "done"),
    ] {
      let changed = text.replacing(change.0, with: change.1)
      #expect(changed == text || self.reason(changed) == "LINK_UNKNOWN")
    }
    for wrong in ["", ".", "....", "done", text + "x", String(text.dropLast()), text + ".", text.uppercased()] {
      #expect(self.reason(wrong) == "LINK_UNKNOWN")
    }
    #expect(self.reason(text, key: HMACKey([UInt8](repeating: 8, count: 32))) == "LINK_UNKNOWN")
  }

  @Test func itEnds() {
    let text = ReminderLink(.done, self.reminder, made: Self.made).text(self.key)
    #expect(self.reason(text, after: ReminderLink.lifetime - 1_000_000_000) == "")
    #expect(self.reason(text, after: ReminderLink.lifetime) == "LINK_ENDED")
  }

  @Test func theKeyIsKeptWithTheSecretsAndMadeOnce() async throws {
    let directory = try TemporaryDirectory()
    let secrets = SecretDirectory(path: directory.file("secrets"))
    func link(_ links: ReminderLinks, _ reminder: Reminder) async throws -> [String] {
      var notice = Notice()
      notice.createdAt = .init(nanosecondsSince1970: Self.made)
      let view = ReminderWords(isJapanese: false)
      try await links.add(to: &notice, about: reminder, view)
      return notice.actions.map(\.address)
    }
    let first = ReminderLinks(secrets) { "https://kith.home.arpa" }
    async let one = link(first, self.reminder)
    async let other = link(first, self.reminder)
    let made = try await one
    #expect(try await other == made && made.count == 2)
    #expect(try await link(ReminderLinks(secrets) { "https://kith.home.arpa" }, self.reminder) == made)
    #expect(try await secrets.secret(named: "reminder-links")?.utf8.count == 64)
    #expect(try await link(ReminderLinks(secrets) { "" }, self.reminder).isEmpty, "no kith-web is known")
    let text = try #require(made.first?.split(separator: "/").last.map(String.init))
    #expect(try await first.read(text, now: Self.made).reminder == "daily:2026-11-25")
    let snoozed = Reminder.with { $0.snoozes = 3 }
    #expect(try await link(first, snoozed).count == 1, "it cannot be snoozed again")
  }
}
