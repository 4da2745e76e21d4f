public import Bus
internal import Foundation
internal import KithMessages
internal import Storage

/// Puts a backup in the place of the store of a state directory that no hub uses.
///
/// ```swift
/// let restore = BackupRestore(path: "/srv/backup/kith/kith-20260131T033000Z-3f9a2c1b.tar", cipher: nil, directory: state)
/// let old = try await restore.run()
/// ```
public struct BackupRestore: Sendable {
  private let path: String
  private let cipher: ArchiveCipher?
  private let directory: String

  /// Takes absolute paths.
  ///
  /// - Parameters:
  ///   - path: An archive of a ``BackupActor``, or a database that `kith backup` wrote.
  ///   - cipher: What reads an encrypted one.
  ///   - directory: The state directory.
  public init(path: String, cipher: ArchiveCipher?, directory: String) {
    self.path = path
    self.cipher = cipher
    self.directory = directory
  }

  /// Unpacks and checks the backup, sets the present files aside, and puts those of the backup in their place.
  ///
  /// What a run that was killed has moved is put back first, whichever backup it had: until then no hub starts.
  ///
  /// - Returns: The directory within the state directory in which the files of before are.
  /// - Throws: `ALREADY_RUNNING`, `FILE_MISSING`, `STORE_DAMAGED`, `SCHEMA_TOO_NEW`, `BACKUP_FAILED`, `DISK_FULL`,
  ///   `SECRET_UNREADABLE`.
  public func run() async throws(Failure) -> String {
    let mark = try RestoreMark(self.directory)
    do {
      if let text = try mark.content() {
        try StateExchange(stored: text, in: self.directory).undo(in: self.directory)
        try mark.remove()
      }
      guard FileManager.default.fileExists(atPath: self.path) else {
        throw Failure(
          .notFound, "FILE_MISSING", "There is no backup \(self.path). Check the path.", details: ["path": self.path])
      }
      let content = "\(self.scratch)/content"
      try? FileManager.default.removeItem(atPath: self.scratch)
      try FileManager.default.createDirectory(
        atPath: content, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      defer { try? FileManager.default.removeItem(atPath: self.scratch) }
      try await self.unpack(into: content)
      try DiskTree.synchronize(self.scratch)
      let exchange = try StateExchange(of: content, into: self.directory, at: .now)
      try mark.set(exchange.text)
      FaultPoint.restoreMarked.pass()
      do {
        try exchange.carryOut(from: content, in: self.directory)
      } catch {
        // A full disk, perhaps: nothing has changed then.
        try exchange.undo(in: self.directory)
        try mark.remove()
        throw error
      }
      FaultPoint.restoreExchanged.pass()
      try mark.remove()
      return "\(self.directory)/\(exchange.aside)"
    } catch {
      var failure = BackupArchive.failure(error, self.path)
      // Not the store of a hub that runs: its readers are told so.
      if failure.reason == "STORE_DAMAGED" { failure.status.details["backup"] = self.path }
      throw failure
    }
  }

  private var unknown: Failure {
    Failure(
      .invalidArgument, "NOT_A_BACKUP",
      "\(self.path) is not a backup of Kith. The backups are in the folder of [backup] in kithd.toml; while kithd runs, "
        + "this lists them: kith backup list", details: ["path": self.path])
  }

  private var scratch: String { "\(self.directory)/restore.scratch" }

  private func unpack(into content: String) async throws {
    let store = "\(content)/\(BackupContent.store)"
    let status = try FileManager.default.attributesOfItem(atPath: self.path)
    guard status[.type] as? FileAttributeType == .typeRegular else { throw self.unknown }
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: self.path))
    defer { try? file.close() }
    let block = try file.read(upToCount: 512) ?? Data()
    let head = block.prefix(16)
    guard head == Data("SQLite format 3\0".utf8) else {
      var hasIdentity = false
      if case .identity? = self.cipher { hasIdentity = true }
      // age-encryption.org/v1, "Header".
      guard hasIdentity || head != Data("age-encryption.o".utf8) else {
        throw BackupArchive.failure(
          "it is encrypted for the keys of age. Name the file of a private key: --identity-file FILE", self.path,
          cause: .identityMissing)
      }
      // tar(5): each header has this word at the same place. What is encrypted begins otherwise.
      guard self.cipher != nil || block.dropFirst(257).starts(with: Data("ustar".utf8)) else { throw self.unknown }
      let archive = BackupArchive(path: self.path, cipher: self.cipher, scratch: self.scratch)
      return try await archive.unpack(into: content)
    }
    try FileManager.default.copyItem(atPath: self.path, toPath: store)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store)
    // Of a hub that was killed, the newest entries are here alone.
    if FileManager.default.fileExists(atPath: "\(self.path)-wal") {
      try FileManager.default.copyItem(atPath: "\(self.path)-wal", toPath: "\(store)-wal")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(store)-wal")
    }
    try await StoreCopy.check(store)
  }
}
