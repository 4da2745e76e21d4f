internal import Bus
internal import KithMessages

/// What a failure of the server means for the work that met it, and for the rest.
enum RemoteFault: Equatable {
  /// The token is no longer accepted: nothing goes on before a person logs in.
  case session
  /// It fails for everything alike: asked too often, not reachable, nobody there to ask it.
  case everything
  /// It may go better later, for this one or for all: nobody can say.
  case trouble
  /// What stands before the server forbids it: everything, or what it dislikes in one record. It may think better of
  /// it.
  case forbidden
  /// The work was given up here, not there.
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
  /// Whether what was asked for may have happened all the same: the remote half says so, or nobody waited for its answer.
  var isUnsure: Bool {
    if self.status.details["outcome"] == "unknown" { return true }
    switch self.code {
    case .cancelled, .aborted, .internal, .unknown: return true
    case .deadlineExceeded: return self.reason != "MONICA_TIMEOUT"
    case .unavailable: return ["WORKER_LOST", "SHUTTING_DOWN"].contains(self.reason)
    default: return false
    }
  }

  /// Whether somebody was missing whom a change names. That says nothing of an earlier attempt: what it has left does not name them
  /// any more, so it was not found.
  var isForMissingPerson: Bool { self.reason == "GONE" && self.status.details["record"] == "person" }

  /// Whether the server may still be at what was asked for: nobody has heard its end. What Monica has answered itself,
  /// be it with 500, has ended; a proxy answers 502, 503 or 504 while the server behind it goes on.
  var leavesServerBusy: Bool {
    guard self.isUnsure else { return false }
    switch self.code {
    case .unavailable: return self.status.details["status"] != "500"
    case .cancelled, .deadlineExceeded, .aborted, .internal, .unknown, .failedPrecondition: return true
    default: return false
    }
  }

  /// Whether the attempt goes on without us: a worker may be at it when the hub stops, and the next process asks for its end.
  var leavesAttemptOpen: Bool { self.reason == "SHUTTING_DOWN" }

  /// What people are told whose token is no longer accepted.
  static let sessionExpired = Failure(
    .unauthenticated, "SESSION_EXPIRED", "Your session expired. Please log in again")

  /// What people are told who ask for the server without an account.
  static let notLoggedIn = Failure(
    .failedPrecondition, "NOT_LOGGED_IN", "Nobody is logged in to Monica. Run `kith monica login` first.")
}
