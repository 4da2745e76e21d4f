internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import WebRules

/// What belongs to a request beside the request: its connection, or its stream of HTTP/2.
struct WebContext: InitializableFromSource {
  let channel: any Channel

  init(source: ApplicationRequestContextSource) { self.channel = source.channel }

  /// Says that the connection ends with this answer. A stream of HTTP/2 ends without its neighbours.
  func announceEnd(in response: inout Response) {
    if !self.channel.isStream { response.headers[.connection] = "close" }
  }

  /// Ends the connection in a moment, and says so: a peer that is still sending what nobody reads has time to read the answer, and
  /// sends its next request over another connection.
  func closeSoon(_ response: inout Response) {
    let channel = self.channel
    self.announceEnd(in: &response)
    channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
  }
}

extension Channel {
  /// Whether it is a stream of HTTP/2, whose parent is its connection.
  var isStream: Bool { self.parent?.parent != nil }
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
