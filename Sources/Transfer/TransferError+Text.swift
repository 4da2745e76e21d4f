extension TransferError: CustomStringConvertible {
  /// What happened, to what, and what to do next.
  public var description: String {
    switch self {
    case .invalidURL(let reason):
      "The address cannot be used: \(reason). Write it like https://cloud.example.org/path."
    case .invalidRequest(let reason):
      "The request cannot be sent: \(reason)."
    case .insecure(let origin):
      "\(origin) is not encrypted, so others on the network could read everything. Use https."
    case .unresolvable(let origin):
      "There is no host named \(origin.host). Check the spelling, and whether this machine is online."
    case .refused(let origin):
      "\(origin.host) refuses connections to port \(origin.port). Check the port, and whether the server runs."
    case .unreachable(let origin):
      "\(origin.host) cannot be reached. Check the network, and whether the server is switched on."
    case .tls(let fault, let origin):
      "\(origin) cannot be trusted: \(fault.description)"
    case .pinMismatch(let origin):
      "\(origin) has another key than the pinned one. If its key was renewed on purpose, pin the new one."
    case .timeout(let timeout, let origin):
      "\(origin) \(timeout.description) Try again later."
    case .connectionLost(let detail, let origin):
      "\(origin) closed the connection without a reply (\(detail)). Try again later."
    case .truncated(let origin):
      "The reply of \(origin) was cut off. Try again later."
    case .tooLarge(let limit, let origin):
      "The reply of \(origin) is larger than \(limit) bytes. Raise the limit if such a size is expected."
    case .compressionBomb(let origin):
      "The reply of \(origin) is far larger when decompressed. Check what the server sends."
    case .tooManyRedirects(let limit, let origin):
      "\(origin) redirects more than \(limit) times. Check the address; it may redirect in a circle."
    case .refusedRedirect(.downgrade, let origin):
      "\(origin) redirects from https to plain http, which is not followed. Correct the server's settings."
    case .refusedRedirect(.invalidURL, let origin):
      "\(origin) redirects to an address that cannot be used. Correct the server's settings."
    case .malformedReply(let detail, let origin):
      "The reply of \(origin) is invalid (\(detail)). Check that a web server answers there."
    case .requestBody(let reason):
      "The data to send could not be read: \(reason)."
    case .sink:
      "The received data could not be stored."
    case .cancelled:
      "The transfer was cancelled."
    case .closed:
      "The transfer was ended because its client was closed."
    case .failed(let detail):
      "The transfer failed: \(detail)."
    }
  }
}

extension TransferError.TLSFault: CustomStringConvertible {
  /// The defect, and what to do next.
  public var description: String {
    switch self {
    case .untrusted:
      "its certificate comes from an authority that is not trusted here. Name the authority's file for this account."
    case .expired: "its certificate has expired. It has to be renewed, unless this machine's clock is wrong."
    case .notYetValid: "its certificate is not valid yet. Check this machine's clock."
    case .nameMismatch: "its certificate is for another name. Use the name for which it was issued."
    case .authorityFile: "the file with the trusted authorities cannot be read. Check its path and its content."
    case .clientCertificate: "the client certificate or its key is missing or cannot be used. Check both files."
    case .handshake(let detail): "the TLS handshake failed (\(detail)). Check that the port is the one for https."
    }
  }
}

extension TransferError.Timeout: CustomStringConvertible {
  /// What exceeded its limit.
  public var description: String {
    switch self {
    case .connect: "did not accept a connection in time."
    case .idle: "stopped sending."
    case .total: "did not finish in time."
    }
  }
}
