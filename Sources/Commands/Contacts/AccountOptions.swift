internal import ArgumentParser
internal import Bus
internal import KithMessages

/// The login at a CardDAV server, and how the server's identity is verified.
struct AccountOptions: ParsableArguments {
  @Option(help: "The user name.")
  var username: String?

  @Option(help: InputFile.secretHelp("password"), completion: .file())
  var passwordFile: String?

  @Option(help: "A file of certificates (PEM) to trust instead of the system's authorities.", completion: .file())
  var caFile: String?

  @Option(help: "The server's public key: sha256// and the base64 of its SHA-256.")
  var pinnedKey: String?

  @Option(help: "A file with the certificate (PEM) to present to the server.", completion: .file())
  var clientCertificate: String?

  @Option(help: "The file with the key (PEM) of that certificate.", completion: .file())
  var clientKey: String?

  @Flag(help: "Allow unencrypted http to another machine: others on the network can read password and cards.")
  var allowPlainHttp = false

  var isEmpty: Bool {
    !self.allowPlainHttp
      && [self.username, self.passwordFile, self.caFile, self.pinnedKey, self.clientCertificate, self.clientKey]
        .allSatisfy { $0 == nil }
  }

  /// The account; asks for the password if a user name was given without one.
  ///
  /// - Throws: `FAILED_PRECONDITION/PASSWORD_MISSING` if there is no terminal to ask on.
  func account(at url: String, _ session: Session) throws(Failure) -> CardDAV {
    var account = CardDAV()
    account.url = url
    account.username = self.username ?? ""
    account.caFile = self.caFile.map(RuntimeLocations.absolute) ?? ""
    account.pinnedKey = self.pinnedKey ?? ""
    account.clientCertificate = self.clientCertificate.map(RuntimeLocations.absolute) ?? ""
    account.clientKey = self.clientKey.map(RuntimeLocations.absolute) ?? ""
    account.allowPlainHTTP = self.allowPlainHttp
    if let passwordFile, passwordFile != InputFile.standardInput {
      (account.password, account.passwordFile) = try session.secret(inFile: passwordFile)
    } else if self.username != nil || self.passwordFile != nil {
      account.password = try session.console.askSecret(
        session.language(
          "Password of \(Printable.text(account.username)): ", "\(Printable.text(account.username)) のパスワード: "),
        file: self.passwordFile, session.language)
    }
    return account
  }
}
