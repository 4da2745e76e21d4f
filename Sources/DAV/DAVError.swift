public import Transfer

/// Why an address book cannot be read. No error says anything about its contents, so stored contacts are kept.
///
/// ```swift
/// if let seconds = error.retryAfter { retry(after: seconds) } else { print(error) }
/// ```
public enum DAVError: Error, Sendable, Equatable {
  /// 401: the server requires credentials, or other ones.
  case needsCredentials(place: String)
  /// 403.
  case forbidden(place: String)
  /// 404 or 410.
  case notFound(place: String)
  /// The server answers, but the resource is not an address book.
  case notAnAddressBook(place: String)
  /// The account exists and has no address book.
  case noAddressBook(place: String)
  /// 503 and other server failures. `retryAfter` in seconds, if the server sent it.
  case unavailable(place: String, status: Int, retryAfter: Int?)
  /// 429. `retryAfter` in seconds, if the server sent it.
  case rateLimited(place: String, retryAfter: Int?)
  /// Any other status that does not fit the request.
  case refused(place: String, status: Int)
  /// The answer cannot be parsed. `what` completes "The answer of PLACE cannot be used: ".
  case malformed(place: String, what: String)
  /// An answer or a card exceeds a limit; `what` names it.
  case tooLarge(place: String, what: String)
  /// The typed address is not a URL, host or email address.
  case notAnAddress(String)
  /// The account leads to a server outside the family, which must not get the password.
  case elsewhere(place: String, url: String)
  /// The network, TLS, or the HTTP layer failed.
  case transfer(TransferError)

  /// The error for a status that is not a success.
  static func status(_ status: Int, place: String, retryAfter: Int? = nil) -> DAVError {
    switch status {
    case 401: .needsCredentials(place: place)
    case 403: .forbidden(place: place)
    case 404, 410: .notFound(place: place)
    case 200..<300, 405, 501: .notAnAddressBook(place: place)
    case 413, 507: .tooLarge(place: place, what: "what the server gives at once")
    case 429: .rateLimited(place: place, retryAfter: retryAfter)
    case 500...: .unavailable(place: place, status: status, retryAfter: retryAfter)
    default: .refused(place: place, status: status)
    }
  }

  /// The error for a document that cannot be read.
  static func xml(_ fault: XMLFault, place: String) -> DAVError {
    if case .tooLarge(let what) = fault { return .tooLarge(place: place, what: what) }
    return .malformed(place: place, what: fault.description)
  }

  /// True if a smaller request may succeed: a limit, a timeout, or an answer that one bad card may have spoilt.
  var isTooMuch: Bool {
    switch self {
    case .tooLarge, .malformed: true
    case .transfer(let error):
      switch error {
      case .timeout(.connect, _): false
      case .timeout, .tooLarge, .compressionBomb, .truncated, .connectionLost, .malformedReply: true
      default: false
      }
    default: false
    }
  }

  /// True if the server may be down: the connection was cut, or a gateway found no server behind it.
  var isAbsence: Bool {
    switch self {
    case .transfer(.connectionLost), .unavailable(_, 502, _), .unavailable(_, 504, _): true
    default: false
    }
  }

  /// Whether the server took too long.
  var isTimeout: Bool {
    if case .transfer(.timeout) = self { true } else { false }
  }

  /// Seconds to wait before the next try; nil if the server did not say.
  public var retryAfter: Int? {
    switch self {
    case .unavailable(_, _, let seconds), .rateLimited(_, let seconds): seconds
    default: nil
    }
  }
}

extension DAVError: CustomStringConvertible {
  /// What happened, to what, and what to do next.
  public var description: String {
    switch self {
    case .needsCredentials(let place):
      "\(place) does not accept the user name and password. Give the right ones; kithd does not retry until then."
    case .forbidden(let place):
      "\(place) may not be read with this user name. Ask its owner for access, or use another address."
    case .notFound(let place):
      "There is no address book at \(place). Check the address. Contacts already read are kept."
    case .notAnAddressBook(let place):
      "\(place) is not a CardDAV address book. Give the address of the account or address book that the provider names."
    case .noAddressBook(let place):
      "The account at \(place) has no address book. Make one there first. Contacts already read are kept."
    case .unavailable(let place, let status, let seconds):
      "\(place) cannot answer now (status \(status)). kithd retries \(Self.later(seconds))."
    case .rateLimited(let place, let seconds):
      "\(place) got too many requests. kithd retries \(Self.later(seconds))."
    case .refused(let place, let status):
      "\(place) refused the request (status \(status)). Check that the address is that of a CardDAV server."
    case .malformed(let place, let what):
      "The answer of \(place) cannot be used: \(what). Nothing was changed; kithd retries later."
    case .tooLarge(let place, let what): "The answer of \(place) exceeds the limit of \(what)."
    case .notAnAddress(let text):
      "'\(text)' is not a web address, host or email address. Give one like https://dav.example.org/ or ann@example.org."
    case .elsewhere(let place, let url):
      "\(place) leads to another server, which must not get the password. If you trust it, use \(url) as the address."
    case .transfer(let error): "\(error)"
    }
  }

  private static func later(_ seconds: Int?) -> String { seconds.map { "in \($0) seconds" } ?? "later" }
}
