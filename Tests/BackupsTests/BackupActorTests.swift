import Bus
import CivilTime
import EventLoop
import Foundation
import KithMessages
import Logging
import Storage
import Testing

@testable import Backups

/// A store with backups in a temporary directory, under a clock that the test sets.
final class BackupHouse: Sendable {
  let directory: String
  let storage: StorageActor
  let plan: BackupPlan
  let clock: Lock<Int64>
  let zone: Zone

  var folder: String { self.plan.folder }
  var state: String { "\(self.directory)/state" }

  init(command: [String] = []) throws {
    self.directory = NSTemporaryDirectory() + "kith-backups-" + UUIDv7.make().text
    self.storage = try StorageActor(directory: "\(self.directory)/state", logger: .silent) { _ in }
    var plan = BackupPlan(folder: "\(self.directory)/backups")
    plan.command = command
    self.plan = plan
    self.zone = try #require(Zone(named: "Europe/Berlin"))
    self.clock = Lock(SoftwareVersion.released + 90 * Self.day)
  }

  deinit { try? FileManager.default.removeItem(atPath: self.directory) }

  static let day: Int64 = 86_400_000_000_000

  func actor(household: String = "0a1b2c3d", command: [String]? = nil, archive: (any Bus.Port)? = nil) -> BackupActor {
    var plan = self.plan
    plan.command = command ?? plan.command
    plan.worker = archive.map { _ in "attic" }
    return BackupActor(
      storage: self.storage, plan: plan, household: household, stateDirectory: self.state, archive: archive,
      alarm: nil, logger: .silent, now: { [clock] in clock.withLock { $0 } }, zone: { [zone] in zone })
  }

  func pass(_ nanoseconds: Int64) { self.clock.withLock { $0 += nanoseconds } }

  var files: Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: self.folder)) ?? [])
  }

  func rows() async throws -> [MadeBackup] {
    try await self.storage.read { view throws(Failure) in try view.backups.all() }
  }

  func good() async throws -> Set<String> { Set(try await self.rows().filter { $0.knownState == .good }.map(\.name)) }
}

extension Logger {
  static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

/// A worker that is away until its door is opened.
private struct AwayPort: Bus.Port {
  let worker: LocalBatchPort
  let isThere = Lock(false)

  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    guard self.isThere.withLock({ $0 }) else { throw Failure(.unavailable, "NO_WORKER", "No worker serves it.") }
    return try await self.worker.call(command, context)
  }
}

@Suite("Backups under clocks and disks that misbehave", .timeLimit(.minutes(5)))
struct BackupActorTests {
  @Test func `a clock that was ahead leaves neither a hot loop nor hidden faults`() async throws {
    let house = try BackupHouse()
    let backups = house.actor()
    house.pass(400 * BackupHouse.day)
    let ahead = try await backups.make().name
    house.pass(-400 * BackupHouse.day)
    #expect(!(try await backups.state().hasLastGood))
    await backups.tick()
    #expect(house.files.count == 2 && house.files.contains(ahead))
    #expect(try await backups.state().lastGood.nanosecondsSince1970 == house.clock.withLock { $0 })
    // From now on none can be written.
    house.pass(BackupHouse.day)
    try FileManager.default.removeItem(atPath: house.folder)
    await backups.tick()
    #expect(try await backups.state().fault.contains("folder is missing"))
    let now = house.clock.withLock { $0 }
    let next = await backups.nextLook(house.plan)
    #expect(next >= now + 3_600_000_000_000)
    await backups.tick()
    #expect(try await house.rows().filter { $0.knownState == .failed }.count == 1)
    await house.storage.close()
  }

  @Test func `the alarm is never in the past, whatever the store says`() async throws {
    let house = try BackupHouse()
    let backups = house.actor()
    // Nothing was made, so one is due since this morning.
    #expect(await backups.nextLook(house.plan) == house.clock.withLock { $0 } + 60_000_000_000)
    await house.storage.close()
  }

  @Test func `under a clock from before the release none is made and none is removed`() async throws {
    let house = try BackupHouse()
    let backups = house.actor()
    let made = try await backups.make().name
    house.clock.withLock { $0 = SoftwareVersion.released - BackupHouse.day }
    await backups.tick()
    let failure = await #expect(throws: Failure.self) { try await backups.make() }
    #expect(failure?.reason == "CLOCK_UNSET" && house.files == [made])
    #expect(try await house.good() == [made])
    #expect(try await backups.state().fault == failure?.message)
    #expect(await backups.nextLook(house.plan) == SoftwareVersion.released)
    await house.storage.close()
  }

  @Test func `a disk that is not mounted is waited for, and nothing is forgotten`() async throws {
    let house = try BackupHouse()
    let backups = house.actor()
    let made = try await backups.make().name
    let away = "\(house.directory)/away"
    try FileManager.default.moveItem(atPath: house.folder, toPath: away)
    house.pass(BackupHouse.day)
    await backups.tick()
    #expect(!FileManager.default.fileExists(atPath: house.folder))
    #expect(try await house.good() == [made])
    let failure = await #expect(throws: Failure.self) { try await backups.make() }
    #expect(failure?.message.contains("Mount its disk") == true)
    // The directory on which it is mounted.
    try FileManager.default.createDirectory(atPath: house.folder, withIntermediateDirectories: false)
    house.pass(BackupHouse.day)
    await backups.tick()
    #expect(house.files.isEmpty)
    #expect(try await house.good() == [made])
    #expect(try await backups.state().fault.contains("Mount its disk"))
    try FileManager.default.removeItem(atPath: house.folder)
    try FileManager.default.moveItem(atPath: away, toPath: house.folder)
    house.pass(BackupHouse.day)
    await backups.tick()
    #expect(house.files.count == 2 && house.files.contains(made))
    #expect(try await house.good() == house.files)
    await house.storage.close()
  }

  @Test func `a person may begin in an empty folder`() async throws {
    let house = try BackupHouse()
    let backups = house.actor()
    let made = try await backups.make().name
    try FileManager.default.removeItem(atPath: "\(house.folder)/\(made)")
    house.pass(BackupHouse.day)
    let new = try await backups.make().name
    #expect(house.files == [new])
    #expect(try await house.good() == [new])
    await house.storage.close()
  }

  @Test func `a file without a row is found again, and those of others are left alone`() async throws {
    let house = try BackupHouse()
    let backups = house.actor()
    let made = try await backups.make()
    try await house.storage.write { transaction throws(Failure) in try transaction.backups.forget(made.name) }
    let foreign = ["kith-20260131T033000Z-ffffffff.tar", "kith-20260131T033000Z-ffffffff.tar.partial", "letter.tar"]
    for name in foreign { try Data([1]).write(to: URL(fileURLWithPath: "\(house.folder)/\(name)")) }
    let own = "\(house.folder)/kith-20260131T033000Z-0a1b2c3d.tar.partial"
    try Data([1]).write(to: URL(fileURLWithPath: own))
    await backups.tick()
    let found = try #require(try await house.rows().first)
    #expect(try await house.rows().count == 1)
    #expect(found.name == made.name && found.size == made.size)
    #expect(found.made.nanosecondsSince1970 / 1_000_000_000 == made.made.nanosecondsSince1970 / 1_000_000_000)
    #expect(house.files == Set(foreign + [made.name]))
    await house.storage.close()
  }

  @Test func `a file that somebody removed is forgotten while others are there`() async throws {
    let house = try BackupHouse()
    let backups = house.actor()
    let first = try await backups.make().name
    house.pass(BackupHouse.day)
    let second = try await backups.make().name
    try FileManager.default.removeItem(atPath: "\(house.folder)/\(first)")
    await backups.tick()
    #expect(try await house.good() == [second])
    await house.storage.close()
  }

  @Test func `all who ask meanwhile share the next one`() async throws {
    let house = try BackupHouse()
    let backups = house.actor()
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { try await backups.make().name } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect((1...2).contains(names.count))
    // Of one day only the newest stays.
    #expect(house.files.count == 1 && house.files.isSubset(of: names))
    await house.storage.close()
  }

  @Test func `an ordinary stop is no failure, and nothing begins after it`() async throws {
    let house = try BackupHouse(command: ["/bin/sleep", "600"])
    let backups = house.actor()
    let asked = Task { try await backups.make() }
    // It counts before the program of the household has taken it.
    while try await house.rows().isEmpty { await Task.yield() }
    let queued = Task { try await backups.make() }
    await backups.stop()
    _ = try await asked.value
    let failure = await #expect(throws: Failure.self) { try await queued.value }
    #expect(failure?.reason == "SHUTTING_DOWN")
    let late = await #expect(throws: Failure.self) { try await backups.make() }
    #expect(late?.reason == "SHUTTING_DOWN")
    await backups.tick()
    let row = try #require(try await house.rows().first)
    #expect(try await house.rows().count == 1)
    #expect(row.knownState == .good)
    #expect(row.fault == "/bin/sleep did not take the backup: kithd was stopped meanwhile.")
    await house.storage.close()
  }

  @Test func `what the program of the household says is not stored`() async throws {
    let house = try BackupHouse(command: ["/bin/sh", "-c", "echo password >&2; exit 3"])
    let backups = house.actor()
    let made = try await backups.make()
    #expect(made.fault.contains("ended with 3") && !made.fault.contains("password"))
    await house.storage.close()
  }

  @Test func `what a program refused is handed over again until it is taken, once`() async throws {
    let taken = NSTemporaryDirectory() + "kith-taken-" + UUIDv7.make().text
    defer { try? FileManager.default.removeItem(atPath: taken) }
    let house = try BackupHouse(command: ["/bin/sh", "-c", "ls '\(taken)' && echo $0 >>'\(taken)/names'"])
    func names() throws -> [String] {
      try String(contentsOfFile: taken + "/names", encoding: .utf8).split(separator: "\n").map(String.init)
    }
    let backups = house.actor()
    let made = try await backups.make()
    #expect(made.awaitsProgram && !made.fault.isEmpty)
    let minute: Int64 = 60_000_000_000
    let now = house.clock.withLock { $0 }
    #expect(await backups.nextLook(house.plan) == now + minute)
    house.pass(minute)
    await backups.tick()
    #expect(await backups.nextLook(house.plan) == now + 3 * minute)
    try FileManager.default.createDirectory(atPath: taken, withIntermediateDirectories: false)
    await backups.tick()
    #expect(!FileManager.default.fileExists(atPath: taken + "/names"), "the time has not come")
    house.pass(2 * minute)
    await backups.tick()
    #expect(try names().count == 1 && names()[0].hasSuffix(made.name))
    #expect(try await backups.state().fault.isEmpty)
    #expect(try await !backups.state().hasError)
    #expect(try await house.rows().map(\.awaitsProgram) == [false])
    house.pass(5 * minute)
    await backups.tick()
    #expect(try names().count == 1)
    await house.storage.close()
  }

  @Test func `a worker that was away gets the backup when it is back`() async throws {
    let house = try BackupHouse()
    let attic = house.directory + "/attic"
    try FileManager.default.createDirectory(atPath: attic, withIntermediateDirectories: false)
    let port = AwayPort(worker: LocalBatchPort(ArchiveService(folder: attic).routes, batches: []))
    let backups = house.actor(archive: port)
    let made = try await backups.make()
    #expect(made.awaitsWorker && made.fault.hasPrefix("The worker attic did not take the backup: "))
    #expect(made.error.reason == "BACKUP_NOT_TAKEN" && made.error.details["worker"] == "attic")
    #expect(try await backups.state().error == made.error)
    port.isThere.withLock { $0 = true }
    house.pass(60_000_000_000)
    await backups.tick()
    #expect(FileManager.default.contentsEqual(atPath: "\(attic)/\(made.name)", andPath: "\(house.folder)/\(made.name)"))
    #expect(try await house.rows().map(\.name) == [made.name])
    #expect(try await backups.state().fault.isEmpty)
    await house.storage.close()
  }

  @Test func `what a program refused is handed over again after a start`() async throws {
    let house = try BackupHouse(command: ["/bin/false"])
    let made = try await house.actor().make()
    #expect(made.awaitsProgram)
    let again = house.actor(command: ["/bin/true"])
    await again.tick()
    #expect(try await house.rows().map(\.name) == [made.name])
    #expect(try await again.state().fault.isEmpty)
    await house.storage.close()
  }

  @Test func `recordings that end while the store is copied are in the backup`() async throws {
    let house = try BackupHouse()
    let audio = "\(house.state)/audio"
    for name in ["whole", "running.part"] { try Data([1]).write(to: URL(fileURLWithPath: "\(audio)/\(name)")) }
    let target = "\(house.directory)/content"
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    try await BackupContent(storage: house.storage, stateDirectory: house.state, hasSecrets: false).copy(into: target)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(target)/audio") == ["whole"])
    await house.storage.close()
  }
}
