internal import Bus
internal import KithMessages
internal import Transfer

/// A message that one HTTP request carries, with the meaning of the reply.
protocol WebMessage: Sendable {
  /// The request that carries it.
  func request(secret: String?) throws(TransferError) -> HTTPRequest
  /// The outcome of a reply that is special to this service; nil for the usual meaning of its status.
  func outcome(of response: HTTPResponse) -> Result<DeliverReply, DeliveryFault>?
  /// The receipt in a reply with status 2xx.
  func receipt(of response: HTTPResponse) -> String
}

extension WebMessage {
  func outcome(of response: HTTPResponse) -> Result<DeliverReply, DeliveryFault>? { nil }

  func receipt(of response: HTTPResponse) -> String { "" }

  func send(with client: HTTPClient, secret: String?) async throws(DeliveryFault) -> DeliverReply {
    let response: HTTPResponse
    do throws(TransferError) {
      response = try await client.send(try self.request(secret: secret))
    } catch {
      throw .transfer(error)
    }
    if let outcome = self.outcome(of: response) { return try outcome.get() }
    let words = "\(response.status) \(String(decoding: response.body.prefix(300), as: UTF8.self).oneLine)"
    switch response.status {
    case 200..<300:
      var reply = DeliverReply()
      reply.receipt = self.receipt(of: response).oneLine
      return reply
    case 401, 403: throw .loginRefused(words)
    case 408, 425, 500...: throw .trouble(words, retryAfter: response.retryAfterMilliseconds)
    case 429: throw .tooMuch(retryAfter: response.retryAfterMilliseconds)
    default: throw .refused(words)
    }
  }
}

extension TransferLimits {
  /// The limits of a message: a small reply within a minute.
  static let message = TransferLimits(
    connect: .seconds(15), idle: .seconds(30), total: .seconds(55), bodyBytes: 1 << 20)
}
