import Bus
import BusZeroMQ
import KithMessages
import SwiftProtobuf
import Testing

/// The valid frames that the tests change.
private func ping(_ encoding: Encoding, attachments: [[UInt8]] = []) throws -> RequestFrame {
  var header = RequestHeader()
  header.requestID = "r-1"
  header.wantProgress = true
  var command = PingRequest()
  command.echo.append(contentsOf: [1, 2, 3])
  return RequestFrame(
    service: "kith.v1.System/Ping", encoding: encoding, header: header, body: try encoding.encode(command),
    attachments: attachments)
}

private func rejection<Frame>(_ outcome: FrameOutcome<Frame>) -> FrameRejection? {
  if case .rejected(let rejection) = outcome { rejection } else { nil }
}

@Suite("Control frames")
struct ControlFrameTests {
  @Test("A request survives the way over the wire", arguments: [Encoding.pb, .json])
  func requestRoundTrip(encoding: Encoding) throws {
    let request = try ping(encoding, attachments: [[9], []])
    let frames = try request.encoded()
    #expect(frames.count == 8)
    #expect(frames[0] == Array("KTHC01".utf8))
    #expect(frames[1] == [1])
    #expect(frames[3] == Array(encoding.rawValue.utf8))
    guard case .accepted(let read) = RequestFrame.decode(frames) else {
      Issue.record("not accepted")
      return
    }
    #expect(read == request)
  }

  @Test("A reply survives the way over the wire", arguments: [Encoding.pb, .json], [true, false])
  func replyRoundTrip(encoding: Encoding, isFinal: Bool) throws {
    var header = ReplyHeader()
    header.requestID = "r-1"
    header.replayed = true
    let reply = ReplyFrame(
      isFinal: isFinal, service: "kith.v1.System/Ping", encoding: encoding, header: header, body: [1],
      attachments: [[2, 3]])
    let frames = try reply.encoded()
    #expect(frames[1] == [isFinal ? 3 : 2])
    guard case .accepted(let read) = ReplyFrame.decode(frames) else {
      Issue.record("not accepted")
      return
    }
    #expect(read == reply)
  }

  @Test("What a script writes by hand is read, unknown fields and snake case included")
  func handwrittenJSON() throws {
    let frames = ["KTHC01", "\u{1}", "kith.v1.System/Ping", "json", #"{"request_id":"a","later":1}"#, ""].map {
      Array($0.utf8)
    }
    guard case .accepted(let read) = RequestFrame.decode(frames) else {
      Issue.record("not accepted")
      return
    }
    #expect(read.header.requestID == "a")
    #expect(read.body.isEmpty)
  }

  @Test(
    "Messages of nobody known are dropped",
    arguments: [[], [""], ["HELLO"], ["KTHE01", "x", "x", "x", "x", "x"], ["KTHC1"], ["KTHC012"]] as [[String]])
  func foreign(texts: [String]) {
    guard case .foreign = RequestFrame.decode(texts.map { Array($0.utf8) }) else {
      Issue.record("not foreign")
      return
    }
  }

  @Test("Another major version is answered in JSON with the versions that are spoken")
  func wrongMajor() throws {
    let refused = try #require(rejection(RequestFrame.decode([Array("KTHC02".utf8), [1]])))
    #expect(refused.cause == .wrongMajor)
    let answer = refused.answer
    #expect(answer.encoding == .json)
    #expect(answer.header.status.reason == "VERSION_UNSUPPORTED")
    #expect(answer.header.status.details["versions"] == "KTHC01")
    #expect(try answer.encoded()[3] == Array("json".utf8))
  }

  @Test("A client learns from a newer hub's answer which call it belongs to")
  func wrongMajorReply() throws {
    var frames = try ReplyFrame.final(
      failure: Failure(.unimplemented, "VERSION_UNSUPPORTED", "no"), to: "r-1", service: "", encoding: .json
    ).encoded()
    frames[0] = Array("KTHC02".utf8)
    let refused = try #require(rejection(ReplyFrame.decode(frames)))
    #expect(refused.cause == .wrongMajor)
    #expect(refused.requestID == "r-1")
  }

  @Test("Each fault has its cause and reason, and the answer goes to the right call")
  func faults() throws {
    func check(
      _ cause: FrameRejection.Cause, _ reason: String, requestID: String = "",
      _ change: (inout [[UInt8]]) -> Void, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
      var frames = try ping(.pb).encoded()
      change(&frames)
      let refused = try #require(rejection(RequestFrame.decode(frames)), sourceLocation: sourceLocation)
      #expect(refused.cause == cause, sourceLocation: sourceLocation)
      #expect(refused.failure.reason == reason, sourceLocation: sourceLocation)
      #expect(refused.requestID == requestID, sourceLocation: sourceLocation)
    }
    try check(.malformed, "MALFORMED") { $0.removeLast() }
    try check(.malformed, "CONTENT_TYPE_UNSUPPORTED") { $0[3] = Array("xml".utf8) }
    try check(.malformed, "MALFORMED", requestID: "r-1") { $0[2] = [0xFF] }
    try check(.malformed, "KIND_UNKNOWN", requestID: "r-1") { $0[1] = [9] }
    try check(.malformed, "KIND_UNKNOWN", requestID: "r-1") { $0[1] = [1, 1] }
    try check(.malformed, "KIND_UNKNOWN") { $0[1] = [3] }
    try check(.malformed, "MALFORMED") { $0[4] = [0xFF, 0xFF] }
    try check(.malformed, "REQUEST_ID_MISSING") { $0[4] = [] }
    try check(.oversize, "BODY_TOO_LARGE", requestID: "r-1") { $0[5] = .init(repeating: 0, count: WireLimits.body + 1) }
    try check(.oversize, "BODY_TOO_LARGE") { $0[4] = .init(repeating: 0, count: WireLimits.header + 1) }
    try check(.oversize, "BODY_TOO_LARGE", requestID: "r-1") { $0 += Array(repeating: [], count: 5) }
    try check(.oversize, "BODY_TOO_LARGE", requestID: "r-1") {
      $0.append(.init(repeating: 0, count: WireLimits.acceptedAttachment + 1))
    }
  }

  @Test("A deadline that is no time is named")
  func deadline() throws {
    var frames = try ping(.pb).encoded()
    var header = RequestHeader()
    header.requestID = "r-1"
    header.deadline.seconds = 253_402_300_800
    frames[4] = try header.serializedBytes()
    let refused = try #require(rejection(RequestFrame.decode(frames)))
    #expect(refused.failure.reason == "FIELD_INVALID" && refused.requestID == "r-1")
    #expect(refused.failure.status.details.keys.contains("deadline"))
    frames = try ping(.json).encoded()
    frames[4] = Array(#"{"requestId":"r-1","deadline":"tomorrow"}"#.utf8)
    let unread = try #require(rejection(RequestFrame.decode(frames)))
    #expect(unread.failure.reason == "MALFORMED" && unread.failure.message.contains("deadline"))
  }

  @Test("The limits themselves are inside")
  func limits() throws {
    var request = try ping(
      .pb, attachments: Array(repeating: .init(repeating: 7, count: WireLimits.attachment), count: 4))
    request.body = .init(repeating: 0, count: WireLimits.body)
    request.header.requestID = String(repeating: "x", count: WireLimits.requestID)
    guard case .accepted(let read) = RequestFrame.decode(try request.encoded()) else {
      Issue.record("not accepted")
      return
    }
    #expect(read == request)
    request.attachments[0].append(7)
    #expect { try request.encoded() } throws: { ($0 as? Failure)?.reason == "BODY_TOO_LARGE" }
    request.attachments[0] = []
    request.header.requestID += "x"
    #expect(rejection(RequestFrame.decode(try request.encoded()))?.failure.reason == "REQUEST_ID_TOO_LONG")
  }

  /// The store would confuse ids that differ only after a NUL.
  @Test("An id with a NUL is refused", arguments: ["request_id", "idempotency_key"])
  func nul(field: String) throws {
    var request = RequestFrame(service: "kith.v1.System/Ping", header: RequestHeader(), body: [], attachments: [])
    request.header.requestID = field == "request_id" ? "a\0b" : "a"
    if field == "idempotency_key" { request.header.idempotencyKey = "a\0b" }
    let failure = rejection(RequestFrame.decode(try request.encoded()))?.failure
    #expect(failure?.reason == "FIELD_INVALID" && failure?.message.hasPrefix("\(field): ") == true)
  }
}
