internal import Bus
internal import KithMessages
internal import Transfer

/// Why a message was not delivered.
enum DeliveryFault: Error {
  /// The other side was not reached, or nothing came back.
  case transfer(TransferError)
  /// No secret is kept for the channel.
  case secretMissing
  /// The secret is not the right one; with the words of the other side.
  case loginRefused(String)
  /// The mail server does not encrypt.
  case notEncrypted(String)
  /// It was refused for good; with the words of the other side.
  case refused(String)
  /// Too much was sent in too short a time.
  case tooMuch(retryAfter: Int64?)
  /// The other side has trouble, which may pass; with its words.
  case trouble(String, retryAfter: Int64?)
  /// It cannot be delivered from here.
  case unavailable(String)
  /// The whole message was sent, and nobody knows what became of it.
  case unclear(String)

  /// What a caller is told: the one place where a fault becomes a code, a reason and a sentence.
  ///
  /// What is transient by its code is tried again. `details["outcome"]` is "unknown" when the message may have arrived.
  func failure(on channel: String) -> Failure {
    switch self {
    case .transfer(let error): Self.failure(error)
    case .secretMissing:
      Failure(
        .unauthenticated, "CHANNEL_SECRET_MISSING",
        "No secret is kept for the channel '\(channel)'. Give it one: kith channels login \(channel)")
    case .loginRefused(let words):
      Failure(
        .unauthenticated, "CHANNEL_LOGIN_REFUSED",
        "The other side of '\(channel)' refuses the login\(Self.quoted(words)). Correct it: kith channels login \(channel)"
      )
    case .notEncrypted(let host):
      Failure(
        .failedPrecondition, "CHANNEL_NOT_ENCRYPTED",
        "\(host) does not offer STARTTLS, and mail does not go in the clear. Use its port for TLS, or another server.")
    case .refused(let words):
      Failure(
        .invalidArgument, "CHANNEL_REFUSED",
        "The other side of '\(channel)' refuses the message\(Self.quoted(words)). Check the addresses of the channel.")
    case .tooMuch(let wait):
      Failure(
        .resourceExhausted, "CHANNEL_TOO_MUCH",
        "Too much was sent over '\(channel)' in a short time.",
        retryAfterMilliseconds: UInt32(clamping: wait ?? 0))
    case .trouble(let words, let wait):
      Failure(
        .unavailable, "CHANNEL_TROUBLE",
        "The other side of '\(channel)' has trouble\(Self.quoted(words)).",
        retryAfterMilliseconds: UInt32(clamping: wait ?? 0))
    case .unavailable(let why):
      Failure(.failedPrecondition, "CHANNEL_UNAVAILABLE", why)
    case .unclear(let why):
      Failure(
        .unavailable, "CHANNEL_UNCLEAR", "\(why) The message may have arrived all the same.",
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
