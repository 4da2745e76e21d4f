internal import Transfer

/// The faults between this machine and a Monica server.
enum MonicaFault: Sendable, Equatable {
  /// No reply, or an incomplete one.
  case transfer(TransferError)
  /// No token is stored for the account, or it cannot be sent.
  case noToken
  /// 401: the token is wrong, expired or revoked.
  case unauthenticated
  /// 402: the plan of a hosted account does not allow the request.
  case planLimit
  /// 403: a proxy or firewall in front of the server refuses.
  case forbidden
  /// 429, or a wait that the rate limit requires before a request may be sent.
  case rateLimited(wait: Duration)
  /// 5xx, and 408.
  case trouble(status: Int, retryAfterMilliseconds: Int64?)
  /// 404 with the code of a missing record.
  case missing
  /// Not Monica 4: the server does not know the path, redirects to a login page, or answers without JSON.
  case notMonica(NotMonica)
  /// 400, 413, 422 and others: the server refuses the content, with reasons.
  case refused(status: Int, ErrorReply)
  /// A successful reply that cannot be parsed; the text completes "The answer to REQUEST cannot be understood: ".
  case garbled(String)
  /// The person is archived; the server refuses changes to records of archived people.
  case archived
  /// The person who owns the record does not exist.
  case ownerMissing
  /// The server has no such type, and its API cannot make one.
  case unknownName(String)
  /// The record cannot be sent as it is: the field, and what would be valid.
  case invalid(field: String, String)

  /// The signs that a server is not Monica 4.
  enum NotMonica: Sendable, Equatable {
    case unknownPath
    case redirect
    case webPage
  }
}

/// A fault, and whether the request may have been carried out all the same.
struct MonicaError: Error, Equatable {
  var fault: MonicaFault
  /// Whether the server may have carried out a change, so that it has to be searched for before it is sent again.
  var mayHaveArrived = false

  init(_ fault: MonicaFault, mayHaveArrived: Bool = false) {
    self.fault = fault
    self.mayHaveArrived = mayHaveArrived
  }
}

extension MonicaFault {
  /// Whether a change with this fault may have been carried out.
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
    // The page of a proxy, with a successful status: the server behind it may have carried out the change.
    case .notMonica(let sign): sign == .webPage
    case .noToken, .unauthenticated, .planLimit, .forbidden, .rateLimited, .missing, .refused, .archived, .ownerMissing,
      .unknownName, .invalid:
      false
    }
  }
}
