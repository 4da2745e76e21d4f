public import Bus
internal import BusZeroMQ
public import KithMessages

/// An encoded command that a program passes on for a device. See ``KithClient/forward(_:)``.
///
/// ```swift
/// var command = ForwardedCommand(method: Methods.careList, encoding: .json, body: Array("{}".utf8))
/// command.token = "kith_..."
/// let answer = try await client.forward(command)
/// ```
public struct ForwardedCommand: Sendable {
  /// The method.
  public var method: Method
  /// The encoding of the body and of the answer.
  public var encoding: Encoding
  /// The command.
  public var body: [UInt8]
  /// Bytes beside the command, such as a piece of a blob.
  public var attachments: [[UInt8]] = []
  /// The token of the device.
  public var token = ""
  /// Identifies this call; the same on every retry. 1-64 bytes.
  public var requestID = UUIDv7.make().text
  /// The key under which the hub stores the answer of a mutating command; empty = ``requestID``. At most 64 bytes.
  public var idempotencyKey = ""
  /// How long to wait.
  public var timeout: Duration
  /// Called with the progress of a long command, on any thread.
  public var progress: (@Sendable (Progress) -> Void)?

  /// Makes a command that waits for as long as its method does by default.
  public init(method: Method, encoding: Encoding, body: [UInt8]) {
    self.method = method
    self.encoding = encoding
    self.body = body
    self.timeout = .milliseconds(Int64(method.timeoutMilliseconds))
  }

  var request: RequestFrame {
    var header = RequestHeader()
    header.requestID = self.requestID
    header.idempotencyKey = self.idempotencyKey
    header.wantProgress = self.progress != nil
    header.timeoutMs = UInt32(clamping: Int64(self.timeout / .milliseconds(1)))
    header.token = self.token
    return RequestFrame(
      service: self.method.name, encoding: self.encoding, header: header, body: self.body,
      attachments: self.attachments)
  }
}

/// The answer to a ``ForwardedCommand``.
public struct ForwardedAnswer: Sendable {
  /// OK, or why the command failed.
  public let status: Status
  /// The reply in the encoding of the command; empty if it failed.
  public let body: [UInt8]
  /// Bytes beside the reply.
  public let attachments: [[UInt8]]
  /// Whether the answer was stored by an earlier run of the same command.
  public let isReplayed: Bool
  /// The positions of the streams after the command.
  public let effects: [StreamPosition]

  init(_ frame: ReplyFrame) {
    self.status = frame.header.status
    self.body = frame.body
    self.attachments = frame.attachments
    self.isReplayed = frame.header.replayed
    self.effects = frame.header.effects
  }
}
