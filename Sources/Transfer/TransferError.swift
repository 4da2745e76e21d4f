/// Why a transfer did not come to a reply.
///
/// A reply with any status is a reply: 401 or 503 is not an error here. No case holds a secret, a query or a body.
public enum TransferError: Error, Hashable, Sendable {
  /// A text that is no usable address; with what is wrong about it.
  case invalidURL(String)
  /// A request that cannot be sent as it is: a header or a method with characters that have no place there.
  case invalidRequest(String)
  /// Plain http to another machine, without the request's permission.
  case insecure(Origin)
  /// No address for the name of the host.
  case unresolvable(Origin)
  /// The host is there, and nothing listens at the port.
  case refused(Origin)
  /// The host cannot be reached.
  case unreachable(Origin)
  /// The connection cannot be trusted, or its TLS failed.
  case tls(TLSFault, Origin)
  /// The server's certificate is valid, and its key is none of those that are pinned.
  case pinMismatch(Origin)
  /// It took too long.
  case timeout(Timeout, Origin)
  /// The connection was cut before a whole head of a reply had come; with libcurl's words.
  case connectionLost(String, Origin)
  /// The connection was cut in the body of a reply.
  case truncated(Origin)
  /// A reply of more bytes than the limit.
  case tooLarge(limit: Int, Origin)
  /// A reply that grows suspiciously when it is decompressed.
  case compressionBomb(Origin)
  /// More redirects than the limit, or a loop of them.
  case tooManyRedirects(limit: Int, Origin)
  /// A redirect to where this request must not go.
  case refusedRedirect(RedirectFault, Origin)
  /// A reply that is not HTTP, or HTTP that makes no sense; with libcurl's words.
  case malformedReply(String, Origin)
  /// The body of the request could not be read; with the reason.
  case requestBody(String)
  /// The receiver of the body threw: it knows why.
  case sink
  /// The task was cancelled.
  case cancelled
  /// The client was closed.
  case closed
  /// What should not happen; with libcurl's words.
  case failed(String)

  /// What is wrong with a TLS connection.
  public enum TLSFault: Hashable, Sendable {
    /// The certificate comes from no authority that is trusted.
    case untrusted
    /// The certificate, or one above it, is too old.
    case expired
    /// The certificate is not valid yet.
    case notYetValid
    /// The certificate belongs to another name.
    case nameMismatch
    /// The file with the trusted authorities cannot be read.
    case authorityFile
    /// The files with the own certificate and key cannot be used.
    case clientCertificate
    /// The two sides do not agree on a connection; with libcurl's words.
    case handshake(String)
  }

  /// Which time is over.
  public enum Timeout: Hashable, Sendable {
    /// Until the connection stood.
    case connect
    /// Without a byte.
    case idle
    /// Of the whole transfer, redirects included.
    case total
  }

  /// Why a redirect is not followed.
  public enum RedirectFault: Hashable, Sendable {
    /// From https to http.
    case downgrade
    /// To something that is no usable http or https address.
    case invalidURL
  }
}
