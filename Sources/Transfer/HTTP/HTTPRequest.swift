/// A request with its limits and permissions.
public struct HTTPRequest: Sendable, CustomStringConvertible {
  /// `GET`, `PROPFIND`, `REPORT` and so on.
  public var method: String
  /// The address.
  public var url: WebURL
  /// Header fields besides those that HTTP itself requires.
  public var headers: HTTPHeaders
  /// The body.
  public var body: RequestBody?
  /// Sent only within the origin of `url`.
  public var credentials: Credentials?
  /// Limits of time and size.
  public var limits: TransferLimits
  /// Whether it may be sent unencrypted to another machine.
  public var allowsPlainHTTP: Bool
  /// Whether it may be sent a second time if a reused connection ends without a reply after the body was sent. The server may have
  /// executed it: a request that must not be repeated fails with `TransferError.connectionLost` instead.
  public var isRepeatable: Bool

  /// Makes a request.
  public init(
    _ method: String, _ url: WebURL, headers: HTTPHeaders = [:], body: RequestBody? = nil,
    credentials: Credentials? = nil, limits: TransferLimits = TransferLimits(), allowsPlainHTTP: Bool = false,
    isRepeatable: Bool = true
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.credentials = credentials
    self.limits = limits
    self.allowsPlainHTTP = allowsPlainHTTP
    self.isRepeatable = isRepeatable
  }

  /// Method and origin: a path may name a person, and a query may hold a secret.
  public var description: String { "\(method) \(url.origin)" }

  /// Refuses invalid requests, and unencrypted ones without permission.
  func check() throws(TransferError) {
    guard method.isToken else { throw .invalidRequest("its method has invalid characters") }
    if let fault = headers.fault { throw .invalidRequest(fault) }
    guard url.origin.isEncrypted || url.isLoopback || allowsPlainHTTP else { throw .insecure(url.origin) }
  }
}

/// The body of a request. It can be read again: after a redirect, and if a reused connection is found closed.
public enum RequestBody: Sendable {
  /// Bytes in memory.
  case bytes([UInt8])
  /// The file at a path; its size is read when the transfer starts.
  case file(String)
  /// Pieces that are produced while they are sent.
  ///
  /// `open` starts from the beginning, on the loop, and returns a function for the next piece, nil at the end. Neither may block.
  /// Without a length the body is sent in chunks, which some servers refuse.
  case pieces(length: Int?, open: @Sendable () throws -> () throws -> [UInt8]?)
}
