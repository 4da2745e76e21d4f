internal import Bus
internal import KithMessages
internal import Transfer

/// Why a message was not delivered.
enum DeliveryFault: Error {
  /// The receiver was not reached, or did not reply.
  case transfer(TransferError)
  /// No secret is stored for the channel.
  case secretMissing
  /// The receiver refused the secret; with its words.
  case loginRefused(String)
  /// The mail server does not encrypt.
  case notEncrypted(String)
  /// The receiver refused the message permanently; with its words.
  case refused(String)
  /// The browser takes no more messages: its subscription has ended.
  case subscriptionEnded
  /// Too much was sent in too short a time.
  case tooMuch(retryAfter: Int64?)
  /// The receiver has a temporary fault; with its words.
  case trouble(String, retryAfter: Int64?)
  /// This machine cannot deliver it.
  case unavailable(String)
  /// The whole message was sent, and the result is unknown.
  case unclear(String)

  /// The failure for the caller. Only this function gives a fault its code, reason and message.
  ///
  /// The caller retries what is transient by its code. `details["outcome"]` is "unknown" when the message may have arrived.
  func failure(on channel: String) -> Failure {
    switch self {
    case .transfer(let error): Self.failure(error)
    case .secretMissing:
      Failure(
        .unauthenticated, "CHANNEL_SECRET_MISSING",
        "No secret is stored for the channel '\(channel)'. Give it one: kith channels login \(channel)")
    case .loginRefused(let words):
      Failure(
        .unauthenticated, "CHANNEL_LOGIN_REFUSED",
        "The receiver of '\(channel)' refuses the login\(Self.quoted(words)). Correct it: kith channels login \(channel)"
      )
    case .notEncrypted(let host):
      Failure(
        .failedPrecondition, "CHANNEL_NOT_ENCRYPTED",
        "\(host) does not offer STARTTLS, and kithd sends no mail unencrypted. Use its port for TLS, or another server."
      )
    case .refused(let words):
      Failure(
        .invalidArgument, "CHANNEL_REFUSED",
        "The receiver of '\(channel)' refuses the message\(Self.quoted(words)). Check the addresses of the channel.")
    case .subscriptionEnded:
      Failure(
        .notFound, "PUSH_ENDED",
        "The browser of '\(channel)' takes no messages any more. Switch reminders on again on its device: the page Reminders."
      )
    case .tooMuch(let wait):
      Failure(
        .resourceExhausted, "CHANNEL_TOO_MUCH",
        "Too many messages were sent over '\(channel)' in a short time.",
        retryAfterMilliseconds: UInt32(clamping: wait ?? 0))
    case .trouble(let words, let wait):
      Failure(
        .unavailable, "CHANNEL_TROUBLE",
        "The receiver of '\(channel)' reports a fault\(Self.quoted(words)).",
        retryAfterMilliseconds: UInt32(clamping: wait ?? 0))
    case .unavailable(let why):
      Failure(.failedPrecondition, "CHANNEL_UNAVAILABLE", why)
    case .unclear(let why):
      Failure(
        .unavailable, "CHANNEL_UNCLEAR", "\(why) The message may have arrived nevertheless.",
        details: ["outcome": "unknown"])
    }
  }

  private static func quoted(_ words: String) -> String {
    let text = words.oneLine
    return text.isEmpty ? "" : " (\(text.prefix(200)))"
  }

  private static func failure(_ error: TransferError) -> Failure {
    switch error {
    case .cancelled: .cancelled
    case .invalidURL, .insecure: .invalid(field: "address", error.description)
    case .invalidRequest: .invalid(field: "channel", error.description)
    case .tls, .pinMismatch: Failure(.failedPrecondition, "CHANNEL_NOT_TRUSTED", error.description)
    case .tooManyRedirects, .refusedRedirect:
      Failure(.failedPrecondition, "CHANNEL_REFUSED", error.description)
    case .unresolvable, .refused, .unreachable, .requestBody, .closed, .failed, .timeout(.connect, _):
      Failure(.unavailable, "CHANNEL_UNREACHABLE", error.description)
    case .timeout, .connectionLost, .truncated, .tooLarge, .compressionBomb, .malformedReply, .sink:
      Failure(.unavailable, "CHANNEL_UNCLEAR", error.description, details: ["outcome": "unknown"])
    }
  }
}
