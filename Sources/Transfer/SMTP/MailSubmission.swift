/// A mail to submit. RFC 6409.
public struct MailSubmission: Sendable, CustomStringConvertible {
  /// The server.
  public var server: MailServer
  /// The login, which has to be `basic`; nil for none.
  public var credentials: Credentials?
  /// The address of the sender, without angle brackets.
  public var sender: String
  /// The addresses of the recipients, without angle brackets. If one is refused, none gets the mail.
  public var recipients: [String]
  /// Head and body, lines ended by CR LF.
  public var content: [UInt8]
  /// Limits of time.
  public var limits: TransferLimits

  /// Makes a submission.
  public init(
    _ server: MailServer, credentials: Credentials? = nil, sender: String, recipients: [String], content: [UInt8],
    limits: TransferLimits = TransferLimits(connect: .seconds(15), idle: .seconds(30), total: .seconds(55))
  ) {
    self.server = server
    self.credentials = credentials
    self.sender = sender
    self.recipients = recipients
    self.content = content
    self.limits = limits
  }

  /// The server only, because addresses are private.
  public var description: String { "mail to \(server.origin)" }

  /// Refuses addresses that would inject commands.
  func check() throws(TransferError) {
    guard !recipients.isEmpty else { throw .invalidRequest("it has no recipient") }
    for address in [sender] + recipients {
      let isPlain = address.utf8.allSatisfy {
        $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
      }
      guard isPlain, !address.isEmpty else {
        throw .invalidRequest("an address has invalid characters")
      }
    }
  }
}

/// A server's reply to a mail.
public enum MailReply: Hashable, Sendable {
  /// The server accepted the mail.
  case accepted(text: String)
  /// The server refused the mail, temporarily (4xx) or permanently (5xx). RFC 5321, 4.2.1.
  case refused(status: Int, text: String)
  /// The server refused the login; the status is 0 if it offers no supported method.
  case loginRefused(status: Int, text: String)
  /// The server offers no encryption, so nothing was sent.
  case notEncrypted
  /// The whole mail was sent, and no reply arrived.
  case unclear(TransferError)
}
