internal import EventLoop
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

/// The durable identity of one mutating command, and where its stored outcome is put.
///
/// The ``Router`` makes it; the store checks it in the transaction of the effect, writes the answer under it in the same
/// transaction, and reports the outcome here. FINAL is built from that outcome and from nothing else.
public final class CommandTicket: Sendable {
  /// Whose key it is.
  public let principal: String
  /// Unique among the principal's commands.
  public let key: String
  /// The call that started it; events name it as their cause.
  public let requestID: String
  /// What is called.
  public let method: Method
  /// Authentication code of method and request, so that the same key with other content is noticed.
  public let fingerprint: [UInt8]

  private let stored = Lock<CommandOutcome?>(nil)

  package init(principal: String, key: String, requestID: String, method: Method, fingerprint: [UInt8]) {
    self.principal = principal
    self.key = key
    self.requestID = requestID
    self.method = method
    self.fingerprint = fingerprint
  }

  /// Reports what was committed. Called by the store, after COMMIT.
  public func settle(_ outcome: CommandOutcome) { self.stored.withLock { $0 = outcome } }

  /// What was committed; nil while nothing is.
  public var outcome: CommandOutcome? { self.stored.withLock { $0 } }
}

/// The stored answer of a mutating command.
public struct CommandOutcome: Sendable, Hashable {
  /// OK, or the failure that a long-running command ended with.
  public var status: Status
  /// The reply in protobuf encoding; empty after a failure.
  public var reply: [UInt8]
  /// Positions of the streams after the command's events.
  public var effects: [StreamPosition]
  /// Whether it is the outcome of an earlier call.
  public var isReplayed: Bool

  /// Makes an outcome.
  public init(status: Status = Status(), reply: [UInt8], effects: [StreamPosition], isReplayed: Bool = false) {
    self.status = status
    self.reply = reply
    self.effects = effects
    self.isReplayed = isReplayed
  }

  /// The reply in protobuf encoding.
  ///
  /// - Throws: The failure that the command ended with.
  public func get() throws(Failure) -> [UInt8] {
    guard self.status.code == .ok else { throw Failure(status: self.status) }
    return self.reply
  }
}
