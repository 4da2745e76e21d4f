internal import Bus
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Pages
internal import WebRules

/// Makes the answers that all routes give.
extension Response {
  /// The most bytes that are written at once.
  fileprivate static let part = 64 << 10

  /// An answer of bytes.
  static func bytes(_ bytes: some Collection<UInt8>, _ type: String, status: HTTPResponse.Status = .ok) -> Response {
    .bytes(ByteBuffer(bytes: bytes), type, status: status)
  }

  /// An answer of bytes that others may share.
  static func bytes(_ bytes: ByteBuffer, _ type: String, status: HTTPResponse.Status = .ok) -> Response {
    // Together with the head, or in parts.
    let body =
      bytes.readableBytes <= Self.part
      ? ResponseBody(byteBuffer: bytes)
      : ResponseBody(contentLength: bytes.readableBytes) { writer in
        try await writer.write(parts: bytes)
        try await writer.finish(nil)
      }
    return Response(status: status, headers: [.contentType: type], body: body)
  }

  /// A page.
  static func page(_ html: HTML, status: HTTPResponse.Status = .ok) -> Response {
    .bytes(html.text.utf8, "text/html; charset=utf-8", status: status)
  }

  /// An error, with its sentence in the language that the request asks for.
  static func refusal(_ refusal: Refusal, to head: RequestHead) -> Response {
    let refusal = refusal.read(in: head.language)
    var response = Response.bytes(refusal.body, "application/json", status: HTTPResponse.Status(code: refusal.status))
    for (name, value) in refusal.fields { response.set(name, value) }
    response.set("Vary", "Accept-Language")
    return response
  }

  /// Sets a field by a name that is known to be one.
  mutating func set(_ name: String, _ value: String) {
    guard let name = HTTPField.Name(name) else { return }
    self.headers[name] = value
  }

  /// Tells a browser to delete the pages that it keeps. The device is signed out, or joins again and may have another owner.
  mutating func forgetPages() { self.set("Kith-Forget", "pages") }

  /// Adds a cookie.
  mutating func setCookie(_ value: String) { self.headers.append(HTTPField(name: .setCookie, value: value)) }
}

extension ResponseBodyWriter {
  /// Writes in parts, so that ``StreamAlarm`` sees a slow reader take them.
  ///
  /// Runs where Hummingbird calls the body, because its writer must not be sent to another isolation.
  @concurrent
  mutating func write(parts bytes: ByteBuffer) async throws {
    var rest = bytes
    while rest.readableBytes > 0, let part = rest.readSlice(length: min(Response.part, rest.readableBytes)) {
      try await self.write(part)
    }
  }
}
