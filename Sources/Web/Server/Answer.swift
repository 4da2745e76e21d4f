internal import Bus
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Pages
internal import WebRules

/// Makes the answers that all routes give.
extension Response {
  /// An answer of bytes. One of some size is written in parts, each within a time.
  static func bytes(
    _ bytes: some Collection<UInt8> & Sendable, _ type: String, status: HTTPResponse.Status = .ok, _ context: WebContext
  ) -> Response {
    let buffer = ByteBuffer(bytes: bytes)
    let body = buffer.readableBytes <= 16 << 10 ? ResponseBody(byteBuffer: buffer) : .paced(buffer, context)
    return Response(status: status, headers: [.contentType: type], body: body)
  }

  /// A page.
  static func page(_ html: HTML, status: HTTPResponse.Status = .ok, _ context: WebContext) -> Response {
    .bytes(Array(html.text.utf8), "text/html; charset=utf-8", status: status, context)
  }

  /// An error.
  static func refusal(_ refusal: Refusal, _ context: WebContext) -> Response {
    var response = Response.bytes(
      refusal.body, "application/json", status: HTTPResponse.Status(code: refusal.status), context)
    for (name, value) in refusal.fields { response.set(name, value) }
    return response
  }

  /// Sets a field by a name that is known to be one.
  mutating func set(_ name: String, _ value: String) {
    guard let name = HTTPField.Name(name) else { return }
    self.headers[name] = value
  }

  /// Adds a cookie.
  mutating func setCookie(_ value: String) { self.headers.append(HTTPField(name: .setCookie, value: value)) }
}

extension ResponseBody {
  /// A body that is written in parts of 64 KiB; a peer that does not take one in time is cut off.
  static func paced(_ buffer: ByteBuffer, _ context: WebContext) -> ResponseBody {
    ResponseBody(contentLength: buffer.readableBytes) { writer in
      var rest = buffer
      while let part = rest.readSlice(length: min(64 << 10, rest.readableBytes)), part.readableBytes > 0 {
        try await context.write(part, to: &writer)
      }
      try await writer.finish(nil)
    }
  }
}
