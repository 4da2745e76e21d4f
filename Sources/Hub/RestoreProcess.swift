internal import Backups
internal import Bus
internal import Daemon
internal import Foundation
internal import KithMessages
internal import Storage

/// The process that restores a backup: command line, words, exit code.
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

  /// Restores the backup, and says where the files of before are.
  ///
  /// - Returns: 0 if it was restored, 2 if the configuration cannot be used, 1 for any other error.
  public func run() async -> Int32 {
    do throws(Failure) {
      let locations = try RuntimeLocations(runtimeDirectory: nil, stateDirectory: self.stateDirectory)
      let configured = try HubProcess.configuration(self.configPath, ProcessInfo.processInfo.environment)
      let path =
        if let named = self.path { RuntimeLocations.absolute(named) } else {
          try Self.beforeUpgrade(in: locations.stateDirectory)
        }
      let restore = BackupRestore(
        path: path, cipher: self.named ?? configured.backup.plan?.cipher, directory: locations.stateDirectory)
      let old = try await restore.run()
      print(
        self.path == nil
          ? "The store from before the upgrade is in place. Install the release of before and start it: this kithd would "
            + "migrate the store again. What was there is in \(old)."
          : "The backup is in place. Start kithd. What was there before is in \(old).")
      return 0
    } catch {
      DaemonLog.end("kithd", error.message)
      return error.reason.hasPrefix("CONFIG_") ? 2 : 1
    }
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
        "No upgrade has left a copy of the store in \(directory). Restore a backup: kithd restore FILE")
    }
    return path
  }
}
