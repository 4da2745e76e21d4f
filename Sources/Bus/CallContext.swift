internal import EventLoop
public import KithMessages

/// What travels beside a command: its identity, its time, who asks, and where progress goes.
public struct CallContext: Sendable {
  /// Identifies this call; the same on every resend. 1-64 bytes.
  public var requestID: String
  /// Under which the answer of a mutating command is remembered; empty = ``requestID``. At most 64 bytes.
  public var idempotencyKey: String
  /// Who asks. A port to another process leaves this to the hub, which knows its peers.
  public var principal: Principal
  /// How long the caller waits; nil = the method's own time-out.
  public var timeout: Duration?
  /// Called with what a long command reports; any thread.
  public var progress: (@Sendable (Progress) -> Void)?
  /// Bulk bytes that belong to the request, such as a piece of a blob.
  public var attachments: [[UInt8]]
  /// Where an earlier attempt at a command in batches came to, and how far this one is.
  public var checkpoint = Checkpoint()
  /// The durable identity of a mutating command, set by the ``Router``.
  package var ticket: CommandTicket?
  /// The command's place among those of its connection; nil = it waits for none.
  package var turn: CommandTurn?

  /// Makes a context.
  public init(
    requestID: String = UUIDv7.make().text, idempotencyKey: String = "", principal: Principal = .hub,
    timeout: Duration? = nil, attachments: [[UInt8]] = [], progress: (@Sendable (Progress) -> Void)? = nil
  ) {
    self.requestID = requestID
    self.idempotencyKey = idempotencyKey
    self.principal = principal
    self.timeout = timeout
    self.attachments = attachments
    self.progress = progress
  }

  /// Lets later commands of the connection start, for a handler that now waits for something outside the hub.
  public func letOthersStart() { self.turn?.end() }

  /// Says what is being done, where it cannot be said how far it is.
  ///
  /// - Parameters:
  ///   - stage: A word for programs.
  ///   - note: For people.
  public func report(stage: String, note: String = "") {
    guard let progress else { return }
    var report = Progress()
    report.stage = stage
    report.note = note
    progress(report)
  }

  /// The key under which the answer is remembered.
  public var effectiveKey: String { self.idempotencyKey.isEmpty ? self.requestID : self.idempotencyKey }
}

/// Where a service that answers in batches can go on, if the process that runs it is lost.
///
/// A service says before each batch what its successor has to know after it; at most 2 KiB. One that says nothing is begun
/// again from the start by whoever called it.
public final class Checkpoint: Sendable {
  /// What the attempt before has left; empty = begin at the start.
  public let resumed: [UInt8]
  private let next = Lock<[UInt8]>([])

  /// Makes one.
  public init(resumed: [UInt8] = []) { self.resumed = resumed }

  /// Says what a successor has to know once the next batch is stored.
  public func set(_ bytes: [UInt8]) { self.next.withLock { $0 = bytes } }

  /// What was said last.
  package var current: [UInt8] { self.next.withLock { $0 } }
}
