internal import CCurl

/// An option of a transfer, with the type of its value. curl_easy_setopt(3).
struct EasyOption<Value: ~Copyable> {
  let rawValue: CURLoption
}

extension EasyOption<Bool> {
  /// Sets no signal handlers, which is required with threads.
  static var noSignals: Self { Self(rawValue: CURLOPT_NOSIGNAL) }
  /// Ends a transfer without waiting for its resolver's thread.
  static var leavesResolverBehind: Self { Self(rawValue: CURLOPT_QUICK_EXIT) }
  /// Sends a body from the read callback.
  static var sendsBody: Self { Self(rawValue: CURLOPT_UPLOAD) }
  /// Expects a head without a body.
  static var expectsNoBody: Self { Self(rawValue: CURLOPT_NOBODY) }
  /// Sends dot segments of a path unchanged.
  static var keepsPath: Self { Self(rawValue: CURLOPT_PATH_AS_IS) }
  /// Waits for a connection that is being opened, because it may carry several requests.
  static var waitsToShare: Self { Self(rawValue: CURLOPT_PIPEWAIT) }
  /// Closes the connection after the transfer.
  static var forbidsReuse: Self { Self(rawValue: CURLOPT_FORBID_REUSE) }
  /// Verifies the certificate of the server.
  static var verifiesPeer: Self { Self(rawValue: CURLOPT_SSL_VERIFYPEER) }
}

extension EasyOption<Int> {
  /// 2 verifies the name in the server's certificate.
  static var verifiesHost: Self { Self(rawValue: CURLOPT_SSL_VERIFYHOST) }
  /// The lowest version of TLS.
  static var tlsVersion: Self { Self(rawValue: CURLOPT_SSLVERSION) }
  /// The highest version of HTTP.
  static var httpVersion: Self { Self(rawValue: CURLOPT_HTTP_VERSION) }
  /// Milliseconds until a connection is open, TLS included.
  static var connectMilliseconds: Self { Self(rawValue: CURLOPT_CONNECTTIMEOUT_MS) }
  /// Milliseconds until the transfer is done.
  static var totalMilliseconds: Self { Self(rawValue: CURLOPT_TIMEOUT_MS) }
  /// Bytes a second below which a transfer counts as idle.
  static var idleSpeed: Self { Self(rawValue: CURLOPT_LOW_SPEED_LIMIT) }
  /// Seconds for which a transfer may be idle.
  static var idleSeconds: Self { Self(rawValue: CURLOPT_LOW_SPEED_TIME) }
  /// The allowed authentication methods.
  static var authentication: Self { Self(rawValue: CURLOPT_HTTPAUTH) }
  /// Whether a connection that begins unencrypted has to become encrypted: `CURLUSESSL_...`.
  static var encryption: Self { Self(rawValue: CURLOPT_USE_SSL) }
  /// The most bytes of one read from a socket.
  static var receiveBuffer: Self { Self(rawValue: CURLOPT_BUFFERSIZE) }
}

extension EasyOption<Int64> {
  /// Bytes of the body to send; -1 if unknown.
  static var bodySize: Self { Self(rawValue: CURLOPT_INFILESIZE_LARGE) }
}

extension EasyOption<String> {
  /// The URL.
  static var url: Self { Self(rawValue: CURLOPT_URL) }
  /// The allowed protocols, separated by commas.
  static var protocols: Self { Self(rawValue: CURLOPT_PROTOCOLS_STR) }
  /// The method of HTTP.
  static var method: Self { Self(rawValue: CURLOPT_CUSTOMREQUEST) }
  /// The name of this program.
  static var userAgent: Self { Self(rawValue: CURLOPT_USERAGENT) }
  /// The proxy; an empty string disables those of the environment.
  static var proxy: Self { Self(rawValue: CURLOPT_PROXY) }
  static var username: Self { Self(rawValue: CURLOPT_USERNAME) }
  static var password: Self { Self(rawValue: CURLOPT_PASSWORD) }
  /// The sender of a mail, in angle brackets.
  static var mailSender: Self { Self(rawValue: CURLOPT_MAIL_FROM) }
  /// An OAuth 2 token.
  static var bearerToken: Self { Self(rawValue: CURLOPT_XOAUTH2_BEARER) }
  /// A PEM file with the only trusted authorities.
  static var authorityFile: Self { Self(rawValue: CURLOPT_CAINFO) }
  /// A directory of further trusted authorities; libcurl's default is that of the system.
  static var authorityDirectory: Self { Self(rawValue: CURLOPT_CAPATH) }
  /// Digests of public keys, one of which the server must have.
  static var pinnedKeys: Self { Self(rawValue: CURLOPT_PINNEDPUBLICKEY) }
  /// A PEM file with the client certificate.
  static var certificateFile: Self { Self(rawValue: CURLOPT_SSLCERT) }
  /// A PEM file with the key of that certificate.
  static var keyFile: Self { Self(rawValue: CURLOPT_SSLKEY) }
}

extension EasyOption<StringList> {
  /// Header lines to add to a request, or to remove from it.
  static var headerLines: Self { Self(rawValue: CURLOPT_HTTPHEADER) }
  /// The recipients of a mail, in angle brackets.
  static var mailRecipients: Self { Self(rawValue: CURLOPT_MAIL_RCPT) }
}

/// A figure about a transfer, with the type of its value. curl_easy_getinfo(3).
struct EasyInfo<Value> {
  let rawValue: CURLINFO
}

extension EasyInfo<Int> {
  /// OpenSSL's result for the certificate: `X509_V_ERR_...`, 0 for none.
  static var verification: Self { Self(rawValue: CURLINFO_SSL_VERIFYRESULT) }
  /// The last status of the server; 0 without any.
  static var status: Self { Self(rawValue: CURLINFO_RESPONSE_CODE) }
  /// The `errno` of a connection that failed.
  static var systemError: Self { Self(rawValue: CURLINFO_OS_ERRNO) }
}

extension EasyInfo<Int64> {
  /// Microseconds until the request could be sent; 0 until then.
  static var readyTime: Self { Self(rawValue: CURLINFO_PRETRANSFER_TIME_T) }
}
