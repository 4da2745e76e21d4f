internal import Bus
internal import DAV
internal import KithMessages
internal import Transfer

/// The failures of accounts, with advice for a person.
enum AccountFault {
  /// The failure of an account.
  ///
  /// - Parameter source: Its name, for the command in the message; nil if it has none yet.
  static func failure(_ error: DAVError, source: String?) -> Failure {
    let text = error.description
    let retry = error.retryAfter.map { UInt32(clamping: $0 * 1000) } ?? 0
    switch error {
    case .needsCredentials(let place):
      return Self.needsCredentials("\(place) does not accept the user name and password.", source)
    case .forbidden: return Failure(.permissionDenied, "SOURCE_UNREADABLE", text)
    case .notFound, .noAddressBook:
      let advice = source.map { " If it was deleted on purpose, remove the source: kith contacts source remove \($0)" }
      return Failure(.notFound, "SOURCE_UNAVAILABLE", text + (advice ?? ""))
    case .notAnAddressBook, .elsewhere, .refused:
      return Failure(.failedPrecondition, "SOURCE_NOT_AN_ADDRESS_BOOK", text)
    case .notAnAddress: return .invalid(field: "url", text)
    case .tooLarge: return Failure(.resourceExhausted, "SOURCE_TOO_LARGE", text)
    case .rateLimited:
      return Failure(.unavailable, Self.rateLimited, text, retryAfterMilliseconds: retry)
    case .unavailable: return Failure(.unavailable, "UPSTREAM_DOWN", text, retryAfterMilliseconds: retry)
    case .malformed: return Failure(.unavailable, "UPSTREAM_MALFORMED", text)
    case .transfer(let error):
      switch error {
      case .cancelled: return .cancelled
      case .insecure:
        return Failure(
          .failedPrecondition, "UPSTREAM_NOT_TRUSTED",
          text + " For a server at home without a certificate, add the source with --allow-plain-http.")
      case .tls, .pinMismatch: return Failure(.failedPrecondition, "UPSTREAM_NOT_TRUSTED", text)
      default: return Failure(.unavailable, "UPSTREAM_DOWN", text)
      }
    }
  }

  /// The server refuses the password, or there is none: kithd stops trying until a person gives another one.
  static func needsCredentials(_ what: String, _ source: String?) -> Failure {
    let advice = source.map { "Give it with `kith contacts source login \($0)`." } ?? "Give the right ones."
    return Failure(.unauthenticated, "NEEDS_CREDENTIALS", "\(what) \(advice) kithd does not retry until then.")
  }

  /// The reason if the server limits requests.
  static let rateLimited = "UPSTREAM_RATE_LIMITED"

  static let unserved = Failure(
    .unimplemented, "SOURCE_KIND_UNSUPPORTED", "This hub does not read accounts. Add the account at a hub that does.")
}
