internal import Hummingbird
internal import NIOCore
internal import WebRules

/// What belongs to a request beside the request: its connection, or its stream of HTTP/2.
struct WebContext: InitializableFromSource {
  let channel: any Channel

  init(source: ApplicationRequestContextSource) { self.channel = source.channel }

  /// Runs work that waits for the peer, and ends the connection if the peer takes too long.
  func within<Result>(_ limit: TimeAmount, _ work: () async throws -> Result) async rethrows -> Result {
    let channel = self.channel
    let alarm = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    defer { alarm.cancel() }
    return try await work()
  }

  /// Ends the connection in a moment: a peer that is still sending what nobody reads has time to read the answer.
  func closeSoon() {
    let channel = self.channel
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
