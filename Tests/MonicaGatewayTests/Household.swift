import Bus
import Digest
import EventLoop
import Foundation
import KithMessages
import Logging
import Secrets
import Storage
import SwiftProtobuf
import TestKit

@testable import MonicaGateway

/// A real store with the gateway over it, in a temporary directory. There is no server.
final class Household: Sendable {
  /// Friday, 2026-03-06T12:00:00Z.
  static let start: Int64 = 1_772_798_400_000_000_000

  let directory: TemporaryDirectory
  let storage: StorageActor
  let gateway: MonicaGatewayActor
  let router: Router
  private let clock: Lock<Int64>
  private let log: Lock<[LoggedEvent]>

  init(in directory: TemporaryDirectory? = nil, reports: String? = nil) throws {
    let directory = try directory ?? TemporaryDirectory()
    self.directory = directory
    let (clock, log) = (Lock(Self.start), Lock<[LoggedEvent]>([]))
    self.clock = clock
    self.log = log
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    self.storage = try StorageActor(directory: directory.file("state"), logger: logger) { events in
      log.withLock { $0 += events }
    }
    self.gateway = MonicaGatewayActor(
      storage: self.storage, remote: LocalBatchPort([], batches: []),
      secrets: SecretDirectory(path: directory.file("secrets")), alarm: nil, logger: logger, reports: reports,
      now: { clock.withLock { $0 } })
    self.router = Router(
      self.gateway.routes, journal: self.storage, contentKey: HMACKey(Array("key".utf8)), logger: logger)
  }

  var events: [LoggedEvent] { self.log.withLock { $0 } }
  var now: Int64 { self.clock.withLock { $0 } }

  /// Lets time pass.
  func pass(minutes: Int64 = 0, days: Int64 = 0) {
    self.clock.withLock { $0 += (days * 1440 + minutes) * 60_000_000_000 }
  }

  func ask<C: Command>(_ command: C) async throws(Failure) -> C.Reply { try await self.router.ask(command) }

  /// Logs in to a server that nobody can reach: records wait for it from now on.
  func logIn() async throws {
    try await self.storage.write { transaction throws(Failure) in
      try transaction.accounts.login(AccountRecord(endpoint: "https://monica.example", userID: 7), now: Self.start)
    }
  }

  // MARK: - Shorthands

  func person(_ first: String, _ last: String = "", tags: [String] = []) async throws -> Person {
    try await self.ask(
      CreatePersonRequest.with {
        $0.record.firstName = first
        $0.record.lastName = last
        $0.record.tags = tags
      })
  }

  /// - Parameter ago: Days before now.
  func call(_ person: Person, ago: Int64 = 0, minutes: UInt32 = 0, _ edit: (inout Call) -> Void = { _ in })
    async throws -> Call
  {
    var call = Call()
    call.personID = person.id
    call.calledAt = .init(nanosecondsSince1970: self.now - ago * 86_400_000_000_000)
    call.durationMinutes = minutes
    edit(&call)
    return try await self.ask(LogCallRequest.with { [call] in $0.record = call })
  }

  func bytes(of blob: BlobRef) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    repeat {
      bytes += try await self.storage.readBlob(
        .with { [bytes] in
          $0.sha256 = blob.sha256
          $0.offset = UInt64(bytes.count)
        }, by: .viewer
      ).1
    } while bytes.count < Int(blob.size)
    return bytes
  }
}

/// The failure of a refused command.
func refusal(_ work: () async throws -> Void) async -> Failure? {
  do {
    try await work()
    return nil
  } catch {
    return error as? Failure
  }
}

/// A time in RFC 3339.
func moment(_ text: String) throws -> Google_Protobuf_Timestamp {
  try Google_Protobuf_Timestamp(jsonString: "\"\(text)\"")
}
