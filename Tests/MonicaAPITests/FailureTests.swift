import Bus
import KithMessages
import Testing
import Transfer

@testable import MonicaAPI

private let origin: Origin = {
  do { return try WebURL("https://monica.example.org/").origin } catch { preconditionFailure("\(error)") }
}()

struct FailureTests {
  @Test(
    arguments: [
      (.unauthenticated, .unauthenticated, "TOKEN_INVALID", "This API token is invalid or expired"),
      (
        .rateLimited(wait: .seconds(7)), .resourceExhausted, "RATE_LIMITED", "Too many requests. Please wait a moment"
      ),
      (
        .trouble(status: 503, retryAfterMilliseconds: nil), .unavailable, "MONICA_TROUBLE",
        "Monica is having trouble. Please try again"
      ),
      (.missing, .notFound, "GONE", "The server no longer has that record."),
      (
        .transfer(.tooManyRedirects(limit: 0, origin)), .failedPrecondition, "NOT_MONICA",
        "The server leads elsewhere, as to a login page: the address is not quite right, or the API token is invalid."
      ),
      (.transfer(.cancelled), .cancelled, "CANCELLED_BY_USER", "The command was cancelled."),
    ] as [(MonicaFault, Code, String, String)])
  func sentences(_ fault: MonicaFault, _ code: Code, _ reason: String, _ message: String) {
    let failure = MonicaError(fault).failure
    #expect(failure.code == code)
    #expect(failure.reason == reason)
    #expect(failure.message == message)
  }

  @Test func theNetwork() throws {
    for error: TransferError in [.unresolvable(origin), .refused(origin), .unreachable(origin), .truncated(origin)] {
      let failure = MonicaError(.transfer(error)).failure
      #expect(failure.code == .unavailable)
      #expect(failure.reason == "MONICA_UNREACHABLE")
      #expect(failure.message == "Cannot connect. Check your internet and try again")
    }
    #expect(MonicaError(.transfer(.timeout(.total, origin))).failure.code == .deadlineExceeded)
    #expect(MonicaError(.transfer(.timeout(.total, origin))).failure.reason == "MONICA_TIMEOUT")
    #expect(MonicaError(.transfer(.tls(.expired, origin))).failure.reason == "MONICA_NOT_TRUSTED")
    #expect(MonicaError(.transfer(.insecure(origin))).failure.reason == "FIELD_INVALID")
    #expect(MonicaError(.rateLimited(wait: .milliseconds(1500))).failure.status.retryAfterMs == 1500)
    #expect(MonicaError(.garbled("data is missing")).failure.code == .dataLoss)
  }

  @Test func openOutcomesSayTheyAre() throws {
    let open: [MonicaFault] = [
      .trouble(status: 500, retryAfterMilliseconds: nil), .garbled(""), .transfer(.timeout(.total, origin)),
      .transfer(.timeout(.idle, origin)), .transfer(.connectionLost("", origin)), .transfer(.truncated(origin)),
      .transfer(.cancelled), .notMonica(.webPage),
    ]
    let closed: [MonicaFault] = [
      .unauthenticated, .planLimit, .rateLimited(wait: .zero), .missing, .archived, .transfer(.unresolvable(origin)),
      .transfer(.timeout(.connect, origin)), .transfer(.refused(origin)), .transfer(.tls(.expired, origin)),
      .transfer(.tooManyRedirects(limit: 0, origin)), .refused(status: 422, ErrorReply(text: "")),
      .notMonica(.unknownPath),
    ]
    for fault in open { #expect(fault.leavesOutcomeOpen) }
    for fault in closed { #expect(!fault.leavesOutcomeOpen) }
    #expect(MonicaError(.missing, mayHaveArrived: true).failure.status.details["outcome"] == "unknown")
    #expect(MonicaError(.missing).failure.status.details["outcome"] == nil)
  }

  @Test func bothFormatsOfErrorsAreRead() {
    func read(_ text: String) -> ErrorReply? { ErrorReply(Array(text.utf8)) }
    let monica = read(#"{"error":{"message":["The first name is required.","And more."],"error_code":32}}"#)
    #expect(monica?.code == 32)
    #expect(monica?.sentences == ["1": "The first name is required.", "2": "And more."])
    #expect(read(#"{"error":{"message":"Not found","error_code":"31"}}"#)?.code == 31)
    let laravel = read(#"{"message":"Two","errors":{"contact_id":["It is invalid.","It is bad."]}}"#)
    #expect(laravel?.code == nil)
    #expect(laravel?.sentences == ["contact_id": "It is invalid. It is bad."])
    let archived = read(#"{"message":"x","errors":[["Archived contact can’t be edited"]]}"#)
    #expect(archived?.text == "Archived contact can’t be edited")
    #expect(read(#"{"message":"Server Error"}"#)?.text == "Server Error")
    #expect(read(#"{"message":"","errors":[]}"#)?.text == "")
    #expect(read("<html></html>") == nil)
    #expect(read("") == nil)
    #expect(read("[]") == nil)
  }

  @Test func ofALongRefusalTheBeginningIsKept() throws {
    let sentence = String(repeating: "x", count: 100_000)
    let texts = (0..<200).map { _ in "\"\(sentence)\"" }.joined(separator: ",")
    let fields = (0..<200).map { "\"f\($0)\":[\"\(sentence)\"]" }.joined(separator: ",")
    for body in [
      "{\"error\":{\"message\":[\(texts)],\"error_code\":32}}", "{\"message\":\"x\",\"errors\":{\(fields)}}",
      "{\"message\":\"x\",\"errors\":[[\(texts)]]}", "{\"message\":\"\(sentence)\"}",
    ] {
      let reply = try #require(ErrorReply(Array(body.utf8)))
      #expect(reply.text.hasPrefix("xxx") && reply.text.utf8.count < 10_000)
      #expect(reply.sentences.count <= 20 && reply.sentences.values.allSatisfy { $0.utf8.count <= 1000 })
    }
  }

  @Test func refusalsHaveTheServersWords() {
    let reply = ErrorReply(Array(#"{"message":"x","errors":{"data":["The data is too long."]}}"#.utf8))
    let failure = MonicaError(.refused(status: 422, reply ?? ErrorReply(text: ""))).failure
    #expect(failure.code == .invalidArgument)
    #expect(failure.reason == "MONICA_REFUSED")
    #expect(failure.status.details == ["data": "The data is too long."])
    #expect(failure.message == "Monica refuses that: The data is too long.")
  }

  @Test(
    arguments: [
      ("https://monica.example.org", "https://monica.example.org/api/me?a=b%20c"),
      ("https://monica.example.org/", "https://monica.example.org/api/me?a=b%20c"),
      ("https://example.org/crm/api/", "https://example.org/crm/api/me?a=b%20c"),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080/api/me?a=b%20c"),
    ])
  func addresses(_ endpoint: String, _ expected: String) throws {
    #expect(try MonicaAddress(endpoint).url("me", [("a", "b c")]).description == expected)
  }

  @Test(arguments: ["", "monica", "ftp://example.org", "https://user@example.org", "https://example.org/?x=1"])
  func addressesThatAreNone(_ endpoint: String) {
    #expect(throws: TransferError.self) { try MonicaAddress(endpoint) }
  }
}
