/// A request, and how it may be carried out.
public struct HTTPRequest: Sendable, CustomStringConvertible {
  /// `GET`, `PROPFIND`, `REPORT` and so on.
  public var method: String
  /// Where it goes.
  public var url: WebURL
  /// Fields beside those that HTTP itself needs.
  public var headers: HTTPHeaders
  /// What it carries.
  public var body: RequestBody?
  /// Sent only within the origin of `url`.
  public var credentials: Credentials?
  /// How long it may take and how much it may bring.
  public var limits: TransferLimits
  /// Whether it may cross a network unencrypted. To this machine it always may.
  public var allowsPlainHTTP: Bool
  /// Whether it may go out a second time when a kept connection ends without a word after the body was sent. The server may
  /// have carried it out: what must not happen twice fails with `TransferError.connectionLost` instead.
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

  /// Refuses what must not be sent.
  func check() throws(TransferError) {
    guard method.isToken else { throw .invalidRequest("its method has characters that have no place there") }
    if let fault = headers.fault { throw .invalidRequest(fault) }
    guard url.origin.isEncrypted || url.isLoopback || allowsPlainHTTP else { throw .insecure(url.origin) }
  }
}

/// What a request carries. It can be read more than once: after a redirect, and when a kept connection turns out dead.
public enum RequestBody: Sendable {
  /// Bytes in memory.
  case bytes([UInt8])
  /// The file at a path, sent as it grows out of the disk; its size is taken when the transfer starts.
  case file(String)
  /// Pieces that are made while they are sent.
  ///
  /// `open` starts with the first piece, on the loop, and gives a function for the next one: nil at the end. It must not
  /// block. Without a length the body is sent in chunks, which some servers refuse.
  case pieces(length: Int?, open: @Sendable () throws -> () throws -> [UInt8]?)
}
