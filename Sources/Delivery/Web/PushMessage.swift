internal import Digest
internal import Foundation
internal import KithMessages
internal import Transfer

/// A message to a browser by Web Push: RFC 8030. It is empty, so that no push service learns of care, and names its sender by a signed
/// token: RFC 8292 (VAPID).
struct PushMessage: WebMessage {
  /// How long a push service keeps it for a phone that is off: a day, in seconds.
  private static let life = 86_400
  /// How long its token is valid, in seconds; a day is the most that is allowed.
  private static let validity: Int64 = 12 * 3600
  /// Whom a push service may write to; it has to be an address.
  private static let contact = "mailto:kith@example.org"

  let channel: PushChannel
  /// Seconds since 1970.
  let now: Int64

  private struct Head: Encodable {
    let alg = "ES256"
    let typ = "JWT"
  }

  private struct Claims: Encodable {
    let aud: String
    let exp: Int64
    let sub: String
  }

  func request(secret: String?) throws(TransferError) -> HTTPRequest {
    let url = try WebURL(self.channel.endpoint)
    guard let bytes = secret.flatMap({ Data(base64Encoded: $0) }), let key = ES256Key(pkcs8: [UInt8](bytes)),
      let shown = key.publicKey
    else { throw .invalidRequest("the key of the subscription cannot be read") }
    let claims = Claims(aud: "\(url.origin)", exp: self.now + Self.validity, sub: Self.contact)
    let signed = "\(Self.encoded(JSONText.encode(Head()))).\(Self.encoded(JSONText.encode(claims)))"
    guard let signature = key.signature(of: Array(signed.utf8)) else {
      throw .invalidRequest("the key of the subscription cannot sign")
    }
    var request = HTTPRequest("POST", url, limits: .message)
    request.headers.add("TTL", String(Self.life))
    request.headers.add("Urgency", "high")
    request.headers.add("Authorization", "vapid t=\(signed).\(Self.encoded(signature)), k=\(Self.encoded(shown))")
    request.body = .bytes([])
    return request
  }

  func outcome(of response: HTTPResponse) -> Result<DeliverReply, DeliveryFault>? {
    // RFC 8030, 7.3: the subscription has expired, or the user ended it.
    [404, 410].contains(response.status) ? .failure(.subscriptionEnded) : nil
  }

  func receipt(of response: HTTPResponse) -> String { response.headers["Location"] ?? "" }

  /// base64url without padding: RFC 7515, 2.
  private static func encoded(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
