import Bus
import CarePlan
import CivilTime
import EventLoop
import Foundation
import KithMessages
import Logging
import Secrets
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import Reminders

/// Random days of a household, with a real store that is closed and opened in between.
@Suite(.timeLimit(.minutes(20))) struct PlanHistoryTests {
  static let minute: Int64 = 60_000_000_000

  /// The household of one history.
  final class House {
    let directory: TemporaryDirectory
    let clock: Lock<Int64>
    private(set) var storage: StorageActor
    private(set) var plan: CarePlanActor
    private(set) var actor: ReminderActor
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init(at now: Int64) throws {
      self.directory = try TemporaryDirectory()
      self.clock = Lock(now)
      (self.storage, self.plan, self.actor) = try Self.open(self.directory, self.clock, self.logger)
    }

    private static func open(
      _ directory: TemporaryDirectory, _ clock: Lock<Int64>, _ logger: Logger
    ) throws -> (StorageActor, CarePlanActor, ReminderActor) {
      let now: @Sendable () -> Int64 = { clock.withLock { $0 } }
      let storage = try StorageActor(directory: directory.file("state"), logger: logger) { _ in }
      let port = CannedPort { _, _ async throws(Failure) in DeliverReply() }
      let actor = ReminderActor(
        storage: storage, delivery: port, secrets: SecretDirectory(path: directory.file("secrets")), alarm: nil,
        showsOnDesktop: true, logger: logger, nameOfPerson: { _ async throws(Failure) in "" }, now: now)
      return (storage, CarePlanActor(storage: storage, now: now), actor)
    }

    var now: Int64 { self.clock.withLock { $0 } }

    func restart() async throws {
      await self.close()
      (self.storage, self.plan, self.actor) = try Self.open(self.directory, self.clock, self.logger)
      try await self.plan.start()
    }

    func close() async {
      await self.actor.stop()
      await self.storage.close()
    }

    func ask<C: Command>(_ command: C) async throws -> C.Reply {
      try await LocalBatchPort(self.plan.routes + self.actor.routes, batches: []).ask(command)
    }

    func reminders() async throws -> [Reminder] {
      try await self.storage.read { view throws(Failure) in try view.reminders.ofPlan(since: 0) }
        .filter { $0.knownKind == .plan }
    }

    /// What the messages tell as missed, and how many lines each says of a reminder that is due. None is sent: the engine does not look.
    func messages(about reminders: [Reminder]) async throws -> (missed: [Name], lines: [String: [Int]]) {
      try await self.storage.read { view throws(Failure) in
        let missed = try view.deliveries.openAboutMissed().flatMap(\.missed).map(Name.init)
        var lines: [String: [Int]] = [:]
        for reminder in reminders {
          for entry in try view.deliveries.waiting(about: reminder.id) {
            let texts = try view.deliveries.notice(of: entry.id)?.texts ?? []
            lines[reminder.id, default: []].append(texts.joined(separator: "\n").split(separator: "\n").count)
          }
        }
        return (missed, lines)
      }
    }

    /// What the page shows of the days around now.
    func dues() async throws -> [PlanDue] {
      let zone = try await self.storage.read { view throws(Failure) in try view.careZone() }
      var dues: [PlanDue] = []
      for away in -3...1 {
        dues += try await self.ask(
          PlanDayRequest.with { $0.day = zone.day(at: self.now).adding(days: away).description }
        ).dues
      }
      return dues
    }

    func items() async throws -> [String: PlanItem] {
      let items = try await self.ask(ListPlanItemsRequest.with { $0.all = true }).items
      return Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    }

    func move(to zone: String) async throws {
      let now = self.now
      try await self.storage.write { transaction throws(Failure) in
        var settings = try transaction.care.settings()
        settings.timeZone = zone
        try transaction.care.configure(settings)
        try transaction.plan.move(to: zone, now: now)
      }
    }
  }

  /// One time of one item.
  struct Name: Hashable {
    let item: String
    let due: Int64

    init(_ time: RemindedTime) { (self.item, self.due) = (time.itemID, time.due.nanosecondsSince1970) }
    init(_ due: PlanDue) { (self.item, self.due) = (due.item.id, due.due.nanosecondsSince1970) }
  }

  static func item(_ name: String, _ random: inout SeededGenerator) -> PlanItem {
    PlanItem.with { item in
      item.name = name
      item.knownKind = .medicine
      item.quiet = Int.random(in: 0..<6, using: &random) == 0
      item.missedMinutes = [0, 30, 60].randomElement(using: &random) ?? 0
      item.againMinutes = [0, 10, 45, 1440].randomElement(using: &random) ?? 0
      if Int.random(in: 0..<4, using: &random) == 0 {
        item.everyHours = [5, 8, 24].randomElement(using: &random) ?? 8
      } else {
        item.times = Self.times(&random)
      }
    }
  }

  static func times(_ random: inout SeededGenerator) -> [PlanTime] {
    let all = ["00:00", "02:30", "07:45", "08:00", "12:00", "12:30", "20:00", "23:50"].shuffled(using: &random)
    return all.prefix(Int.random(in: 1...3, using: &random)).map { text in PlanTime.with { $0.time = text } }
  }

  /// Something that happens in a household. What is refused changes nothing.
  static func happen(_ house: House, _ random: inout SeededGenerator, _ clockBack: inout Bool) async throws -> String {
    let items = try await house.items()
    let item = items.keys.sorted().randomElement(using: &random) ?? ""
    let open = try await house.dues().filter { !$0.hasDose }
    let reminder = try await house.reminders().filter { [.due, .snoozed, .missed].contains($0.knownState) }
      .randomElement(using: &random)?.id
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<3:
      guard let due = open.randomElement(using: &random) else { return "" }
      _ = try? await house.ask(
        GiveRequest.with { ($0.itemID, $0.due, $0.partly) = (due.item.id, due.due, Bool.random(using: &random)) })
      return "give \(due.item.name)"
    case 3:
      guard let due = open.randomElement(using: &random) else { return "" }
      _ = try? await house.ask(SkipRequest.with { ($0.itemID, $0.due) = (due.item.id, due.due) })
      return "skip \(due.item.name)"
    case 4:
      let doses = try await house.ask(ListDosesRequest()).doses
      guard let dose = doses.prefix(3).randomElement(using: &random) else { return "" }
      _ = try await house.ask(UndoDoseRequest.with { $0.id = dose.id })
      return "undo \(dose.itemName)"
    case 5:
      _ = try? await house.ask(PausePlanItemRequest.with { $0.id = item })
      return "pause"
    case 6:
      _ = try? await house.ask(ResumePlanItemRequest.with { $0.id = item })
      return "resume"
    case 7, 8:
      let change = PlanItem.with {
        $0.id = item
        $0.times = Self.times(&random)
      }
      _ = try? await house.ask(
        ChangePlanItemRequest.with { ($0.item, $0.fields) = (change, ["times", "every_hours"]) })
      return "change to \(change.times.map(\.time))"
    case 9:
      _ = try? await house.ask(
        ChangePlanItemRequest.with {
          ($0.item.id, $0.item.quiet, $0.fields) = (item, !(items[item]?.quiet ?? false), ["quiet"])
        })
      return "quiet"
    case 10: return "end \((try? await house.ask(EndPlanItemRequest.with { $0.id = item })) != nil)"
    case 11:
      if items.count < 5 { _ = try await house.ask(AddPlanItemRequest.with { $0.item = Self.item("More", &random) }) }
      return "add"
    case 12:
      guard let reminder else { return "" }
      _ = try? await house.ask(
        SnoozeReminderRequest.with {
          ($0.id, $0.minutes) = (reminder, [5, 30, 300].randomElement(using: &random) ?? 5)
        })
      return "snooze \(reminder)"
    case 13:
      guard let reminder else { return "" }
      _ = try await house.ask(DoneReminderRequest.with { $0.id = reminder })
      return "done \(reminder)"
    case 14:
      guard let reminder else { return "" }
      _ = try await house.ask(SkipReminderRequest.with { $0.id = reminder })
      return "skip \(reminder)"
    case 15:
      try await house.restart()
      return "restart"
    case 16:
      guard Bool.random(using: &random) else { return "" }
      let step = [-90, -20, -1, 600, 1500].randomElement(using: &random) ?? 0
      if step < 0 { clockBack = true }
      house.clock.withLock { $0 += Int64(step) * Self.minute }
      return "clock \(step)"
    case 17:
      guard Int.random(in: 0..<3, using: &random) == 0 else { return "" }
      let zone = ["Asia/Tokyo", "Europe/Berlin", "America/New_York"].randomElement(using: &random) ?? ""
      try await house.move(to: zone)
      return "zone \(zone)"
    default: return ""
    }
  }

  @Test(arguments: testSeeds(short: 3, full: 600))
  func `each time is said once, again only while nobody answered, and nothing is missed`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    // The night in which the clocks of Berlin are set back.
    let start = try DailyScheduleTests.instant(seed.isMultiple(of: 3) ? "2026-10-24T15:00:00Z" : "2026-11-24T04:00:00Z")
    let house = try House(at: start)
    try await house.move(to: "Europe/Berlin")
    for name in ["Aspirin", "Tea", "Walk"] {
      _ = try await house.ask(AddPlanItemRequest.with { $0.item = Self.item(name, &random) })
    }
    var announced: [Name: Int] = [:]
    var lastSaid: [String: Int64] = [:]
    var clockBack = false
    var log: [String] = []
    for _ in 0..<70 {
      let what = try await Self.happen(house, &random, &clockBack)
      let step = [1, 5, 5, 15, 30, 60, 200].randomElement(using: &random) ?? 1
      house.clock.withLock { $0 += Int64(step) * Self.minute }
      log.append("\(what) +\(step)")
      let before = Dictionary(uniqueKeysWithValues: try await house.reminders().map { ($0.id, $0) })
      try await house.actor.tick()
      let after = try await house.reminders()
      let now = house.now
      let items = try await house.items()
      let dues = try await house.dues()
      let shown = Dictionary(dues.map { (Name($0), $0) }) { one, _ in one }
      let trace = Comment(rawValue: "seed \(seed), after \(log.suffix(12))")
      for reminder in after {
        let old = before[reminder.id]
        let isSaid = reminder.said > (old?.said ?? 0)
        let wasThere = Set((old?.times ?? []).map(Name.init))
        for time in reminder.times {
          let due = shown[Name(time)]
          if isSaid, time.knownState == .due {
            #expect(time.due.nanosecondsSince1970 <= now, trace)
            #expect(due.map { !$0.hasDose } ?? false, trace)
            let item = try #require(items[time.itemID])
            #expect(!item.quiet && item.knownState == .active, trace)
            if !wasThere.contains(Name(time)) { announced[Name(time), default: 0] += 1 }
          }
          let wasTold = old?.times.contains { Name($0) == Name(time) && $0.toldMissed } ?? false
          if time.toldMissed, !wasTold { #expect(due?.knownState == .missed, trace) }
          // It was answered, and the message that said so was withdrawn.
          if !time.toldMissed, wasTold { #expect(clockBack || due?.hasDose ?? true, trace) }
        }
        if isSaid {
          // Nobody hears of the same thing twice within the shortest time that one of these items has.
          if let last = lastSaid[reminder.id], !clockBack, wasThere == Set(reminder.times.map(Name.init)),
            old?.knownState == .due
          {
            #expect(now - last >= 10 * Self.minute, trace)
          }
          lastSaid[reminder.id] = now
        }
        if [.due, .snoozed].contains(reminder.knownState) {
          #expect(reminder.times.contains { shown[Name($0)].map { !$0.hasDose } ?? false }, trace)
        }
      }
      // The messages that wait tell all that is missed, each of it once, and nothing that was answered.
      let isMissed = after.filter { $0.knownState != .removed }.flatMap(\.times).filter { $0.knownState == .missed }
      let messages = try await house.messages(about: after)
      #expect(messages.missed.count == isMissed.count && Set(messages.missed) == Set(isMissed.map(Name.init)), trace)
      // There is one at most about a reminder that is due, of what is open, and none about another one.
      for reminder in after {
        let lines = messages.lines[reminder.id] ?? []
        #expect(lines.isEmpty || lines == [reminder.open.count] && reminder.knownState == .due, trace)
      }
      // Nothing is lost: whatever waits for an answer is a time of a reminder.
      let told = Set(after.flatMap(\.times).map(Name.init))
      for due in dues where [.due, .missed].contains(due.knownState) {
        let item = try #require(items[due.item.id])
        guard !due.item.quiet, !item.quiet, !item.asNeeded, item.knownState == .active,
          due.due.nanosecondsSince1970 > now - 2 * 86_400_000_000_000
        else { continue }
        #expect(told.contains(Name(due)), "\(due.item.name) at \(due.due), \(trace)")
      }
      // A second look, also by another process, says nothing more.
      if Int.random(in: 0..<5, using: &random) == 0 { try await house.restart() }
      try await house.actor.tick()
      #expect(try await house.reminders() == after, trace)
    }
    if !clockBack { #expect(announced.values.allSatisfy { $0 == 1 }, "seed \(seed): \(log)") }
    // In some histories everything is quiet, or comes while the clock leaps; in the first ones it does not.
    if seed <= 6 { #expect(!announced.isEmpty, "seed \(seed)") }
    await house.close()
  }
}
