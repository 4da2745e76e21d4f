import Foundation
import KithMessages
import SwiftProtobuf
import Testing
import Transfer

@testable import Delivery

/// What does not depend on the signature; `test_web_push.py` verifies that.
@Suite struct PushMessageTests {
  /// By `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 | openssl pkcs8 -topk8 -nocrypt -outform DER`.
  private static let key =
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAWTzeaMHwOgk+IhgvGIxkbRAS2bv6Hgxpxp4MlJSrE6hRANCAARveP0NTv3BCvON"
    + "PDmh64iCDdtT0UcAYhrn6h1nRya+XOo62ZvjK2tireS/PY3+4YfTYJWP77SNUigkGQGq/mqx"
  /// On secp256k1, a curve that no push service takes.
  private static let otherCurve =
    "MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgRjSQ0s+rjcKwI6ItcsajkcVCaUByaQ8FVXBKGRusSGGhRANCAARAXvtklFSB8L8IiY/0"
    + "jwlCmAG45khOc7tRmAd8LxWoQ7tk3RqshXvVmvQ3KDWMrN7rx2VAGEFsJ/PRxH+Pu6QC"

  private static func request(secret: String?) throws -> HTTPRequest {
    var channel = PushChannel()
    channel.endpoint = "https://push.example.org:8443/send/abc"
    return try PushMessage(channel: channel, now: 1_795_186_800).request(secret: secret)
  }

  @Test func anEmptyMessageNamesItsSender() throws {
    let request = try Self.request(secret: Self.key)
    #expect(request.method == "POST" && request.url.description == "https://push.example.org:8443/send/abc")
    guard case .bytes(let bytes)? = request.body else { throw TransferError.failed("no body") }
    #expect(bytes.isEmpty && request.headers["TTL"] == "86400" && request.headers["Urgency"] == "high")
    let parts = (request.headers["Authorization"] ?? "").split(whereSeparator: { " ,".contains($0) }).map(String.init)
    let point = try #require(Data(base64Encoded: Self.key)).suffix(65).base64EncodedString()
    try #require(parts.count == 3 && parts[0] == "vapid")
    #expect(parts[2] == "k=" + point.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
    let claims = parts[1].dropFirst(2).split(separator: ".")[1]
    let padded = String(claims) + String(repeating: "=", count: (4 - claims.count % 4) % 4)
    let json = String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self)
    #expect(json == #"{"aud":"https://push.example.org:8443","exp":1795230000,"sub":"mailto:kith@example.org"}"#)
  }

  @Test(arguments: [nil, "", "no base64!", "bm8ga2V5", Self.otherCurve]) func withoutAKeyNothingIsSent(
    _ secret: String?
  ) {
    #expect(throws: TransferError.self) { try Self.request(secret: secret) }
  }
}
