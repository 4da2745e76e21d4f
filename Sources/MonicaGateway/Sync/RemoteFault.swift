internal import Bus
internal import KithMessages

/// What a failure of the server means for the work that failed, and for all other work.
enum RemoteFault: Equatable {
  /// The token is no longer accepted: nothing can continue before a person logs in.
  case session
  /// All requests fail: rate limit, server unreachable, no worker.
  case everything
  /// It may succeed later; it is unknown whether one record or all are affected.
  case trouble
  /// A proxy or firewall in front of the server forbids it, because of this record or for all. It may be allowed later.
  case forbidden
  /// This side cancelled the work.
  case interrupted
  /// It will be refused again as it is.
  case refusal

  init(_ failure: Failure) {
    switch failure.code {
    case .unauthenticated: self = .session
    case .cancelled: self = .interrupted
    case .unavailable:
      switch failure.reason {
      case "MONICA_UNREACHABLE", "NO_WORKER", "WORKER_LOST", "SHUTTING_DOWN": self = .everything
      default: self = .trouble
      }
    case .failedPrecondition where failure.reason == "PERSON_ARCHIVED": self = .refusal
    case .permissionDenied where failure.reason == "MONICA_FORBIDDEN": self = .forbidden
    case .resourceExhausted, .failedPrecondition, .unimplemented: self = .everything
    case .invalidArgument, .notFound, .alreadyExists, .outOfRange, .permissionDenied: self = .refusal
    default: self = .trouble
    }
  }
}

extension Failure {
  /// Whether the request may have been carried out all the same: `MonicaRemote` reports so, or its answer was not
  /// awaited.
  var isUnsure: Bool {
    if self.status.details["outcome"] == "unknown" { return true }
    switch self.code {
    case .cancelled, .aborted, .internal, .unknown: return true
    case .deadlineExceeded: return self.reason != "MONICA_TIMEOUT"
    case .unavailable: return ["WORKER_LOST", "SHUTTING_DOWN"].contains(self.reason)
    default: return false
    }
  }

  /// Whether a person whom the change names was missing. That says nothing about an earlier attempt: its result no
  /// longer names the person, so it was not found.
  var isForMissingPerson: Bool { self.reason == "GONE" && self.status.details["record"] == "person" }

  /// Whether the server may still be working on the request. A request that Monica itself has answered, even with 500,
  /// has ended; a proxy answers 502, 503 or 504 while the server behind it may continue.
  var leavesServerBusy: Bool {
    guard self.isUnsure else { return false }
    switch self.code {
    case .unavailable: return self.status.details["status"] != "500"
    case .cancelled, .deadlineExceeded, .aborted, .internal, .unknown, .failedPrecondition: return true
    default: return false
    }
  }

  /// Whether the attempt continues without the hub: a worker may be running it when the hub stops, and the next process
  /// asks for its result.
  var leavesAttemptOpen: Bool { self.reason == "SHUTTING_DOWN" }

  /// The failure for a token that is no longer accepted.
  static let sessionExpired = Failure(
    .unauthenticated, "SESSION_EXPIRED", "Your session expired. Please log in again")

  /// The failure for a request to the server without an account.
  static let notLoggedIn = Failure(
    .failedPrecondition, "NOT_LOGGED_IN", "Nobody is logged in to Monica. Run `kith monica login` first.")
}
