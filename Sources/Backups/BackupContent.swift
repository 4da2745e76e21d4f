internal import Bus
internal import Foundation
internal import Storage

/// What is in a backup, beside the manifest of its archive.
struct BackupContent: Sendable {
  /// The name of the store.
  static let store = "kith.db"
  /// Recordings that are not transcribed yet.
  static let sounds = "audio"
  /// Passwords, tokens and keys.
  static let secrets = ["secrets", "server.key", "content.key"]
  /// Every name that may be in one.
  static let names = Set([Self.store, Self.sounds] + Self.secrets)

  let storage: StorageActor
  let stateDirectory: String
  let hasSecrets: Bool

  /// Copies it into an empty directory, while all of it is in use.
  ///
  /// - Throws: `DISK_FULL`, `STORE_DAMAGED`; what the file system throws.
  func copy(into directory: String) async throws {
    // Before the store, because it may say that a recording waits which is transcribed and removed meanwhile; and after it, because
    // it may name one that has ended meanwhile.
    try self.copy(Self.sounds, into: directory)
    try await self.storage.copy(to: "\(directory)/\(Self.store)")
    try self.copy(Self.sounds, into: directory)
    guard self.hasSecrets else { return }
    for name in Self.secrets { try self.copy(name, into: directory) }
  }

  /// Copies a file, or the files of a directory, that are not copied yet. Those that are still written are left out, and so are
  /// those that are gone before they are copied.
  private func copy(_ name: String, into directory: String) throws {
    let (files, source) = (FileManager.default, "\(self.stateDirectory)/\(name)")
    var isDirectory: ObjCBool = false
    guard files.fileExists(atPath: source, isDirectory: &isDirectory) else { return }
    guard isDirectory.boolValue else { return try self.copy(file: source, to: "\(directory)/\(name)") }
    try files.createDirectory(
      atPath: "\(directory)/\(name)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for file in try files.contentsOfDirectory(atPath: source) where !file.hasSuffix(".part") {
      try Task.checkCancellation()
      try self.copy(file: "\(source)/\(file)", to: "\(directory)/\(name)/\(file)")
    }
  }

  private func copy(file source: String, to target: String) throws {
    let files = FileManager.default
    guard !files.fileExists(atPath: target) else { return }
    do {
      try files.copyItem(atPath: source, toPath: target)
    } catch {
      guard !files.fileExists(atPath: source) else { throw error }
      try? files.removeItem(atPath: target)
    }
  }
}
