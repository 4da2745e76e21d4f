internal import Bus
public import KithMessages
internal import SwiftProtobuf

/// Converts the messages of a placeable method for workers that use JSON. Jobs are stored in protobuf.
///
/// ```swift
/// let codecs = [JobCodec(TranscribeRequest.self, isAskedAgain: true)]
/// ```
public struct JobCodec: Sendable {
  /// The method.
  public let method: Method
  /// Whether the caller returns with the same key while the job is dead, so that a person may retry the job. Other callers
  /// start a new job instead, and a retried job would run beside it.
  public let isAskedAgain: Bool
  let command: @Sendable (_ protobuf: [UInt8]) throws(Failure) -> [UInt8]
  let reply: @Sendable ([UInt8], Encoding) throws(Failure) -> [UInt8]
  let batch: (@Sendable ([UInt8], Encoding) throws(Failure) -> [UInt8])?

  /// Makes the codec of a method that answers once.
  public init<C: Command>(_ type: C.Type, isAskedAgain: Bool = false) {
    self.method = C.method
    self.isAskedAgain = isAskedAgain
    self.command = Self.json(C.self)
    self.reply = Self.protobuf(C.Reply.self)
    self.batch = nil
  }

  /// Makes the codec of a method that answers in batches.
  public init<C: BatchCommand>(inBatches type: C.Type) {
    self.method = C.method
    self.isAskedAgain = false
    self.command = Self.json(C.self)
    self.reply = Self.protobuf(C.Reply.self)
    let inProtobuf = Self.protobuf(C.Batch.self)
    // Decoded by the call that stores it and not on the event loop, because it may have many MiB.
    self.batch = { bytes, encoding throws(Failure) in encoding == .pb ? bytes : try inProtobuf(bytes, encoding) }
  }

  private static func json<M: SwiftProtobuf.Message>(
    _ type: M.Type
  ) -> @Sendable ([UInt8]) throws(Failure) -> [UInt8] {
    { bytes throws(Failure) in try Encoding.json.encode(try Encoding.pb.decode(M.self, from: bytes)) }
  }

  /// Decodes both encodings, so that no malformed message is stored.
  private static func protobuf<M: SwiftProtobuf.Message>(
    _ type: M.Type
  ) -> @Sendable ([UInt8], Encoding) throws(Failure) -> [UInt8] {
    { bytes, encoding throws(Failure) in
      let message = try encoding.decode(M.self, from: bytes)
      return encoding == .pb ? bytes : try Encoding.pb.encode(message)
    }
  }
}
