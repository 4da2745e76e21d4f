internal import Backups
public import Bus
internal import Foundation
internal import KithMessages
internal import Storage

/// Restores what a command line names.
public struct RestoreProcess: Sendable {
  private let path: String?
  private let passphraseFile: String?
  private let identityFile: String?
  private let stateDirectory: String?
  private let configPath: String?

  /// Takes the command line's options; nil if not given.
  ///
  /// - Parameter path: The backup; nil = the copy that the last upgrade made.
  public init(
    path: String?, passphraseFile: String?, identityFile: String?, stateDirectory: String?, configPath: String?
  ) {
    self.path = path
    self.passphraseFile = passphraseFile
    self.identityFile = identityFile
    self.stateDirectory = stateDirectory
    self.configPath = configPath
  }

  /// Restores the backup.
  ///
  /// - Returns: The directory in which the files of before are.
  /// - Throws: Why it was not restored; `CONFIG_…` if the configuration cannot be used.
  public func run() async throws(Failure) -> String {
    let locations = try RuntimeLocations(runtimeDirectory: nil, stateDirectory: self.stateDirectory)
    let configured = try HubProcess.configuration(self.configPath, ProcessInfo.processInfo.environment)
    let path =
      if let named = self.path { RuntimeLocations.absolute(named) } else {
        try Self.beforeUpgrade(in: locations.stateDirectory)
      }
    let restore = BackupRestore(
      path: path, cipher: self.named ?? configured.backup.plan?.cipher, directory: locations.stateDirectory)
    return try await restore.run()
  }

  /// What the command line names.
  private var named: ArchiveCipher? {
    self.identityFile.map { .identity(file: RuntimeLocations.absolute($0)) }
      ?? self.passphraseFile.map { .passphrase(file: RuntimeLocations.absolute($0)) }
  }

  private static func beforeUpgrade(in directory: String) throws(Failure) -> String {
    guard let path = UpgradeCopy.newest(in: directory) else {
      throw Failure(
        .notFound, "FILE_MISSING",
        "No upgrade has left a copy of the store in \(directory). Restore a backup: kithd restore FILE",
        details: ["upgrade_copy": directory])
    }
    return path
  }
}
