import CareRecorder
import CivilTime
import Foundation
import KithMessages
import Measuring
import Reminders
import SwiftProtobuf

/// Times what care and reminders compute: the summary of a day with many entries, and the next reminder in every zone.
///
/// Usage: `care-bench [ENTRIES]`, 500 if not said.
@main struct CareBench {
  private static let rounds = 300

  static func main() async throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 500
    try await self.summaries(of: count)
    self.nextReminders()
  }

  private static func summaries(of count: Int) async throws {
    guard let day = Day("2026-11-21"), let zone = Zone(named: "Asia/Tokyo") else { return }
    let categories = ["medication", "meal", "excretion", "appointment", "free_memo"]
    let start = zone.start(of: day) / 1_000_000_000
    let records = (0..<count).map { number in
      CareRecord.with {
        $0.id = "entry \(number)"
        $0.category = categories[number % categories.count]
        $0.occurredAt = .init(seconds: start + Int64(number * 86_400 / count))
        $0.transcript = number % 3 == 0 ? "" : "gave the tablets after breakfast with a glass of water"
        $0.memo = number % 2 == 0 ? "" : "slept well, and asked for the radio\nin the afternoon"
        $0.review = number % 5 == 1 ? "needed" : "none"
        $0.recorder = ["Hana", "Ken", "Ann"][number % 3]
      }
    }
    for language in CareLanguage.allCases {
      var length = 0
      try await Timing.run("summary of \(count) entries, \(language.rawValue)", rounds: self.rounds) { _ in
        length = CareSummary(of: records, on: day, zone: zone, language: language, recipient: "Hanako").text.utf8.count
      }
      print("  \(length) bytes")
    }
  }

  private static func nextReminders() {
    guard let time = TimeOfDay("20:00"), let day = Day("2026-11-20") else { return }
    let schedule = DailySchedule(time: time, catchUp: 0, onlyIfNothingRecorded: false, lastDay: day)
    let clock = ContinuousClock()
    var (slowest, total, zones) = (Duration.zero, Duration.zero, 0)
    for name in TimeZone.knownTimeZoneIdentifiers {
      guard let zone = Zone(named: name) else { continue }
      let taken = clock.measure { _ = schedule.next(in: zone) }
      (slowest, total, zones) = (max(slowest, taken), total + taken, zones + 1)
    }
    print("next reminder in \(zones) zones, each for the first time: mean \(total / zones), at most \(slowest)")
  }
}
