internal import Bus
internal import Glibc
internal import Secrets

/// The program that encrypts the file of a backup, with the file that has its key.
public enum ArchiveCipher: Sendable, Hashable {
  /// gpg(1) with a passphrase, which reads what it wrote.
  case passphrase(file: String)
  /// age(1) with public keys: nothing on this machine reads what it wrote, once it was checked.
  case recipients(file: String)
  /// age(1) with private keys. It only reads.
  case identity(file: String)

  /// The file that has its key.
  var file: String {
    switch self {
    case .passphrase(let file), .recipients(let file), .identity(let file): file
    }
  }

  /// The names of the files that ``program(writes:)`` names.
  ///
  /// - Parameter checkKey: The private key of this one archive, which age writes for as well.
  func files(checkKey: String) -> [(name: String, path: String)] {
    switch self {
    case .passphrase(let file): [("passphrase", file)]
    case .recipients(let file): [("recipients", file), ("check", checkKey)]
    case .identity(let file): [("identity", file)]
    }
  }

  /// The command by which tar(1) has its archive encrypted; to read, it appends `-d`.
  func program(writes: Bool) -> String {
    switch self {
    case .passphrase:
      // Without a count, gpg would ask its agent, which it starts and leaves running.
      "gpg --homedir . --no-autostart --batch --quiet --no-symkey-cache --pinentry-mode loopback --passphrase-file passphrase"
        + (writes ? " --symmetric --cipher-algo AES256 --s2k-count 65011712 --compress-algo none" : "")
    case .recipients: writes ? "age --encrypt --recipients-file recipients --identity check" : "age --identity check"
    case .identity: "age --identity identity"
    }
  }

  /// What to look at if it fails, for people.
  var advice: String {
    switch self {
    case .passphrase: "Check the passphrase, and that gpg is installed."
    case .recipients(let file): "Check the public keys in \(file), and that age is installed."
    case .identity(let file): "Check that \(file) has the private key of this backup, and that age is installed."
    }
  }

  /// Why it may not be used; nil if it may.
  ///
  /// - Throws: `SECRET_UNREADABLE`.
  func fault() throws(Failure) -> String? {
    switch self {
    // gpg and age would take a secret that others may read, and gpg an empty one.
    case .passphrase(let file): try Self.fault(secret: file, "passphrase")
    case .identity(let file): try Self.fault(secret: file, "private key")
    case .recipients(let file): Self.fault(publicKeys: file)
    }
  }

  private static func fault(secret file: String, _ name: String) throws(Failure) -> String? {
    try SecretFile(path: file).read() == nil ? "the file with the \(name), \(file), is missing." : nil
  }

  /// A user who could add a public key could read the next backup.
  private static func fault(publicKeys file: String) -> String? {
    // The string outlives the call.
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      return errno == ENOENT
        ? "the file with the public keys, \(file), is missing."
        : "the file with the public keys, \(file), cannot be read. Run: chmod 644 \(file)"
    }
    defer { close(descriptor) }
    var status = stat()
    // `status` is written whole by a call that succeeds.
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return "\(file) is not a file with public keys. Check backup.recipients_file."
    }
    guard [0, geteuid()].contains(status.st_uid) else {
      return "\(file) belongs to another user, who could add a key. Run: sudo chown root \(file)"
    }
    return status.st_mode & 0o022 == 0 ? nil : "others may write \(file), and so add a key. Run: chmod 644 \(file)"
  }
}
