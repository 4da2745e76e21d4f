internal import Transfer

/// What can go wrong between this machine and a Monica server.
enum MonicaFault: Sendable, Equatable {
  /// There was no reply, or not the whole of it.
  case transfer(TransferError)
  /// No token is kept under the account's name, or none that could be sent.
  case noToken
  /// 401: the token is wrong, expired or revoked.
  case unauthenticated
  /// 402: the plan of a hosted account does not allow it.
  case planLimit
  /// 403: what stands before the server refuses.
  case forbidden
  /// 429, or a wait that the rate limit asks of us before anything is sent.
  case rateLimited(wait: Duration)
  /// 5xx, and 408.
  case trouble(status: Int, retryAfterMilliseconds: Int64?)
  /// 404 with the code of a record that is not there.
  case missing
  /// The server does not know the path, redirects to a login page, or answers with no JSON at all: no Monica 4.
  case notMonica(NotMonica)
  /// 400, 413, 422 and others: the server does not take what it was sent, and says why.
  case refused(status: Int, ErrorReply)
  /// A reply of success that cannot be understood; completes "The answer to REQUEST cannot be understood: ".
  case garbled(String)
  /// The person is archived, and the server lets nobody change what belongs to archived people.
  case archived
  /// The person that a record shall belong to is not there.
  case ownerMissing
  /// The record cannot be brought to the server as it is; a field of it and what would be right.
  case invalid(field: String, String)

  /// What shows that there is no Monica 4.
  enum NotMonica: Sendable, Equatable {
    case unknownPath
    case redirect
    case webPage
  }
}

/// A fault, and whether what was asked for may have happened all the same.
struct MonicaError: Error, Equatable {
  var fault: MonicaFault
  /// Whether the server may have carried out a change, so that it has to be looked for before it is asked for again.
  var mayHaveArrived = false

  init(_ fault: MonicaFault, mayHaveArrived: Bool = false) {
    self.fault = fault
    self.mayHaveArrived = mayHaveArrived
  }
}

extension MonicaFault {
  /// Whether a change that failed like this may have been carried out.
  var leavesOutcomeOpen: Bool {
    switch self {
    case .trouble, .garbled: true
    case .transfer(let error):
      switch error {
      case .timeout(.connect, _): false
      case .timeout, .connectionLost, .truncated, .tooLarge, .compressionBomb, .malformedReply, .sink, .cancelled,
        .closed,
        .failed:
        true
      case .invalidURL, .invalidRequest, .insecure, .unresolvable, .refused, .unreachable, .tls, .pinMismatch,
        .tooManyRedirects, .refusedRedirect, .requestBody:
        false
      }
    // The page of a proxy, with a status of success: nobody knows what is behind it.
    case .notMonica(let sign): sign == .webPage
    case .noToken, .unauthenticated, .planLimit, .forbidden, .rateLimited, .missing, .refused, .archived, .ownerMissing,
      .invalid:
      false
    }
  }
}
