import Bus
import EventLoop
import Foundation
import GRDB
import KithMessages
import Logging
import Testing

@testable import Storage

/// A store in a temporary directory, removed with the last reference.
final class TemporaryStore: Sendable {
  let directory: String
  let published = Lock<[LoggedEvent]>([])

  init() { self.directory = NSTemporaryDirectory() + "kith-store-" + UUIDv7.make().text }

  deinit { try? FileManager.default.removeItem(atPath: self.directory) }

  /// Opens the store with a table `sample`, which stands for any other table.
  func open(
    limits: StorageLimits = StorageLimits(), migrations: [Migration] = Migration.all + [.sample],
    publish: (@Sendable ([LoggedEvent]) -> Void)? = nil
  ) throws -> StorageActor {
    try StorageActor(
      directory: self.directory, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, limits: limits,
      migrations: migrations
    ) { [published] events in
      published.withLock { $0.append(contentsOf: events) }
      publish?(events)
    }
  }

  /// A context with a ticket, as the router makes one.
  static func context(key: String, content: [UInt8] = [1], principal: String = "uid:1") -> CallContext {
    var context = CallContext(requestID: key, principal: Principal(name: principal, role: .admin))
    context.ticket = CommandTicket(
      principal: principal, key: key, requestID: key, method: RestoreContactRequest.method, fingerprint: content)
    return context
  }
}

extension Migration {
  static let sample = Migration(
    name: "sample", sql: "CREATE TABLE sample (id TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT")
}

extension StorageActor {
  /// Runs a command that inserts one record and announces it.
  nonisolated func insert(_ key: String, content: [UInt8] = [1], failing: Failure? = nil) async throws(Failure)
    -> Answer<GetContactReply>
  {
    try await self.commit(RestoreContactRequest.self, TemporaryStore.context(key: key, content: content)) {
      transaction throws(Failure) in
      try transaction.attempt { try $0.execute(sql: "INSERT INTO sample VALUES (?, 1)", arguments: [key]) }
      transaction.changed(contacts: [key])
      if let failing { throw failing }
      var reply = GetContactReply()
      reply.contact.id = key
      return reply
    }
  }

  nonisolated func records() async throws -> Set<String> {
    try await self.read { view throws(Failure) in
      try view.attempt { Set(try String.fetchAll($0, sql: "SELECT id FROM sample")) }
    }
  }

  nonisolated func head(_ stream: EventStream) -> UInt64 { self.heads()[stream.rawValue].seq }

  nonisolated func status(_ source: String, state: SyncStatus.State = .syncing) async throws(Failure) {
    try await self.write { transaction throws(Failure) in
      var event = Event()
      event.sync.source = source
      event.sync.state = state
      try transaction.emit(event, on: "sync", key: source)
    }
  }

  nonisolated func replay(_ stream: String, after: UInt64, limit: UInt32 = 0, epoch: String = "") async throws(Failure)
    -> ReplayReply
  {
    var request = ReplayRequest()
    request.stream = stream
    request.afterSeq = after
    request.limit = limit
    request.epoch = epoch
    return try await self.replay(request)
  }
}
