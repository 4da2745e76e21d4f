internal import CCurl
internal import Glibc

extension TransferError {
  /// Makes the error for a code of libcurl. libcurl-errors(3).
  ///
  /// - Parameters:
  ///   - code: Not `CURLE_OK`.
  ///   - easy: The handle, for details.
  ///   - origin: The origin of the request.
  ///   - hasHead: Whether the head of a reply was received.
  ///   - deadline: The deadline of the transfer.
  init(
    _ code: CURLcode, _ easy: borrowing EasyHandle, _ origin: Origin, hasHead: Bool,
    deadline: ContinuousClock.Instant
  ) {
    let detail = easy.detail(of: code)
    self =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST: .unresolvable(origin)
      case CURLE_COULDNT_CONNECT:
        easy.number(.systemError) == Int(ECONNREFUSED) ? .refused(origin) : .unreachable(origin)
      case CURLE_OPERATION_TIMEDOUT: .timeout(Timeout(easy, deadline: deadline), origin)
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch(origin)
      case CURLE_PEER_FAILED_VERIFICATION: .tls(TLSFault(verification: easy.number(.verification)), origin)
      case CURLE_SSL_CACERT_BADFILE: .tls(.authorityFile, origin)
      case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: .tls(.clientCertificate, origin)
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: .tls(.handshake(detail), origin)
      case CURLE_PARTIAL_FILE: .truncated(origin)
      case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
        hasHead ? .truncated(origin) : .connectionLost(detail, origin)
      // A reused connection ended without a reply, and the request must not be sent again.
      case CURLE_SEND_FAIL_REWIND: .connectionLost("it ended after the request was sent", origin)
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
        .malformedReply(detail, origin)
      default: .failed(detail)
      }
  }
}

extension TransferError.Timeout {
  /// How early libcurl may time out: it counts whole milliseconds, and rounds up at a change of the second.
  /// Curl_timediff in curl's lib/timeval.c.
  private static let haste = Duration.milliseconds(1)

  fileprivate init(_ easy: borrowing EasyHandle, deadline: ContinuousClock.Instant) {
    // By our own clock: libcurl's time is that of the last progress, which may be before the timeout.
    if deadline <= .now + Self.haste {
      self = .total
    } else {
      self = easy.number(.readyTime) == 0 ? .connect : .idle
    }
  }
}

extension TransferError.TLSFault {
  /// Reads OpenSSL's result, `X509_V_ERR_...`: x509_vfy.h.
  fileprivate init(verification: Int) {
    self =
      switch verification {
      // Libcurl compares the name itself before it reads OpenSSL's result: 1 is the initial value.
      case 0, 1: .nameMismatch
      case 9: .notYetValid
      case 10: .expired
      default: .untrusted
      }
  }
}
