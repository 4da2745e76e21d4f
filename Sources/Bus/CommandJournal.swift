public import KithMessages

/// Where the answers of mutating commands are kept, so that a command sent twice happens once.
public protocol CommandJournal: Sendable {
  /// The stored outcome of the ticket's key; nil when there is none.
  ///
  /// - Throws: `INVALID_ARGUMENT/IDEMPOTENCY_KEY_REUSED` when the key was used with other content.
  func recall(_ ticket: CommandTicket) async throws(Failure) -> CommandOutcome?

  /// Commits that a long-running command has begun.
  ///
  /// - Parameter request: Its protobuf encoding, to run it again after a crash.
  func accept(_ ticket: CommandTicket, request: [UInt8]) async throws(Failure)

  /// Ends an accepted command that failed: keeps the failure as its answer, or forgets the command where the same request
  /// may succeed later.
  func conclude(_ ticket: CommandTicket, with failure: Failure) async

  /// The commands that had begun when the last process ended.
  func unfinished() async throws(Failure) -> [UnfinishedCommand]
}

/// A long-running command that a crash interrupted.
public struct UnfinishedCommand: Sendable {
  /// Its identity.
  public let ticket: CommandTicket
  /// Its request in protobuf encoding.
  public let request: [UInt8]

  /// Makes a description of one.
  public init(
    principal: String, key: String, requestID: String, method: Method, fingerprint: [UInt8], request: [UInt8]
  ) {
    self.ticket = CommandTicket(
      principal: principal, key: key, requestID: requestID, method: method, fingerprint: fingerprint)
    self.request = request
  }
}
