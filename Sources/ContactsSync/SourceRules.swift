internal import Bus
internal import KithMessages

/// The rules for the name and the location of a source.
enum SourceRules {
  /// The source that a request describes.
  ///
  /// - Returns: The source without its password.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` naming the field.
  static func source(_ request: AddSourceRequest) throws(Failure) -> Source {
    var source = Source()
    source.name = try GivenName.check(request.name, field: "name")
    switch request.kind {
    case .vdir(let vdir)?: source.vdir.path = try Self.place(vdir.path, field: "vdir.path")
    case .vcf(let vcf)?: source.vcf.path = try Self.place(vcf.path, field: "vcf.path")
    case .carddav(let account)?: source.carddav = try Self.account(account, field: "carddav")
    case nil: throw SourceFault.kindMissing
    }
    return source
  }

  /// An account without its password.
  static func account(_ account: CardDAV, field: String) throws(Failure) -> CardDAV {
    guard !account.url.isEmpty, account.url.utf8.count <= 2048 else {
      throw .invalid(
        field: "\(field).url", "give the URL of a server, account or address book, a host, or an email address.")
    }
    let authority = account.url.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first
    guard !account.url.contains("://") || authority?.contains("@") != true else {
      throw .invalid(
        field: "\(field).url", "leave user name and password out of the URL; give them separately.")
    }
    try Self.credentials(
      username: account.username, password: account.password, file: account.passwordFile, field: field)
    var kept = account
    kept.password = ""
    guard account.clientCertificate.isEmpty == account.clientKey.isEmpty else {
      throw .invalid(field: "\(field).client_key", "a client certificate and its key belong together.")
    }
    let pin = account.pinnedKey
    guard pin.isEmpty || (pin.hasPrefix("sha256//") && pin.utf8.count == 52) else {
      throw .invalid(
        field: "\(field).pinned_key", "must be sha256// and the base64 of the SHA-256 of the server's public key.")
    }
    return kept
  }

  /// The rules for a user name and password.
  static func credentials(
    username: String, password: String, file: String, field: String
  ) throws(Failure) {
    guard username.utf8.count <= 256, !username.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
      throw .invalid(field: "\(field).username", "must be at most 256 bytes, without control characters.")
    }
    // RFC 7617, 2: a colon would end the name.
    guard !username.contains(":") else { throw .invalid(field: "\(field).username", "must not contain a colon.") }
    guard password.isEmpty || file.isEmpty else {
      throw .invalid(field: "\(field).password_file", "give a password or a file that holds it, not both.")
    }
    guard password.utf8.count <= 4096 else { throw .invalid(field: "\(field).password", "must be at most 4096 bytes.") }
  }

  /// The path of a folder or file of cards, without trailing slashes.
  private static func place(_ path: String, field: String) throws(Failure) -> String {
    let end = path.lastIndex { $0 != "/" }
    guard let end else { throw .invalid(field: field, "must name a folder or a file, and not the root of the disk.") }
    return String(path[...end])
  }
}
