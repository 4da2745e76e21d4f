internal import CCurl
public import EventLoop

/// Submits mail, over one connection for each.
///
/// Cancelling the task ends the transfer. Call `close` before the loop is shut down.
public final class MailClient: Sendable {
  private let tls: TLSSettings
  private let transfers: TransferLoop

  /// Makes a client. It opens no connection before its first mail.
  ///
  /// - Parameters:
  ///   - loop: Carries the transfers; has to run until the client is closed.
  ///   - tls: The trusted authorities, and the client certificate.
  public init(on loop: LoopExecutor, tls: TLSSettings = .system) {
    self.tls = tls
    transfers = TransferLoop(on: loop, connectionsPerHost: 2)
  }

  /// Submits a mail.
  ///
  /// - Returns: The server's reply.
  /// - Throws: `TransferError` if the server gave no reply; the mail has not arrived then.
  public func send(_ mail: MailSubmission) async throws(TransferError) -> MailReply {
    try mail.check()
    return try await transfers.run { [tls] in MailExchange(mail, tls) }
  }

  /// Ends running submissions with `TransferError.closed`. Later ones fail the same way.
  public func close() async { await transfers.close() }
}

/// The submission of one mail. Libcurl carries out the protocol: CURLOPT_MAIL_RCPT(3).
final class MailExchange: Transfer {
  /// The most characters kept of a reply line.
  private static let keptOfLine = 200

  private let mail: MailSubmission
  private let tls: TLSSettings
  private var recipients = StringList()
  private var reader: BodyReader?
  /// The server's last reply line.
  private var line = ""
  /// Whether the whole mail was sent, so that it may have arrived whatever follows.
  private var isGiven = false
  /// The deadline, set when the transfer begins.
  private var deadline = ContinuousClock.now

  init(_ mail: MailSubmission, _ tls: TLSSettings) {
    self.mail = mail
    self.tls = tls
  }

  func configure(_ easy: borrowing EasyHandle) throws(TransferError) {
    let origin = mail.server.origin
    try easy.set(.protocols, "smtp,smtps")
    try easy.set(.url, "\(origin.scheme)://\(origin.host):\(origin.port)")
    if mail.server.security != .none { try easy.set(.encryption, Int(CURLUSESSL_ALL.rawValue)) }
    try easy.set(.forbidsReuse, true)
    try easy.set(.connectMilliseconds, mail.limits.connect.curlMilliseconds)
    deadline = .now + .milliseconds(mail.limits.total.curlMilliseconds)
    try easy.set(.totalMilliseconds, mail.limits.total.curlMilliseconds)
    try easy.set(.idleSpeed, 1)
    try easy.set(.idleSeconds, (mail.limits.idle.curlMilliseconds + 999) / 1000)
    try tls.configure(easy)
    if case .basic(let username, let password)? = mail.credentials {
      try easy.set(.username, username)
      try easy.set(.password, password)
    }
    try easy.set(.mailSender, "<\(mail.sender)>")
    for recipient in mail.recipients { try recipients.append("<\(recipient)>") }
    try easy.set(.mailRecipients, recipients)
    let opened = try BodyReader(.bytes(mail.content))
    try easy.set(.sendsBody, true)
    try easy.set(.bodySize, Int64(mail.content.count))
    reader = consume opened
  }

  func receive(head line: UnsafeRawBufferPointer) -> Bool {
    // Libcurl's bytes, valid during the call; a status and a space come before the words. RFC 5321, 4.2.
    let words = unsafe String(decoding: line.dropFirst(4).prefix(Self.keptOfLine), as: UTF8.self)
    self.line = String(String.UnicodeScalarView(words.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    return true
  }

  func receive(body chunk: UnsafeRawBufferPointer) -> Bool { true }

  func give(into room: UnsafeMutableRawBufferPointer) -> Int? {
    // Libcurl's buffer, valid during the call; bytes in memory can always be read.
    let count = (try? unsafe reader?.read(into: room)) ?? 0
    if count == 0 { isGiven = true }
    return count
  }

  func rewind() -> Bool {
    reader?.rewind()
    return true
  }

  func finish(_ code: CURLcode, _ easy: borrowing EasyHandle) throws(TransferError) -> MailReply {
    let status = easy.number(.status)
    switch code {
    case CURLE_OK: return .accepted(text: line)
    case CURLE_USE_SSL_FAILED: return .notEncrypted
    case CURLE_LOGIN_DENIED: return .loginRefused(status: (400..<600).contains(status) ? status : 0, text: line)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_COULDNT_CONNECT,
      CURLE_COULDNT_RESOLVE_HOST, CURLE_OPERATION_TIMEDOUT:
      break
    default:
      if (400..<600).contains(status) { return .refused(status: status, text: line) }
    }
    let error = TransferError(code, easy, mail.server.origin, hasHead: false, deadline: deadline)
    guard isGiven else { throw error }
    return .unclear(error)
  }
}
