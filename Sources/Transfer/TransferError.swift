/// Why a transfer has no reply.
///
/// A reply with any status is a reply: 401 or 503 is not an error here. No case holds a secret, a query or a body.
public enum TransferError: Error, Hashable, Sendable {
  /// A text that is not a usable address; with the reason.
  case invalidURL(String)
  /// A request that cannot be sent, such as one with invalid characters in a header or the method; with the reason.
  case invalidRequest(String)
  /// Plain http to another machine, without the request's permission.
  case insecure(Origin)
  /// No address for the name of the host.
  case unresolvable(Origin)
  /// The host answers, but nothing listens at the port.
  case refused(Origin)
  /// The host cannot be reached.
  case unreachable(Origin)
  /// The connection cannot be trusted, or its TLS failed.
  case tls(TLSFault, Origin)
  /// The server's certificate is valid, but its key is not pinned.
  case pinMismatch(Origin)
  /// A limit of time was exceeded.
  case timeout(Timeout, Origin)
  /// The connection ended before the head of a reply was complete; with libcurl's message.
  case connectionLost(String, Origin)
  /// The connection ended within the body of a reply.
  case truncated(Origin)
  /// A reply of more bytes than the limit.
  case tooLarge(limit: Int, Origin)
  /// A reply that grows suspiciously when it is decompressed.
  case compressionBomb(Origin)
  /// More redirects than the limit, or a loop of them.
  case tooManyRedirects(limit: Int, Origin)
  /// A redirect that must not be followed.
  case refusedRedirect(RedirectFault, Origin)
  /// A reply that is not valid HTTP; with libcurl's message.
  case malformedReply(String, Origin)
  /// The body of the request could not be read; with the reason.
  case requestBody(String)
  /// The receiver of the body threw an error.
  case sink
  /// The task was cancelled.
  case cancelled
  /// The client was closed.
  case closed
  /// An unexpected failure; with libcurl's message.
  case failed(String)

  /// What is wrong with a TLS connection.
  public enum TLSFault: Hashable, Sendable {
    /// The certificate's authority is not trusted.
    case untrusted
    /// The certificate, or one of its chain, has expired.
    case expired
    /// The certificate is not valid yet.
    case notYetValid
    /// The certificate is for another name.
    case nameMismatch
    /// The file with the trusted authorities cannot be read.
    case authorityFile
    /// The files of the client certificate and key cannot be used.
    case clientCertificate
    /// The handshake failed; with libcurl's message.
    case handshake(String)
  }

  /// The limit that was exceeded.
  public enum Timeout: Hashable, Sendable {
    /// The time to connect.
    case connect
    /// The time without a byte.
    case idle
    /// The time of the whole transfer, redirects included.
    case total
  }

  /// Why a redirect is not followed.
  public enum RedirectFault: Hashable, Sendable {
    /// From https to http.
    case downgrade
    /// To an unusable address.
    case invalidURL
  }
}
