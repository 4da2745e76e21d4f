public import Bus
internal import Foundation
internal import KithMessages
internal import Storage

/// Puts a backup in the place of the store of a state directory that no hub uses.
///
/// ```swift
/// let restore = BackupRestore(path: "/srv/backup/kith/kith-20260131T033000Z.tar", passphraseFile: nil, directory: state)
/// let old = try await restore.run()
/// ```
public struct BackupRestore: Sendable {
  private let path: String
  private let passphraseFile: String?
  private let directory: String

  /// Takes absolute paths.
  ///
  /// - Parameters:
  ///   - path: An archive of a ``BackupActor``, or a database that `kith backup` wrote.
  ///   - passphraseFile: The file with the passphrase of an encrypted one.
  ///   - directory: The state directory.
  public init(path: String, passphraseFile: String?, directory: String) {
    self.path = path
    self.passphraseFile = passphraseFile
    self.directory = directory
  }

  /// The files of a store, which belong together.
  private static let store = ["kith.db", "kith.db-wal", "kith.db-shm"]

  /// Unpacks and checks the backup, sets the present files aside, and puts those of the backup in their place.
  ///
  /// A run that was killed is finished by the next run: until then no hub starts.
  ///
  /// - Returns: The directory within the state directory in which the files of before are.
  /// - Throws: `ALREADY_RUNNING`, `FILE_MISSING`, `STORE_DAMAGED`, `SCHEMA_TOO_NEW`, `BACKUP_FAILED`, `DISK_FULL`.
  public func run() async throws(Failure) -> String {
    let mark = try RestoreMark(self.directory)
    guard FileManager.default.fileExists(atPath: self.path) else {
      throw Failure(.notFound, "FILE_MISSING", "There is no backup \(self.path). Check the path.")
    }
    do {
      let content = "\(self.scratch)/content"
      try? FileManager.default.removeItem(atPath: self.scratch)
      try Self.makeDirectory(content)
      try await self.unpack(into: content)
      try Self.makeDirectory(self.aside)
      try mark.set()
      try self.exchange(content)
      try FileManager.default.removeItem(atPath: self.scratch)
      let old = "\(self.directory)/before-restore-\(Date.now.ISO8601Format(.init(includingFractionalSeconds: true)))"
      try FileManager.default.moveItem(atPath: self.aside, toPath: old)
      try mark.remove()
      return old
    } catch {
      throw BackupArchive.failure(error, self.path)
    }
  }

  private var scratch: String { "\(self.directory)/restore.scratch" }

  /// Where the files of before go; it gets the time as its name at the end, so that the next run finds that of a killed one.
  private var aside: String { "\(self.directory)/before-restore" }

  private func unpack(into content: String) async throws {
    let store = "\(content)/\(BackupArchive.store)"
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: self.path))
    defer { try? file.close() }
    guard try file.read(upToCount: 16) == Data("SQLite format 3\0".utf8) else {
      let archive = BackupArchive(path: self.path, passphraseFile: self.passphraseFile, scratch: self.scratch)
      return try await archive.unpack(into: content)
    }
    try FileManager.default.copyItem(atPath: self.path, toPath: store)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store)
    try StoreCopy.check(store)
  }

  private func exchange(_ content: String) throws {
    let files = FileManager.default
    let new = try files.contentsOfDirectory(atPath: content)
    for name in Set(Self.store + new) where files.fileExists(atPath: "\(self.directory)/\(name)") {
      let present = "\(self.directory)/\(name)"
      // Where a killed run had set it aside, the one here is of the backup.
      if files.fileExists(atPath: "\(self.aside)/\(name)") {
        try files.removeItem(atPath: present)
      } else {
        try files.moveItem(atPath: present, toPath: "\(self.aside)/\(name)")
      }
    }
    for name in new { try files.moveItem(atPath: "\(content)/\(name)", toPath: "\(self.directory)/\(name)") }
  }

  private static func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }
}
