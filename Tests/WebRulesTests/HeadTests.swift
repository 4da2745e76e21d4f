import Bus
import Foundation
import KithMessages
import Pages
import SwiftProtobuf
import Testing

@testable import WebRules

@Suite struct RefusalTests {
  private struct Body: Decodable {
    struct Detail: Decodable {
      struct Debug: Decodable {
        let reason: String?
        let retryAfterMs: Int?
        let details: [String: String]?
      }
      let type: String
      let value: String
      let debug: Debug
    }
    let code: String
    let message: String
    let details: [Detail]
  }

  /// The table of the Connect protocol, "Error codes".
  @Test(arguments: [
    (Code.cancelled, "canceled", 499), (.unknown, "unknown", 500), (.invalidArgument, "invalid_argument", 400),
    (.deadlineExceeded, "deadline_exceeded", 504), (.notFound, "not_found", 404),
    (.alreadyExists, "already_exists", 409), (.permissionDenied, "permission_denied", 403),
    (.resourceExhausted, "resource_exhausted", 429), (.failedPrecondition, "failed_precondition", 400),
    (.aborted, "aborted", 409), (.outOfRange, "out_of_range", 400), (.unimplemented, "unimplemented", 501),
    (.internal, "internal", 500), (.unavailable, "unavailable", 503), (.dataLoss, "data_loss", 500),
    (.unauthenticated, "unauthenticated", 401),
  ]) func eachCodeHasItsNameAndStatus(_ code: Code, _ name: String, _ status: Int) {
    #expect(code.connectName == name && code.httpStatus == status)
  }

  @Test func theBodyIsAnErrorOfConnectWithTheStatusOfTheHub() throws {
    let failure = Failure(
      .resourceExhausted, "TOO_MANY", "Wait: \"now\"\n\u{1}\\ 薬", retryAfterMilliseconds: 1500, details: ["a": "b"])
    let refusal = Refusal(failure)
    #expect(refusal.status == 429 && refusal.fields["Retry-After"] == "2")
    let body = try JSONDecoder().decode(Body.self, from: Data(refusal.body))
    #expect(body.code == "resource_exhausted" && body.message == failure.message && body.details.count == 1)
    let detail = try #require(body.details.first)
    #expect(detail.type == "kith.v1.Status" && detail.debug.reason == "TOO_MANY" && detail.debug.retryAfterMs == 1500)
    #expect(detail.debug.details == ["a": "b"] && !detail.value.contains("="))
    let padded = detail.value + String(repeating: "=", count: (4 - detail.value.count % 4) % 4)
    let bytes = try #require(Data(base64Encoded: padded))
    #expect(try Status(serializedBytes: Array(bytes)) == failure.status)
  }

  @Test func whoIsUnknownIsToldHowToBeKnown() {
    #expect(Refusal(401, Token.unknown).fields["WWW-Authenticate"] == "Bearer realm=\"kith\"")
    #expect(Refusal(Failure(.notFound, "X", "y")).fields.isEmpty)
  }
}

@Suite struct RequestTests {
  @Test func aQueryIsDecoded() {
    let query = Query("a=1%202+3&b=%E8%96%AC&a=second&bad=%zz&half=%4&c&d=x=y&minus=%-1&cut=%E8")
    #expect(query["a"] == "1 2 3" && query["b"] == "薬" && query["c"] == "" && query["d"] == "x=y")
    #expect(query["bad"] == nil && query["half"] == nil && query["minus"] == nil && query["cut"] == nil)
  }

  @Test func whatIsLeftOutOfAQueryIsSaid() {
    let most = Query((0..<Query.most).map { "a=\($0)" }.joined(separator: "&"))
    #expect(most.isWhole && most.pairs.last?.value == "\(Query.most - 1)")
    #expect(!Query((0...Query.most).map { "a=\($0)" }.joined(separator: "&")).isWhole)
    #expect(!Query("a=1&b=%E8").isWhole && Query("").isWhole)
  }

  @Test func aFieldThatComesTwiceIsNone() {
    var head = Heads.make("GET", "/", ["a": "1"])
    #expect(head.field("a") == "1")
    head.fields["a"]?.append("2")
    #expect(head.field("a") == nil)
  }

  @Test(arguments: [
    ("application/json", ContentType.json), ("application/json; charset=utf-8", .json), ("APPLICATION/PROTO", .proto),
    ("application/x-www-form-urlencoded", .form), ("audio/webm;codecs=opus", .audio("audio/webm")), ("text/plain", nil),
    ("application/connect+json", nil), ("", nil),
  ]) func kindsOfBodies(_ field: String, _ expected: ContentType?) {
    #expect(ContentType(of: Heads.make("POST", "/", ["content-type": field])) == expected)
  }

  @Test func aCompressedBodyIsRefused() {
    let head = Heads.make("POST", "/", ["content-type": "application/json", "content-encoding": "gzip"])
    let refusal = #expect(throws: Refusal.self) { try ContentType.check(head, "application/json") { _ in true } }
    #expect(refusal?.status == 415 && refusal?.fields["Accept-Post"] == "application/json")
  }

  /// RFC 9110, 14.1.2. A number of any length is one that a client may send.
  @Test(arguments: [
    ("bytes=0-99", 0..<100), ("bytes=0-0", 0..<1), ("bytes=990-", 990..<1000), ("bytes=-10", 990..<1000),
    ("bytes=-5000", 0..<1000), ("bytes=500-5000", 500..<1000), ("bytes=0-18446744073709551615", 0..<1000),
    ("bytes=0-99999999999999999999999", 0..<1000), ("bytes=-18446744073709551615", 0..<1000),
    ("bytes=-99999999999999999999999", 0..<1000),
  ]) func aPartOfABlob(_ field: String, _ expected: Range<UInt64>) throws {
    #expect(try ByteRange.of(field, size: 1000) == expected)
  }

  @Test(arguments: [
    "items=0-1", "bytes=0-1,3-4", "bytes=5-1", "bytes=a-b", "bytes=", "bytes=-", "bytes=1", "bytes=+1-2",
  ])
  func whatAsksForTheWhole(_ field: String) throws { #expect(try ByteRange.of(field, size: 1000) == nil) }

  @Test(arguments: [("bytes=1000-", 1000), ("bytes=-0", 1000), ("bytes=0-", 0), ("bytes=99999999999999999999999-", 9)])
  func aPartThatTheBlobHasNot(_ field: String, _ size: UInt64) {
    let refusal = #expect(throws: Refusal.self) { try ByteRange.of(field, size: size) }
    #expect(refusal?.status == 416 && refusal?.fields["Content-Range"] == "bytes */\(size)")
  }

  @Test(arguments: [
    ("gzip", true), ("br, GZIP;q=0.5", true), ("deflate, gzip ; q=1", true), ("gzip;q=0", false),
    ("gzip; q=0.000", false),
    ("br", false), ("x-gzip", false), ("", false),
  ]) func whoTakesGzip(_ field: String, _ expected: Bool) {
    #expect(Heads.make("GET", "/files/app.js", ["accept-encoding": field]).takesGzip == expected)
    #expect(!Heads.make("GET", "/files/app.js").takesGzip)
  }

  @Test(arguments: [
    ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("*", true), ("\"b\"", false), ("a", false),
    ("", false),
  ]) func whatAPeerHasAlready(_ field: String, _ expected: Bool) {
    let head = Heads.make("GET", "/", ["if-none-match": field])
    #expect(head.hasKnown("\"a\"") == expected && head.hasKnown("W/\"a\"") == expected)
  }

  @Test func aBlobHasNoTypeInWhichSomethingRuns() {
    #expect(MediaType.of([0xFF, 0xD8, 0xFF, 0xE0]) == "image/jpeg")
    #expect(MediaType.of(Array("RIFF1234WAVEfmt ".utf8)) == "audio/wav")
    for brand in ["isom", "iso5", "mp42", "M4A "] {
      #expect(MediaType.of([0, 0, 0, 28] + Array("ftyp\(brand)".utf8)) == "audio/mp4")
    }
    #expect(MediaType.of([0, 0, 0, 28] + Array("ftypheic".utf8)) == MediaType.other)
    for text in ["<!doctype html>", "<svg onload=x>", "%PDF-1.7", "", "RIFF", "#!/bin/sh"] {
      #expect(MediaType.of(Array(text.utf8)) == "application/octet-stream")
    }
  }

  @Test func keysFollowFromTheKeyOfTheRequest() throws {
    let key = try IdempotencyKey("\"0198-abc\"")
    #expect(try key == IdempotencyKey("0198-abc") && key.text == "0198-abc" && key.part("start") == "0198-abc:start")
    let long = try IdempotencyKey(String(repeating: "k", count: 255))
    #expect(long.text.utf8.count == 64 && long.part("0").utf8.count == 64 && long.part("0") != long.part("1"))
    let edge = try IdempotencyKey(String(repeating: "k", count: 60))
    #expect(
      edge.part("abc").utf8.count == 64 && edge.part("abcd").utf8.count == 64 && edge.part("abc").hasSuffix("abc"))
    for bad in ["", "\"\"", "a b", "é", "a\u{0}", String(repeating: "k", count: 256)] {
      #expect(throws: Refusal.self) { try IdempotencyKey(bad) }
    }
  }

  @Test func aCallerSaysHowLongItWaits() throws {
    func limit(_ text: String) throws -> Duration? {
      try TimeLimit.of(Heads.make("POST", "/", ["connect-timeout-ms": text]))
    }
    #expect(try TimeLimit.of(Heads.make("POST", "/")) == nil)
    #expect(try limit("1500") == .milliseconds(1500) && limit("9999999999") == .seconds(3600))
    for bad in ["0", "-1", "1.5", "", "12345678901", "1e3"] { #expect(throws: Refusal.self) { try limit(bad) } }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 7, 16, 100]) func aBodyIsCutAtTheSamePlacesHoweverItArrives(_ step: Int) {
    let body = (0..<50).map { UInt8($0) }
    var cutter = PieceCutter(size: 16)
    var pieces: [PieceCutter.Piece] = []
    for start in stride(from: 0, to: body.count, by: step) {
      pieces += cutter.take(body[start..<min(start + step, body.count)])
    }
    #expect(cutter.count == 50)
    pieces += cutter.rest.map { [$0] } ?? []
    #expect(pieces.map(\.offset) == [0, 16, 32, 48] && pieces.flatMap(\.bytes) == body)
  }

  @Test func aFormShowsThatAPageOfOursSentIt() throws {
    let forms = FormToken()
    let seed = FormToken.seed()
    #expect(forms.isValid(forms.code(for: seed), for: seed))
    #expect(!forms.isValid(forms.code(for: seed), for: FormToken.seed()) && !forms.isValid("", for: seed))
    #expect(!FormToken().isValid(forms.code(for: seed), for: seed))
    let cookie = FormToken.cookie(seed, .tls)
    let sent = Heads.make("POST", "/pair", ["cookie": "x=1; \(cookie.prefix { $0 != ";" })"])
    #expect(FormToken.seed(in: sent, .tls) == seed && FormToken.seed(in: sent, .plain) == nil)
    // The answer was lost, and the browser sends its form again.
    #expect(forms.deviceToken(for: seed, code: "1") == forms.deviceToken(for: seed, code: "1"))
    #expect(forms.deviceToken(for: seed, code: "1") != forms.deviceToken(for: seed, code: "2"))
    #expect(Token.isValid(forms.deviceToken(for: seed, code: "1")))
  }
}

@Suite struct PageTests {
  @Test func textIsEscapedByItsType() {
    let name = "<img src=x onerror='a'>&\""
    let page: HTML = "<p title=\"\(name)\">\(name)</p>\("<br>" as HTML)"
    let safe = "&lt;img src=x onerror=&#39;a&#39;&gt;&amp;&quot;"
    #expect(page.text == "<p title=\"\(safe)\">\(safe)</p><br>")
  }

  @Test(arguments: [
    ("ja", PageLanguage.japanese), ("ja-JP,ja;q=0.9,en;q=0.8", .japanese), ("en-US,en;q=0.9,ja;q=0.8", .english),
    ("fr,de", .english), ("fr, ja;q=0.1", .japanese), ("", .english), ("ja;q=0", .english), ("en;q=0.5,ja", .japanese),
  ]) func aPageIsInTheLanguageOfItsReader(_ field: String, _ expected: PageLanguage) {
    #expect(PageLanguage(accepted: field) == expected)
  }

  @Test(arguments: PageLanguage.allCases) func aPageSaysWhatDoesNotWork(_ language: PageLanguage) {
    let pages = DoorPages(language)
    let warning = language.words.insecure
    #expect(pages.home(.plain).text.contains(warning))
    #expect(!pages.home(.tls).text.contains(warning))
    #expect(pages.pair(formCode: "c0de", fault: "<b>", .plain).text.contains("&lt;b&gt;"))
    #expect(pages.pair(formCode: "c0de", fault: "", .tls).text.contains(#"name="form" value="c0de""#))
  }
}
