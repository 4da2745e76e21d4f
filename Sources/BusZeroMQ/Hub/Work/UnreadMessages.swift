internal import Bus
internal import KithMessages

/// Messages of workers that are decoded outside the event loop: a batch or reply may have 16 MiB of JSON, which would
/// delay handshakes, commands and events.
///
/// A pure value. One message is decoded at a time, so at most one long body is held beside those of ``Uploads``. Later
/// messages of the same worker wait behind it if their order matters; those of other workers pass unless they are long.
struct UnreadMessages {
  /// What to do with a message.
  enum Place: Hashable {
    /// Handle it now.
    case none
    /// Decode it now, outside the event loop.
    case first
    /// Queue it.
    case later
    /// Drop it for lack of room; its worker sends it again.
    case dropped
  }

  struct Message: Sendable {
    let frame: WorkFrame
    let peer: [UInt8]
    let bytes: Int
  }

  struct Limits: Sendable {
    /// Bytes that are decoded on the event loop; JSON of this size takes less than a millisecond.
    var atOnce = 4 << 10
    /// Bytes of all waiting bodies in frames.
    var bytes = 16 << 20
    /// Waiting messages of one worker; 16 jobs have two batches and an end each.
    var messages = 64
  }

  private let limits: Limits
  private var messages: [Message] = []

  init(limits: Limits = Limits()) { self.limits = limits }

  /// Decides what to do with a message.
  mutating func enter(_ frame: WorkFrame, from peer: [UInt8]) -> Place {
    let (bytes, isElsewhere) = Self.size(frame.message)
    let before = self.messages.count { $0.peer == peer }
    guard isElsewhere || bytes > self.limits.atOnce || before > 0 else { return .none }
    let held = self.messages.reduce(0) { $0 + $1.bytes }
    guard before < self.limits.messages, held + bytes <= self.limits.bytes else { return .dropped }
    self.messages.append(Message(frame: frame, peer: peer, bytes: bytes))
    return self.messages.count == 1 ? .first : .later
  }

  /// The message that is being decoded.
  var first: Message? { self.messages.first }

  /// Removes the first message, which was handled.
  mutating func removeFirst() { self.messages.removeFirst() }

  /// The size of a body, and whether it was sent in chunks before its message.
  private static func size(_ message: WorkMessage) -> (bytes: Int, isElsewhere: Bool) {
    switch message {
    case .partial(let partial, let body): (body.count, !partial.outputs.isEmpty)
    case .final(let result, let body): (body.count, !result.outputs.isEmpty)
    default: (0, false)
    }
  }
}
