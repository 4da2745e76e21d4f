internal import Bus
internal import HTTPTypes
internal import Hummingbird
internal import KithMessages
internal import NIOCore
internal import WebRules

/// `/blobs/SHA256`: reads and writes bytes by their digest.
struct BlobRoute: Sendable {
  /// The most bytes that are taken.
  static let largest = 32 << 20

  let parts: DoorParts

  /// Answers a request for a blob.
  func answer(
    _ name: String, _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ hold: Hold?,
    _ context: WebContext
  ) async throws(Refusal) -> Response {
    do throws(Failure) {
      return head.verb == "PUT"
        ? try await self.put(name, request, head, admitted, context)
        : try await self.get(name, head, admitted, hold)
    } catch {
      guard error.reason == "BLOB_MISSING" else { throw self.parts.refusal(error, admitted) }
      throw Refusal(404, error)
    }
  }

  // MARK: - Reading

  private func get(
    _ name: String, _ head: RequestHead, _ admitted: Admission.Admitted, _ hold: Hold?
  ) async throws(Failure) -> Response {
    let token = admitted.credential?.token ?? ""
    let tag = "\"\(name)\""
    // The first bytes tell the type and the size, and are often all.
    let first = try await self.piece(name, at: 0, length: head.field("range") == nil ? 0 : 64, token)
    var headers: HTTPFields = [
      .contentType: MediaType.of(Array(first.bytes.prefix(16))), .eTag: tag, .acceptRanges: "bytes",
      // A file to take away, such as a backup, is not kept in the browser as well.
      .cacheControl: head.query["file"] == nil ? "private, max-age=31536000, immutable" : "no-store",
      // Whatever it is, nothing in it runs.
      .contentSecurityPolicy: "default-src 'none'; sandbox",
    ]
    guard !head.hasKnown(tag) else { return Response(status: .notModified, headers: headers) }
    let isSame = head.field("if-range").map { $0 == tag } ?? true
    let range: Range<UInt64>?
    do throws(Refusal) {
      range = try ByteRange.of(isSame ? head.field("range") : nil, size: first.size)
    } catch {
      return .refusal(error, to: head)
    }
    if let range { headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(first.size)" }
    let part = range ?? 0..<first.size
    let body = ResponseBody(contentLength: Int(part.count)) { writer in
      var offset = part.lowerBound
      if offset == 0, !first.bytes.isEmpty {
        let bytes = first.bytes.prefix(Int(part.upperBound))
        try await writer.write(parts: ByteBuffer(bytes: bytes))
        offset = UInt64(bytes.count)
      }
      while offset < part.upperBound {
        let length = UInt32(min(part.upperBound - offset, 256 << 10))
        let next = try await self.piece(name, at: offset, length: length, token)
        guard !next.bytes.isEmpty else { throw Failure.bug("a blob that ends early") }
        try await writer.write(parts: ByteBuffer(bytes: next.bytes))
        offset += UInt64(next.bytes.count)
      }
      withExtendedLifetime(hold) {}
      try await writer.finish(nil)
    }
    return Response(status: range == nil ? .ok : .partialContent, headers: headers, body: body)
  }

  private func piece(
    _ name: String, at offset: UInt64, length: UInt32, _ token: String
  ) async throws(Failure) -> (bytes: [UInt8], size: UInt64) {
    var request = BlobGetRequest()
    request.sha256 = name
    request.offset = offset
    request.length = length
    let answer = try await self.parts.link.call(request, token: token)
    return (answer.attachments.first ?? [], answer.reply.size)
  }

  // MARK: - Writing

  private func put(
    _ name: String, _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ context: WebContext
  ) async throws(Failure) -> Response {
    let token = admitted.credential?.token ?? ""
    do throws(Refusal) {
      guard let size = head.field("content-length").flatMap(UInt64.init) else {
        throw Refusal(411, Failure(.invalidArgument, "LENGTH_MISSING", "Say the size of the blob in Content-Length."))
      }
      var reader = try BodyReader(request, head, context, limit: Self.largest)
      var open = BlobOpenRequest()
      open.blob.sha256 = name
      open.blob.size = size
      open.blob.mediaType = head.field("content-type") ?? ""
      let opened = try await self.send(open, token, admitted)
      guard !opened.complete else {
        var response = Response(status: .ok, headers: [.eTag: "\"\(name)\""])
        if head.hasLargeBody { context.closeSoon(&response) }
        return response
      }
      var cutter = PieceCutter(size: max(1, min(Int(opened.chunk), 256 << 10)))
      while let bytes = try await reader.next() {
        for piece in cutter.take(bytes) {
          try await self.send(piece, from: opened.nextOffset, of: name, token, admitted)
        }
      }
      if let piece = cutter.rest { try await self.send(piece, from: opened.nextOffset, of: name, token, admitted) }
      // An empty piece ends the blob.
      try await self.send((cutter.count, []), from: 0, of: name, token, admitted)
      return Response(status: .created, headers: [.eTag: "\"\(name)\""])
    } catch {
      var response = Response.refusal(error, to: head)
      if head.hasLargeBody { context.closeSoon(&response) }
      return response
    }
  }

  /// Sends a piece, or the part of it that the hub has not got yet.
  private func send(
    _ piece: PieceCutter.Piece, from start: UInt64, of name: String, _ token: String, _ admitted: Admission.Admitted
  ) async throws(Refusal) {
    let known = Int(min(UInt64(piece.bytes.count), start > piece.offset ? start - piece.offset : 0))
    guard known < piece.bytes.count || piece.bytes.isEmpty else { return }
    var request = BlobPutRequest()
    request.sha256 = name
    request.offset = piece.offset + UInt64(known)
    let bytes = Array(piece.bytes.dropFirst(known))
    _ = try await self.send(request, token, admitted, attachments: bytes.isEmpty ? [] : [bytes])
  }

  private func send<C: Command>(
    _ command: C, _ token: String, _ admitted: Admission.Admitted, attachments: [[UInt8]] = []
  ) async throws(Refusal) -> C.Reply {
    do throws(Failure) {
      return try await self.parts.link.call(command, token: token, attachments: attachments).reply
    } catch {
      throw self.parts.refusal(error, admitted)
    }
  }
}
