internal import Bus
internal import KithMessages

/// Messages of workers that wait to be read beside the loop: a batch or a reply may have 16 MiB of JSON, and handshakes,
/// commands and events would wait for it.
///
/// A pure value. One message is read at a time, so at most one long body is held beside those of ``Uploads``. Later
/// messages of its worker wait behind it where their order counts; those of other workers pass, unless they are long.
struct UnreadMessages {
  /// What becomes of a message that comes.
  enum Place: Hashable {
    /// It is taken in now.
    case none
    /// It is to be read now, beside the loop.
    case first
    /// It waits.
    case later
    /// There is no room. Its worker sends it again.
    case dropped
  }

  struct Message: Sendable {
    let frame: WorkFrame
    let peer: [UInt8]
    let bytes: Int
  }

  struct Limits: Sendable {
    /// Bytes that are read on the loop: JSON of so many takes less than a millisecond.
    var atOnce = 4 << 10
    /// Bytes of bodies in frames that wait, of all workers.
    var bytes = 16 << 20
    /// Of one worker: 16 jobs have two batches and an end each.
    var messages = 64
  }

  private let limits: Limits
  private var messages: [Message] = []

  init(limits: Limits = Limits()) { self.limits = limits }

  /// Gives a message its place.
  mutating func enter(_ frame: WorkFrame, from peer: [UInt8]) -> Place {
    let (bytes, isElsewhere) = Self.size(frame.message)
    let before = self.messages.count { $0.peer == peer }
    guard isElsewhere || bytes > self.limits.atOnce || before > 0 else { return .none }
    let held = self.messages.reduce(0) { $0 + $1.bytes }
    guard before < self.limits.messages, held + bytes <= self.limits.bytes else { return .dropped }
    self.messages.append(Message(frame: frame, peer: peer, bytes: bytes))
    return self.messages.count == 1 ? .first : .later
  }

  /// The message that is being read.
  var first: Message? { self.messages.first }

  /// The first one was taken in.
  mutating func removeFirst() { self.messages.removeFirst() }

  /// The bytes of a body, and whether it came in chunks before its message.
  private static func size(_ message: WorkMessage) -> (bytes: Int, isElsewhere: Bool) {
    switch message {
    case .partial(let partial, let body): (body.count, !partial.outputs.isEmpty)
    case .final(let result, let body): (body.count, !result.outputs.isEmpty)
    default: (0, false)
    }
  }
}
