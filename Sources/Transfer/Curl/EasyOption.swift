internal import CCurl

/// An option of a transfer, with the type of its value. curl_easy_setopt(3).
struct EasyOption<Value: ~Copyable> {
  let rawValue: CURLoption
}

extension EasyOption<Bool> {
  /// Leaves the signals of the process alone, as threads need it.
  static var noSignals: Self { Self(rawValue: CURLOPT_NOSIGNAL) }
  /// Ends a transfer without waiting for the thread that looks its host up.
  static var leavesResolverBehind: Self { Self(rawValue: CURLOPT_QUICK_EXIT) }
  /// Sends a body from the read call-back.
  static var sendsBody: Self { Self(rawValue: CURLOPT_UPLOAD) }
  /// Expects a head without a body.
  static var expectsNoBody: Self { Self(rawValue: CURLOPT_NOBODY) }
  /// Sends the dots of a path as they are.
  static var keepsPath: Self { Self(rawValue: CURLOPT_PATH_AS_IS) }
  /// Waits for a connection that is being made, because it may carry several requests.
  static var waitsToShare: Self { Self(rawValue: CURLOPT_PIPEWAIT) }
  /// Closes the connection after the transfer.
  static var forbidsReuse: Self { Self(rawValue: CURLOPT_FORBID_REUSE) }
  /// Has the certificate of the server verified.
  static var verifiesPeer: Self { Self(rawValue: CURLOPT_SSL_VERIFYPEER) }
}

extension EasyOption<Int> {
  /// 2 has the name in the server's certificate verified.
  static var verifiesHost: Self { Self(rawValue: CURLOPT_SSL_VERIFYHOST) }
  /// The lowest version of TLS.
  static var tlsVersion: Self { Self(rawValue: CURLOPT_SSLVERSION) }
  /// The highest version of HTTP.
  static var httpVersion: Self { Self(rawValue: CURLOPT_HTTP_VERSION) }
  /// Milliseconds until a connection stands, its TLS included.
  static var connectMilliseconds: Self { Self(rawValue: CURLOPT_CONNECTTIMEOUT_MS) }
  /// Milliseconds until the transfer is done.
  static var totalMilliseconds: Self { Self(rawValue: CURLOPT_TIMEOUT_MS) }
  /// Bytes a second below which a transfer counts as idle.
  static var idleSpeed: Self { Self(rawValue: CURLOPT_LOW_SPEED_LIMIT) }
  /// Seconds for which a transfer may be idle.
  static var idleSeconds: Self { Self(rawValue: CURLOPT_LOW_SPEED_TIME) }
  /// The ways in which user name and password may be shown.
  static var authentication: Self { Self(rawValue: CURLOPT_HTTPAUTH) }
  /// Whether a connection that begins in the clear has to be encrypted: `CURLUSESSL_...`.
  static var encryption: Self { Self(rawValue: CURLOPT_USE_SSL) }
  /// Bytes that are read from a socket at once.
  static var receiveBuffer: Self { Self(rawValue: CURLOPT_BUFFERSIZE) }
}

extension EasyOption<Int64> {
  /// Bytes of the body that is sent; -1 when it is not known.
  static var bodySize: Self { Self(rawValue: CURLOPT_INFILESIZE_LARGE) }
}

extension EasyOption<String> {
  /// Where the transfer goes.
  static var url: Self { Self(rawValue: CURLOPT_URL) }
  /// The protocols it may use, separated by commas.
  static var protocols: Self { Self(rawValue: CURLOPT_PROTOCOLS_STR) }
  /// The method of HTTP.
  static var method: Self { Self(rawValue: CURLOPT_CUSTOMREQUEST) }
  /// The name of this program.
  static var userAgent: Self { Self(rawValue: CURLOPT_USERAGENT) }
  /// The proxy; an empty string has none, whatever the environment says.
  static var proxy: Self { Self(rawValue: CURLOPT_PROXY) }
  static var username: Self { Self(rawValue: CURLOPT_USERNAME) }
  static var password: Self { Self(rawValue: CURLOPT_PASSWORD) }
  /// The sender of a mail, in angle brackets.
  static var mailSender: Self { Self(rawValue: CURLOPT_MAIL_FROM) }
  /// An OAuth 2 token.
  static var bearerToken: Self { Self(rawValue: CURLOPT_XOAUTH2_BEARER) }
  /// A PEM file with the only authorities that are trusted.
  static var authorityFile: Self { Self(rawValue: CURLOPT_CAINFO) }
  /// A directory of authorities that are trusted besides; libcurl begins with that of the system.
  static var authorityDirectory: Self { Self(rawValue: CURLOPT_CAPATH) }
  /// Digests of the public keys of which the server must have one.
  static var pinnedKeys: Self { Self(rawValue: CURLOPT_PINNEDPUBLICKEY) }
  /// A PEM file with the certificate of this side.
  static var certificateFile: Self { Self(rawValue: CURLOPT_SSLCERT) }
  /// A PEM file with the key to that certificate.
  static var keyFile: Self { Self(rawValue: CURLOPT_SSLKEY) }
}

extension EasyOption<StringList> {
  /// Lines that are added to the head of a request, or taken out of it.
  static var headerLines: Self { Self(rawValue: CURLOPT_HTTPHEADER) }
  /// The recipients of a mail, in angle brackets.
  static var mailRecipients: Self { Self(rawValue: CURLOPT_MAIL_RCPT) }
}

/// A figure about a transfer, with the type of its value. curl_easy_getinfo(3).
struct EasyInfo<Value> {
  let rawValue: CURLINFO
}

extension EasyInfo<Int> {
  /// What OpenSSL found about the certificate: `X509_V_ERR_...`, 0 for nothing.
  static var verification: Self { Self(rawValue: CURLINFO_SSL_VERIFYRESULT) }
  /// The last status that the server gave; 0 without any.
  static var status: Self { Self(rawValue: CURLINFO_RESPONSE_CODE) }
  /// The `errno` of a connection that failed.
  static var systemError: Self { Self(rawValue: CURLINFO_OS_ERRNO) }
}

extension EasyInfo<Int64> {
  /// Microseconds until the request could be sent; 0 until then.
  static var readyTime: Self { Self(rawValue: CURLINFO_PRETRANSFER_TIME_T) }
}
