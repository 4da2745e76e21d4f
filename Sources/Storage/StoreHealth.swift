public import Bus
internal import EventLoop
internal import GRDB
internal import KithMessages
package import Logging

/// The store's integrity, and the conversion of SQL errors to failures.
public final class StoreHealth: Sendable {
  private struct State {
    var integrity = StorageStatus.Integrity.sound
    var faults: [String] = []
  }

  private let state = Lock(State())
  private let logger: Logger

  package init(logger: Logger) { self.logger = logger }

  /// Converts an error of SQLite to a failure that tells a person what to do.
  ///
  /// `RESOURCE_EXHAUSTED/DISK_FULL` if the disk is full or refuses, `DATA_LOSS/STORE_DAMAGED` if the file is damaged,
  /// `UNAVAILABLE/SHUTTING_DOWN` if the store is closed, otherwise `INTERNAL/BUG` with an id that is also in the log
  /// (<https://www.sqlite.org/rescode.html>).
  public func failure(for error: any Error) -> Failure {
    if let failure = error as? Failure { return failure }
    if error is CancellationError { return .cancelled }
    let code = (error as? DatabaseError)?.resultCode
    switch code {
    case .SQLITE_FULL?, .SQLITE_IOERR?, .SQLITE_CANTOPEN?, .SQLITE_READONLY?:
      self.logger.error("the disk refused a write of the store", metadata: ["code": "\(Self.name(of: error))"])
      return .diskFull
    case .SQLITE_CORRUPT?, .SQLITE_NOTADB?:
      self.logger.critical("the store is damaged", metadata: ["code": "\(Self.name(of: error))"])
      self.noteDamage("SQLite reports \(Self.name(of: error))")
      return .storeDamaged
    case .SQLITE_INTERRUPT?, .SQLITE_ABORT?:
      return .cancelled
    case .SQLITE_MISUSE? where (error as? DatabaseError)?.message == "Connection is closed":
      return .storeClosed
    default:
      let logID = UUIDv7.make().text
      // The text of an SQL error names tables and columns, but GRDB leaves the values out.
      self.logger.error(
        "unexpected error of the store",
        metadata: [
          "log_id": "\(logID)", "code": "\(Self.name(of: error))",
          "cause": "\((error as? DatabaseError)?.message ?? String(describing: type(of: error)))",
        ])
      return .bug(logID)
    }
  }

  /// The integrity of the file as far as known, and its faults.
  var report: (integrity: StorageStatus.Integrity, faults: [String]) {
    self.state.withLock { ($0.integrity, $0.faults) }
  }

  func noteChecking() {
    self.state.withLock { if $0.integrity != .damaged { $0.integrity = .checking } }
  }

  func noteSound() {
    self.state.withLock { if $0.integrity != .damaged { $0.integrity = .sound } }
  }

  func noteDamage(_ fault: String) {
    self.state.withLock { state in
      state.integrity = .damaged
      if state.faults.count < 20, !state.faults.contains(fault) { state.faults.append(fault) }
    }
  }

  private static func name(of error: any Error) -> String {
    (error as? DatabaseError).map { "\($0.extendedResultCode)" } ?? "-"
  }
}

extension Failure {
  static let diskFull = Failure(
    .resourceExhausted, "DISK_FULL",
    "The disk of the state directory is full or refuses writes, so nothing was stored. Free some space and try again.",
    retryAfterMilliseconds: 5000)

  static let storeDamaged = Failure(
    .dataLoss, "STORE_DAMAGED",
    "The database file is damaged. Stop kithd, keep a copy of the file, and restore the last backup.")

  static let rolledBack = Failure(
    .unavailable, "STORE_ROLLED_BACK", "SQLite undid the transaction, so nothing was stored. Try again.",
    retryAfterMilliseconds: 200)

  static let storeClosed = Failure(.unavailable, "SHUTTING_DOWN", "kithd is stopping. Try again when it runs.")
}
