internal import Bus
internal import Foundation
internal import KithMessages

/// One attempt: the archive is written beside its name, checked, and gets its name.
struct BackupMaking: Sendable {
  let folder: BackupFolder
  /// A directory that is made for the work and removed after it.
  let scratch: String
  /// Nil = the archive is not encrypted.
  let cipher: ArchiveCipher?
  let content: BackupContent
  /// The names of the sound ones.
  let known: Set<String>
  /// Whether a person asks for it.
  let isAsked: Bool

  /// Makes the file of a backup, durably.
  ///
  /// - Returns: Its size in bytes.
  /// - Throws: `BACKUP_FAILED`, `DISK_FULL`, `DATA_LOSS/STORE_DAMAGED`, `CANCELLED`. Then there is no file.
  @concurrent
  func run(_ backup: MadeBackup) async throws(Failure) -> UInt64 {
    let files = FileManager.default
    let archive = BackupArchive(
      path: self.folder.partialPath(of: backup.name), cipher: self.cipher, scratch: self.scratch)
    defer { try? files.removeItem(atPath: self.scratch) }
    do {
      try? files.removeItem(atPath: self.scratch)
      try self.folder.prepare(known: self.known, isAsked: self.isAsked)
      let (content, restored) = ("\(self.scratch)/content", "\(self.scratch)/restored")
      for path in [content, restored] {
        try files.createDirectory(
          atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
      try await self.content.copy(into: content)
      try await archive.write(content, version: backup.version, name: backup.name)
      try files.removeItem(atPath: content)
      try await archive.unpack(into: restored)
      FaultPoint.backupChecked.pass()
      return try self.folder.take(backup.name)
    } catch {
      for path in [archive.path, self.folder.path(of: backup.name)] { try? files.removeItem(atPath: path) }
      throw BackupArchive.failure(error, self.folder.path(of: backup.name))
    }
  }
}
