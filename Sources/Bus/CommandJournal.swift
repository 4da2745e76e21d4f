internal import EventLoop
public import KithMessages

/// Stores the answers of mutating commands, so that a command that is sent twice runs once.
///
/// ```swift
/// struct EmptyJournal: CommandJournal {  // for a router whose methods change nothing
///   func recall(_ ticket: CommandTicket) async throws(Failure) -> CommandOutcome? { nil }
///   func accept(_ ticket: CommandTicket, request: [UInt8]) async throws(Failure) {}
///   func conclude(_ ticket: CommandTicket, with failure: Failure) async {}
///   func unfinished() async throws(Failure) -> [UnfinishedCommand] { [] }
/// }
/// ```
public protocol CommandJournal: Sendable {
  /// The stored outcome for the ticket's key; nil if there is none.
  ///
  /// - Throws: `INVALID_ARGUMENT/IDEMPOTENCY_KEY_REUSED` if the key was used with other content.
  func recall(_ ticket: CommandTicket) async throws(Failure) -> CommandOutcome?

  /// Commits that a long-running command has started.
  ///
  /// - Parameter request: The request in protobuf, to run the command again after a crash.
  func accept(_ ticket: CommandTicket, request: [UInt8]) async throws(Failure)

  /// Ends an accepted command that failed: stores the failure as its answer, or removes the command if the same request
  /// may succeed later.
  func conclude(_ ticket: CommandTicket, with failure: Failure) async

  /// The commands that had started when the last process ended.
  func unfinished() async throws(Failure) -> [UnfinishedCommand]
}

/// A long-running command that a crash interrupted.
///
/// ```swift
/// for command in try await journal.unfinished() {
///   print(command.ticket.method.name, command.ticket.method.recovery)
/// }
/// ```
public struct UnfinishedCommand: Sendable {
  /// The identity of the command.
  public let ticket: CommandTicket
  /// The request in protobuf.
  public let request: [UInt8]

  /// Makes an unfinished command.
  public init(ticket: CommandTicket, request: [UInt8]) {
    self.ticket = ticket
    self.request = request
  }
}

/// The durable identity of one mutating command, and the place of its outcome.
///
/// The ``Router`` makes the ticket. The store checks it in the transaction of the effect, writes the answer in the same
/// transaction, and then settles the ticket. FINAL is built from that outcome alone.
///
/// ```swift
/// let ticket = CommandTicket(
///   principal: "uid:1000", key: key, requestID: key, method: LogCallRequest.method, fingerprint: code)
/// let outcome = try await journal.recall(ticket)  // nil: no command with this key was committed
/// ```
public final class CommandTicket: Sendable {
  /// The principal that owns the key.
  public let principal: String
  /// Unique among the principal's commands.
  public let key: String
  /// The id of the call that started the command; its events name this id as their cause.
  public let requestID: String
  /// The method.
  public let method: Method
  /// Authentication code of method and request; it differs if the same key is used with other content.
  public let fingerprint: [UInt8]

  private let stored = Lock<CommandOutcome?>(nil)

  /// Makes a ticket without an outcome.
  public init(principal: String, key: String, requestID: String, method: Method, fingerprint: [UInt8]) {
    self.principal = principal
    self.key = key
    self.requestID = requestID
    self.method = method
    self.fingerprint = fingerprint
  }

  /// Sets the outcome. Called by the store after COMMIT.
  public func settle(_ outcome: CommandOutcome) { self.stored.withLock { $0 = outcome } }

  /// The committed outcome; nil before the commit.
  public var outcome: CommandOutcome? { self.stored.withLock { $0 } }
}

/// The stored answer of a mutating command.
///
/// ```swift
/// ticket.settle(CommandOutcome(reply: try Encoding.pb.encode(call), effects: [position]))
/// ```
public struct CommandOutcome: Sendable, Hashable {
  /// OK, or the failure of a long-running command.
  public var status: Status
  /// The reply in protobuf; empty after a failure.
  public var reply: [UInt8]
  /// The positions of the streams after the command's events.
  public var effects: [StreamPosition]
  /// Whether it was stored by an earlier call.
  public var isReplayed: Bool

  /// Makes an outcome.
  public init(status: Status = Status(), reply: [UInt8], effects: [StreamPosition], isReplayed: Bool = false) {
    self.status = status
    self.reply = reply
    self.effects = effects
    self.isReplayed = isReplayed
  }

  /// Returns the reply in protobuf.
  ///
  /// - Throws: The command's failure.
  public func get() throws(Failure) -> [UInt8] {
    guard self.status.code == .ok else { throw Failure(status: self.status) }
    return self.reply
  }
}
