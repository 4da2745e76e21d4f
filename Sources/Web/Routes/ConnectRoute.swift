internal import Bus
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KithClient
internal import KithMessages
internal import NIOCore
internal import SwiftProtobuf
internal import WebRules

/// Calls the methods of the hub by the unary protocol of Connect, for any of them: `POST /kith.v1.Care/List`.
struct ConnectRoute: Sendable {
  /// The most bytes of a command.
  private static let largestBody = 256 << 10
  private static let accepted = "application/json, application/proto"

  let parts: DoorParts

  /// Answers a call.
  func answer(
    _ method: Method, _ request: Request, _ head: RequestHead, _ admitted: Admission.Admitted, _ hold: Hold?,
    _ context: WebContext
  ) async throws(Refusal) -> Response {
    if let version = head.field("connect-protocol-version"), version != "1" {
      throw Refusal(400, .invalid(field: "Connect-Protocol-Version", "has to be 1."))
    }
    var command =
      head.verb == "GET"
      ? try Self.command(method, head.query) : try await Self.command(method, request, head, context)
    command.token = admitted.credential?.token ?? ""
    if let timeout = try TimeLimit.of(head) { command.timeout = timeout }
    if let key = head.field("idempotency-key") { command.idempotencyKey = try IdempotencyKey(key).text }
    if head.verb == "POST", head.field("accept") == Self.lines { return self.follow(command, admitted, hold) }
    let answer: ForwardedAnswer
    do throws(Failure) {
      answer = try await self.parts.link.forward(command)
    } catch {
      throw self.parts.refusal(error, admitted)
    }
    guard answer.status.code == .ok else { throw self.parts.refusal(Failure(status: answer.status), admitted) }
    var response = Response.bytes(answer.body, command.encoding.mediaType)
    if answer.isReplayed { response.set("Kith-Replayed", "true") }
    if let first = answer.effects.first {
      let positions = Dictionary(answer.effects.map { ($0.stream, $0.seq) }, uniquingKeysWith: max)
      response.set("Kith-Effects", EventVector(epoch: first.epoch, positions: positions).text)
    }
    return response
  }

  private static func command(
    _ method: Method, _ request: Request, _ head: RequestHead, _ context: WebContext
  ) async throws(Refusal) -> ForwardedCommand {
    let type = try ContentType.check(head, Self.accepted) { $0 == .json || $0 == .proto }
    let body = try await BodyReader.collect(request, head, context, limit: Self.largestBody)
    return ForwardedCommand(method: method, encoding: type == .json ? .json : .pb, body: body)
  }

  /// A call by a link: the message is a parameter.
  private static func command(_ method: Method, _ query: Query) throws(Refusal) -> ForwardedCommand {
    guard query["compression"] ?? "" == "", query["connect"].map({ $0 == "v1" }) ?? true else {
      throw Refusal(400, .invalid(field: "query", "connect has to be v1, without compression."))
    }
    let encoding: Encoding
    switch query["encoding"] ?? "json" {
    case "json": encoding = .json
    case "proto": encoding = .pb
    default: throw Refusal(415, .invalid(field: "encoding", "has to be json or proto."))
    }
    let message = query["message"] ?? ""
    guard query["base64"] == "1" else {
      return ForwardedCommand(method: method, encoding: encoding, body: Array(message.utf8))
    }
    let plain = message.map { $0 == "-" ? "+" : $0 == "_" ? "/" : String($0) }.joined()
    let padded = plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    guard let body = Data(base64Encoded: plain.contains("=") ? plain : padded) else {
      throw Refusal(400, .invalid(field: "message", "is not base64."))
    }
    return ForwardedCommand(method: method, encoding: encoding, body: Array(body))
  }

  // MARK: - Progress

  static let lines = "application/x-ndjson"

  /// Answers in lines of JSON: the progress of a long command, then its result or its error.
  private func follow(_ command: ForwardedCommand, _ admitted: Admission.Admitted, _ hold: Hold?) -> Response {
    let (steps, step) = AsyncStream<KithMessages.Progress>.makeStream(bufferingPolicy: .bufferingNewest(8))
    var command = command
    command.encoding = .json
    command.progress = { step.yield($0) }
    let body = ResponseBody { [command] writer in
      // Not a child: a reader that goes away must not cancel the command, which others may have joined by its key.
      let outcome = Task { await self.run(command, admitted, then: step) }
      for await progress in steps {
        guard let json = try? progress.jsonString() else { continue }
        try await writer.write(ByteBuffer(string: "{\"progress\":\(json)}\n"))
      }
      let last = await outcome.value
      withExtendedLifetime(hold) {}
      try await writer.write(ByteBuffer(string: last))
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: Self.lines], body: body)
  }

  /// Runs a command and returns its last line.
  private func run(
    _ command: ForwardedCommand, _ admitted: Admission.Admitted,
    then step: AsyncStream<KithMessages.Progress>.Continuation
  ) async -> String {
    defer { step.finish() }
    do throws(Failure) {
      let answer = try await self.parts.link.forward(command)
      guard answer.status.code == .ok else { throw Failure(status: answer.status) }
      let json = String(decoding: answer.body, as: UTF8.self)
      return "{\"result\":\(json.isEmpty ? "{}" : json)}\n"
    } catch {
      return "{\"error\":\(self.parts.refusal(error, admitted).json)}\n"
    }
  }
}

extension Encoding {
  /// The media type of Connect.
  fileprivate var mediaType: String { self == .json ? "application/json" : "application/proto" }
}
