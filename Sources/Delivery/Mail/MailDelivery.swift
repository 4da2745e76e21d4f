internal import Bus
internal import KithMessages
internal import Transfer

/// Sends a mail, and interprets the server's reply.
struct MailDelivery {
  let request: DeliverRequest
  let channel: MailChannel

  func send(with client: MailClient, secret: String?) async throws(DeliveryFault) -> DeliverReply {
    let reply: MailReply
    do throws(TransferError) {
      reply = try await client.send(try self.submission(secret: secret))
    } catch {
      throw .transfer(error)
    }
    switch reply {
    case .accepted(let text):
      var reply = DeliverReply()
      reply.receipt = text.oneLine
      return reply
    case .refused(let status, let text):
      // RFC 5321, 4.2.1: 4xx is temporary, 5xx permanent. 530 requires a login.
      if status == 530 { throw .loginRefused(text) }
      throw status < 500 ? .trouble("\(status) \(text)", retryAfter: nil) : .refused("\(status) \(text)")
    case .loginRefused(let status, let text):
      guard status < 400 || status >= 500 else { throw .trouble("\(status) \(text)", retryAfter: nil) }
      throw .loginRefused(status == 0 ? "it offers no supported login method" : "\(status) \(text)")
    case .notEncrypted: throw .notEncrypted(self.channel.host)
    case .unclear(let error): throw .unclear(error.description)
    }
  }

  private func submission(secret: String?) throws(TransferError) -> MailSubmission {
    let server = try MailServer(
      host: self.channel.host, port: self.channel.port == 0 ? nil : Int(self.channel.port),
      security: MailServer.Security(rawValue: self.channel.security) ?? .startTLS)
    return MailSubmission(
      server,
      credentials: self.channel.username.isEmpty
        ? nil : .basic(username: self.channel.username, password: secret ?? ""),
      sender: self.channel.from, recipients: self.channel.to,
      content: MailMessage(id: self.request.id, self.channel, self.request.notice).bytes)
  }
}
