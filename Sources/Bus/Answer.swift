public import KithMessages

/// A reply with what travels beside it.
public struct Answer<Reply: Sendable>: Sendable {
  /// What the method answered.
  public var reply: Reply
  /// Bulk bytes that belong to the reply.
  public var attachments: [[UInt8]]
  /// The positions of the streams after the command's own events: wait for these to read your own writes.
  public var effects: [StreamPosition]
  /// Whether the answer is the remembered one of an earlier call with the same key.
  public var isReplayed: Bool

  /// Makes an answer.
  public init(
    _ reply: Reply, attachments: [[UInt8]] = [], effects: [StreamPosition] = [], isReplayed: Bool = false
  ) {
    self.reply = reply
    self.attachments = attachments
    self.effects = effects
    self.isReplayed = isReplayed
  }
}
