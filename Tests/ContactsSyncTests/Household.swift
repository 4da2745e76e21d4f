import Bus
import ContactsSync
import Digest
import EventLoop
import Foundation
import Glibc
import KithMessages
import Logging
import Secrets
import SwiftProtobuf

@testable import Storage

/// A real store, a real folder and the actor between them, in a temporary directory.
final class Household: Sendable {
  let root: String
  let folder: String
  let storage: StorageActor
  let secrets: SecretDirectory
  let contacts: ContactsSyncActor
  let router: Router
  private let ahead: Lock<Int64>
  private let log: Lock<[LoggedEvent]>
  private let commits = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// - Parameters:
  ///   - root: An existing directory to continue with; nil for a new one.
  ///   - source: The port to the sources; nil for those on disk.
  ///   - migrations: The migrations of an earlier version, to get its store; nil for the present ones.
  init(root: String? = nil, source: LocalBatchPort? = nil, migrations: [Migration] = Migration.all) throws {
    let root = try root ?? Self.directory()
    self.root = root
    self.folder = root + "/cards"
    try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
    let log = Lock<[LoggedEvent]>([])
    self.log = log
    // Well after the last write, so that stamps are unambiguous; tests of ambiguous stamps use the real clock.
    let ahead = Lock<Int64>(60_000_000_000)
    self.ahead = ahead
    let now: @Sendable () -> Int64 = { WallClock.nanoseconds() + ahead.withLock { $0 } }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    self.storage = try StorageActor(
      directory: root + "/state", logger: logger, limits: StorageLimits(), migrations: migrations
    ) { [commits = self.commits.continuation] events in
      log.withLock { $0 += events }
      commits.yield()
    }
    self.secrets = SecretDirectory(path: root + "/secrets")
    let service = ContactsSourceService(now: now)
    self.contacts = ContactsSyncActor(
      storage: self.storage, source: source ?? LocalBatchPort(service.routes, batches: service.batchRoutes),
      secrets: self.secrets, logger: logger, now: now)
    self.router = Router(
      self.contacts.routes, journal: self.storage, contentKey: HMACKey(Array("key".utf8)), logger: logger)
  }

  static func directory() throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/kith-sync-" + UUIDv7.make().text
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  func close() async {
    await self.stop()
    try? FileManager.default.removeItem(atPath: self.root)
  }

  /// Stops everything, and leaves the directory for another household.
  func stop() async {
    await self.contacts.stop()
    await self.storage.close()
  }

  var events: [LoggedEvent] { self.log.withLock { $0 } }

  /// Waits until a condition holds; checks it after every commit of events.
  func until(_ condition: () async throws -> Bool) async throws {
    guard try await !condition() else { return }
    for await _ in self.commits.stream { if try await condition() { return } }
  }

  /// Lets time pass.
  func pass(hours: Int64) { self.ahead.withLock { $0 += hours * 3_600_000_000_000 } }

  /// Uses the real clock, by which the stamp of a recent write is ambiguous.
  func useRealTime() { self.ahead.withLock { $0 = 0 } }

  // MARK: Files

  func path(_ name: String) -> String { self.folder + "/" + name }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: self.path(name)), options: .atomic)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: self.path(name)) }

  func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: self.path(name), toPath: self.path(other))
  }

  /// Writes `count` cards, `0.vcf` and so on.
  func fill(_ count: Int) throws {
    for index in 0..<count { try self.write("\(index).vcf", Self.card(uid: "u\(index)", name: "Person \(index)")) }
  }

  static func card(uid: String?, name: String, phone: String = "+49 30 1234", more: String = "") -> String {
    let identifier = uid.map { "UID:\($0)\r\n" } ?? ""
    return "BEGIN:VCARD\r\nVERSION:3.0\r\n\(identifier)FN:\(name)\r\nN:;\(name);;;\r\n"
      + "TEL;TYPE=CELL:\(phone)\r\n\(more)END:VCARD\r\n"
  }

  // MARK: Commands

  func addFolder(_ name: String = "home", path: String? = nil) async throws {
    var request = AddSourceRequest()
    request.name = name
    request.vdir.path = path ?? self.folder
    _ = try await self.router.ask(request)
  }

  func addFile(_ name: String = "export", file: String) async throws {
    var request = AddSourceRequest()
    request.name = name
    request.vcf.path = self.path(file)
    _ = try await self.router.ask(request)
  }

  func sync(_ name: String = "home", full: Bool = false, allowMassDelete: Bool = false) async throws -> SyncStatus {
    var request = SyncRequest()
    request.sources = [name]
    request.full = full
    request.allowMassDelete = allowMassDelete
    let reply = try await self.router.ask(request)
    return reply.sources.first ?? SyncStatus()
  }

  /// The stored state of the first source.
  func storedStatus() async throws -> SyncStatus {
    try await self.router.ask(SyncStatusRequest()).sources.first ?? SyncStatus()
  }

  func live(_ source: String = "") async throws -> [Contact] {
    try await self.list(source, includeDeleted: false)
  }

  func all(_ source: String = "") async throws -> [Contact] { try await self.list(source, includeDeleted: true) }

  private func list(_ source: String, includeDeleted: Bool) async throws -> [Contact] {
    var contacts: [Contact] = []
    var request = ListContactsRequest()
    request.source = source
    request.includeDeleted = includeDeleted
    request.limit = 500
    repeat {
      let reply = try await self.router.ask(request)
      contacts += reply.contacts
      request.cursor = reply.nextCursor
    } while !request.cursor.isEmpty
    return contacts
  }

  func problems() async throws -> [Problem] { try await self.router.ask(ListProblemsRequest()).problems }
}
