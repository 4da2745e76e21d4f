internal import Bus
internal import KithMessages
internal import Transfer

extension MonicaError {
  /// The failure for the caller: the one place where a fault becomes a code, a reason and a sentence.
  ///
  /// `details["outcome"]` is "unknown" if a change may have arrived; without it, the change did not arrive.
  var failure: Failure {
    var failure = self.fault.failure
    if self.mayHaveArrived { failure.status.details["outcome"] = "unknown" }
    return failure
  }
}

extension MonicaFault {
  fileprivate var failure: Failure {
    switch self {
    case .transfer(let error): Self.failure(error)
    case .noToken:
      Failure(
        .unauthenticated, "TOKEN_MISSING", "No API token is stored for this account. Run `kith monica login`.")
    case .unauthenticated: Failure(.unauthenticated, "TOKEN_INVALID", "This API token is invalid or expired")
    case .planLimit:
      Failure(
        .permissionDenied, "MONICA_PLAN_LIMIT",
        "The plan of this Monica account does not allow that. See its billing page.")
    case .forbidden:
      Failure(
        .permissionDenied, "MONICA_FORBIDDEN",
        "The server forbids that. Check the rules of the proxy or firewall in front of it.")
    case .rateLimited(let wait):
      Failure(
        .resourceExhausted, "RATE_LIMITED", "Too many requests. Please wait a moment",
        retryAfterMilliseconds: Self.milliseconds(wait))
    case .trouble(let status, let wait):
      Failure(
        .unavailable, "MONICA_TROUBLE", "Monica is having trouble. Please try again",
        retryAfterMilliseconds: UInt32(clamping: wait ?? 0), details: ["status": String(status)])
    case .missing: Failure(.notFound, "GONE", "The server no longer has that record.")
    case .notMonica(let sign): Failure(.failedPrecondition, "NOT_MONICA", Self.sentence(sign))
    case .refused(let status, let reply):
      Failure(
        .invalidArgument, "MONICA_REFUSED",
        reply.text.isEmpty ? "Monica refuses that (status \(status))." : "Monica refuses that: \(reply.text)",
        details: reply.sentences)
    case .garbled(let what):
      Failure(.dataLoss, "MONICA_GARBLED", "Monica's answer cannot be understood: \(what). Please try again")
    case .archived:
      Failure(
        .failedPrecondition, "PERSON_ARCHIVED",
        "The person is archived on the server, and archived people cannot be changed. Unarchive the person there first."
      )
    case .ownerMissing:
      Failure(
        .notFound, "GONE", "The server no longer has the person that this belongs to.", details: ["record": "person"])
    case .unknownName(let name):
      Failure(.notFound, "TYPE_UNKNOWN", "The server has no '\(name)', so the record is kept here alone.")
    case .invalid(let field, let why): .invalid(field: field, why)
    }
  }

  private static func sentence(_ sign: NotMonica) -> String {
    switch sign {
    case .unknownPath:
      "There is no Monica 4 at this address. Check it; Monica 5 is another product, which cannot be used here."
    case .redirect:
      "The server leads elsewhere, as to a login page: the address is not quite right, or the API token is invalid."
    case .webPage: "A web page answers at this address in place of Monica's API. Check the address."
    }
  }

  private static func failure(_ error: TransferError) -> Failure {
    switch error {
    case .cancelled: return .cancelled
    case .invalidURL, .insecure: return .invalid(field: "endpoint", error.description)
    case .invalidRequest: return MonicaFault.noToken.failure
    case .tls, .pinMismatch: return Failure(.failedPrecondition, "MONICA_NOT_TRUSTED", error.description)
    case .tooManyRedirects, .refusedRedirect: return MonicaFault.notMonica(.redirect).failure
    case .timeout:
      return Failure(
        .deadlineExceeded, "MONICA_TIMEOUT", "Monica did not answer in time. Please try again",
        details: ["cause": error.description])
    case .tooLarge, .compressionBomb, .malformedReply, .sink:
      return Failure(.dataLoss, "MONICA_GARBLED", "Monica's answer cannot be understood: \(error.description)")
    case .unresolvable, .refused, .unreachable, .connectionLost, .truncated, .requestBody, .closed, .failed:
      return Failure(
        .unavailable, "MONICA_UNREACHABLE", "Cannot connect. Check your internet and try again",
        details: ["cause": error.description])
    }
  }

  private static func milliseconds(_ duration: Duration) -> UInt32 {
    // Rounded up: a client that retries a little too early is refused again.
    UInt32(clamping: max(1, Int64((duration / .milliseconds(1)).rounded(.up))))
  }
}
