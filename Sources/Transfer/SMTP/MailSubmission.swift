/// One mail as it is handed in. RFC 6409.
public struct MailSubmission: Sendable, CustomStringConvertible {
  /// Where to.
  public var server: MailServer
  /// Who hands it in; only `basic` is a login that mail knows. Nil = nobody is asked.
  public var credentials: Credentials?
  /// The address of the sender, without angle brackets.
  public var sender: String
  /// The addresses that it goes to, without angle brackets. One that is refused holds it back from all.
  public var recipients: [String]
  /// Head and body, lines ended by CR LF.
  public var content: [UInt8]
  /// How long it may take.
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

  /// The server alone: addresses are nobody's business.
  public var description: String { "mail to \(server.origin)" }

  /// Refuses what would say something else on the way.
  func check() throws(TransferError) {
    guard !recipients.isEmpty else { throw .invalidRequest("it has no recipient") }
    for address in [sender] + recipients {
      let isPlain = address.utf8.allSatisfy {
        $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
      }
      guard isPlain, !address.isEmpty else {
        throw .invalidRequest("an address has characters that have no place there")
      }
    }
  }
}

/// What a mail server said to a mail.
public enum MailReply: Hashable, Sendable {
  /// It takes care of it now.
  case accepted(text: String)
  /// It does not take it: for now (4xx), or at all (5xx). RFC 5321, 4.2.1.
  case refused(status: Int, text: String)
  /// It does not let this sender in; the status is 0 when it knows no login that is known here.
  case loginRefused(status: Int, text: String)
  /// It does not encrypt, so nothing was said to it.
  case notEncrypted
  /// The whole mail was sent, and no word came back.
  case unclear(TransferError)
}
