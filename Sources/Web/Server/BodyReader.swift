internal import Bus
internal import Hummingbird
internal import KithMessages
internal import NIOCore
internal import WebRules

/// Reads the body of a request, piece by piece, within its limits.
///
/// ```swift
/// var reader = try BodyReader(request, head, context, limit: 256 << 10)
/// while let piece = try await reader.next() { use(piece) }
/// ```
struct BodyReader {
  private var iterator: RequestBody.AsyncIterator
  private var pace: BodyPace
  private let context: WebContext

  /// Begins.
  ///
  /// - Throws: 413 if the request announces more than `limit` bytes.
  init(_ request: Request, _ head: RequestHead, _ context: WebContext, limit: Int) throws(Refusal) {
    self.iterator = request.body.makeAsyncIterator()
    self.pace = try BodyPace(limit: limit, length: try BodyPace.length(of: head, limit: limit), now: .now)
    self.context = context
  }

  /// The next bytes; nil at the end.
  ///
  /// - Throws: 413, 408; 400 if the connection ends first.
  @concurrent mutating func next() async throws(Refusal) -> [UInt8]? {
    let buffer: ByteBuffer?
    do {
      buffer = try await self.part()
    } catch {
      throw Self.cut
    }
    guard let buffer else {
      // HTTP/2 ends the stream of a connection that goes away as if the body were whole.
      guard self.pace.isWhole else { throw Self.cut }
      return nil
    }
    try self.pace.take(buffer.readableBytes, now: .now)
    return Array(buffer.readableBytesView)
  }

  private static let cut = Refusal(
    400, Failure(.cancelled, "BODY_CUT", "The body ended before its end. Send it again."))

  @concurrent private mutating func part() async throws -> ByteBuffer? {
    let limit = TimeAmount.nanoseconds(Int64(BodyPace.silence / .nanoseconds(1)))
    let channel = self.context.channel
    let alarm = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    defer { alarm.cancel() }
    return try await self.iterator.next()
  }

  /// A whole body.
  static func collect(
    _ request: Request, _ head: RequestHead, _ context: WebContext, limit: Int
  ) async throws(Refusal) -> [UInt8] {
    var reader = try BodyReader(request, head, context, limit: limit)
    var body: [UInt8] = []
    while let piece = try await reader.next() { body += piece }
    return body
  }
}
