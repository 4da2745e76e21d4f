internal import Foundation
internal import KithMessages
internal import Transfer

/// A message of LINE's Messaging API to one user, group or room: developers.line.biz, "Messaging API reference".
struct LineMessage: WebMessage {
  let id: String
  let channel: LineChannel
  let notice: Notice

  private struct Push: Encodable {
    struct Text: Encodable {
      let type = "text"
      let text: String
    }

    let to: String
    let messages: [Text]
    let notificationDisabled = false
  }

  func request(secret: String?) throws(TransferError) -> HTTPRequest {
    let base = self.channel.address.isEmpty ? "https://api.line.me" : self.channel.address
    var request = HTTPRequest("POST", try WebURL("\(base)/v2/bot/message/push"), limits: .message)
    request.headers.add("Content-Type", "application/json")
    // For a day, LINE accepts each key once.
    request.headers.add("X-Line-Retry-Key", self.id)
    request.body = .bytes(
      JSONText.encode(Push(to: self.channel.to, messages: self.notice.plainTexts.map { .init(text: $0) })))
    if let secret { request.credentials = .bearer(token: secret) }
    return request
  }

  func outcome(of response: HTTPResponse) -> Result<DeliverReply, DeliveryFault>? {
    switch response.status {
    case 409:
      // A request with this key was accepted before.
      var reply = DeliverReply()
      reply.receipt = response.headers["X-Line-Accepted-Request-Id"]?.oneLine ?? ""
      reply.wasKnown = true
      return .success(reply)
    case 429 where String(decoding: response.body, as: UTF8.self).contains("monthly limit"):
      return .failure(.refused("429 the messages of this month are used up"))
    default: return nil
    }
  }

  func receipt(of response: HTTPResponse) -> String { response.headers["X-Line-Request-Id"] ?? "" }
}
