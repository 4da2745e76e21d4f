internal import Foundation
internal import KithMessages
internal import SwiftProtobuf
internal import Transfer

/// A message as JSON, posted to any address.
struct WebhookMessage: WebMessage {
  let id: String
  let channel: WebhookChannel
  let notice: Notice

  /// The placeholder of the secret in an address.
  static let secretMark = "{secret}"

  private struct Body: Encodable {
    let id: String
    let kind: String
    let title: String
    let text: String
    let created_at: Int64
  }

  func request(secret: String?) throws(TransferError) -> HTTPRequest {
    let isInAddress = self.channel.address.contains(Self.secretMark)
    let url = try WebURL(self.channel.address.replacing(Self.secretMark, with: secret ?? ""))
    var request = HTTPRequest("POST", url, limits: .message)
    request.headers.add("Content-Type", "application/json")
    request.headers.add("Idempotency-Key", self.id)
    request.body = .bytes(
      JSONText.encode(
        Body(
          id: self.id, kind: self.notice.kind, title: self.notice.subject, text: self.notice.body,
          created_at: self.notice.createdAt.seconds)))
    if let secret, !isInAddress { request.credentials = .bearer(token: secret) }
    return request
  }
}

/// JSON in one canonical form.
enum JSONText {
  static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings, whole numbers and lists of them can always be encoded.
    return (try? encoder.encode(value)).map { [UInt8]($0) } ?? []
  }
}
