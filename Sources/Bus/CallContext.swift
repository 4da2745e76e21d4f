internal import EventLoop
public import KithMessages
internal import SwiftProtobuf

/// What accompanies a command: its id, timeout, principal, attachments and progress handler.
///
/// ```swift
/// let context = CallContext(timeout: .seconds(30)) { progress in print(progress.stage) }
/// let answer = try await port.call(SyncRequest(), context)
/// ```
public struct CallContext: Sendable {
  /// Identifies this call; the same on every retry. 1-64 bytes.
  public var requestID: String
  /// The key under which the hub stores the answer of a mutating command; empty = ``requestID``. At most 64 bytes.
  public var idempotencyKey: String
  /// The caller. A port to another process ignores this: the hub authenticates its peers.
  public var principal: Principal
  /// The token of the device that the hub runs the command as; empty = the client itself. Only a port to another process uses it.
  public var token = ""
  /// How long the caller waits; nil = the method's default timeout.
  public var timeout: Duration?
  /// Called with the progress of a long command, on any thread.
  public var progress: (@Sendable (Progress) -> Void)?
  /// Bytes beside the request, such as a piece of a blob.
  public var attachments: [[UInt8]]
  /// The checkpoints of the previous attempt and of this one, for a command that answers in batches.
  public var checkpoint = Checkpoint()
  /// The durable identity of a mutating command, set by the ``Router``.
  package var ticket: CommandTicket?
  /// The command's place in the order of its connection; nil = it waits for no other command.
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

  /// Lets later commands of the connection start, because this handler now waits for something outside the hub.
  public func letOthersStart() { self.turn?.end() }

  /// Reports the current step, without a fraction.
  ///
  /// - Parameters:
  ///   - stage: A word for programs.
  ///   - note: For people.
  ///   - eta: When it is expected to end; nil if that is not known. In whole seconds, rounded up.
  public func report(stage: String, note: String = "", eta: Duration? = nil) {
    guard let progress else { return }
    var report = Progress()
    report.stage = stage
    report.note = note
    if let (seconds, rest) = eta?.components { report.eta.seconds = seconds + (rest > 0 ? 1 : 0) }
    progress(report)
  }

  /// The key under which the hub stores the answer.
  public var effectiveKey: String { self.idempotencyKey.isEmpty ? self.requestID : self.idempotencyKey }
}

/// From where the next attempt of a service that answers in batches continues if the worker is lost.
///
/// A service sets a checkpoint before each batch, of at most 2 KiB. Without checkpoints its caller starts it again from
/// the beginning.
///
/// ```swift
/// let start = context.checkpoint.resumed.first ?? 0
/// context.checkpoint.set([start + 1])  // then yield the batch
/// ```
public final class Checkpoint: Sendable {
  /// The checkpoint of the previous attempt; empty = start from the beginning.
  public let resumed: [UInt8]
  private let next = Lock<[UInt8]>([])

  /// Makes one.
  public init(resumed: [UInt8] = []) { self.resumed = resumed }

  /// Sets the checkpoint that is stored with the next batch.
  public func set(_ bytes: [UInt8]) { self.next.withLock { $0 = bytes } }

  /// The last checkpoint that was set.
  package var current: [UInt8] { self.next.withLock { $0 } }
}
