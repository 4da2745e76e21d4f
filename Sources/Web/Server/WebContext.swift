internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import WebRules

/// What belongs to a request beside the request: its connection, or its stream of HTTP/2.
struct WebContext: InitializableFromSource {
  let channel: any Channel

  init(source: ApplicationRequestContextSource) { self.channel = source.channel }

  /// The longest wait for a peer to take what it was sent.
  private static let patience = TimeAmount.seconds(30)

  /// Writes to the peer, and ends the connection if the peer takes too long.
  ///
  /// Runs where Hummingbird calls the body, because its writer must not be sent to another isolation.
  @concurrent
  func write(_ bytes: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
    let channel = self.channel
    let alarm = channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
    defer { alarm.cancel() }
    try await writer.write(bytes)
  }

  /// Ends the connection in a moment, and says so: a peer that is still sending what nobody reads has time to read the answer, and
  /// sends its next request over another connection.
  func closeSoon(_ response: inout Response) {
    let channel = self.channel
    // A stream of HTTP/2 has the connection as its parent, and ends without its neighbours.
    if channel.parent?.parent == nil { response.headers[.connection] = "close" }
    channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
  }
}

extension RequestHead {
  /// Reads what a request says before its body.
  init(_ request: Request, _ context: WebContext) {
    self.init(
      verb: request.method.rawValue, target: request.head.path ?? "",
      authority: request.head.authority ?? "", peer: context.channel.remoteAddress?.ipAddress ?? "")
    for field in request.headers { self.fields[field.name.canonicalName, default: []].append(field.value) }
  }

  /// Whether a body follows that is not small.
  var hasLargeBody: Bool {
    if self.fields["transfer-encoding"] != nil { return true }
    return (self.field("content-length").flatMap(Int.init) ?? 0) > 64 << 10
  }
}
