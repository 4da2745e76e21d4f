public import EventLoop

/// Hands mail in, one connection a mail.
///
/// Cancelling the task ends the transfer. Call `close` before the loop is shut down.
public final class MailClient: Sendable {
  private let tls: TLSSettings
  private let transfers: TransferLoop

  /// Makes a client. It opens nothing before its first mail.
  ///
  /// - Parameters:
  ///   - loop: Carries the transfers; has to run until the client is closed.
  ///   - tls: What to trust, and what to show.
  public init(on loop: LoopExecutor, tls: TLSSettings = .system) {
    self.tls = tls
    transfers = TransferLoop(on: loop, connectionsPerHost: 2)
  }

  /// Hands a mail in.
  ///
  /// - Returns: What the server said.
  /// - Throws: `TransferError` when it was not asked; the mail has not arrived then.
  public func send(_ mail: MailSubmission) async throws(TransferError) -> MailReply {
    try mail.check()
    return try await transfers.run { [tls] in MailExchange(mail, tls) }
  }

  /// Ends what is under way with `TransferError.closed`. Later mail ends the same way.
  public func close() async { await transfers.close() }
}
