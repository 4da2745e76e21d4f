internal import Bus
internal import Foundation
internal import Glibc
internal import KithMessages

/// The directory of the backups, in which other households may have theirs.
///
/// ```swift
/// let folder = BackupFolder(path: "/srv/backup/kith", household: "3f9a2c1b")
/// let name = await folder.name(at: now, isEncrypted: false, except: [])   // kith-20260131T033000Z-3f9a2c1b.tar
/// ```
struct BackupFolder: Sendable {
  /// Absolute.
  let path: String
  /// Tells the files of this hub from those of others: letters and digits.
  let household: String

  private static let ending = ".partial"

  /// The path of a backup.
  func path(of name: String) -> String { "\(self.path)/\(name)" }

  /// Where a backup is written before it gets its name.
  func partialPath(of name: String) -> String { self.path(of: name) + Self.ending }

  /// Whether the file of a backup is there.
  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self.path(of: name)) }

  /// A name that no backup has.
  ///
  /// - Parameters:
  ///   - moment: Nanoseconds since 1970. The clock may show a second twice: then the name has a later one.
  ///   - known: Names that are taken.
  @concurrent
  func name(at moment: Int64, isEncrypted: Bool, except known: Set<String>) async -> String {
    let names = (0...).lazy.map {
      BackupName(at: moment + $0 * 1_000_000_000, household: self.household, isEncrypted: isEncrypted).text
    }
    return names.first { !known.contains($0) && !self.has($0) } ?? ""
  }

  /// The backup whose file has this name; nil if it is not one of this hub.
  private func backup(named name: String) -> MadeBackup? {
    guard let parts = BackupName(name), parts.household == self.household,
      let status = try? FileManager.default.attributesOfItem(atPath: self.path(of: name)),
      status[.type] as? FileAttributeType == .typeRegular
    else { return nil }
    var backup = MadeBackup()
    backup.name = name
    backup.made = .init(nanosecondsSince1970: parts.moment)
    backup.size = status[.size] as? UInt64 ?? 0
    backup.encrypted = parts.isEncrypted
    backup.knownState = .good
    return backup
  }

  /// The backups of this hub that are there, in no order.
  func backups() -> [MadeBackup] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []
    return names.compactMap { self.backup(named: $0) }
  }

  /// What differs between the folder and what is known of it.
  struct Difference: Sendable {
    /// Backups of this hub that are not known: only a checked one gets such a name.
    var found: [MadeBackup] = []
    /// Known ones whose file somebody has removed.
    var gone: [String] = []
  }

  /// Compares the folder with what is known of it.
  ///
  /// An empty folder may be one whose disk is not mounted, so nothing is gone unless one of the known ones is there.
  ///
  /// - Parameter known: The names of the sound ones.
  @concurrent
  func difference(from known: Set<String>) async -> Difference {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: self.path) else { return Difference() }
    let found = self.backups().filter { !known.contains($0.name) }
    let gone = known.subtracting(names)
    return Difference(found: found, gone: gone.count < known.count ? gone.sorted() : [])
  }

  /// Makes the folder for the first backup; later it has to be there, and to be the one with the earlier backups.
  ///
  /// - Parameters:
  ///   - known: The names of the sound ones.
  ///   - isAsked: Whether a person asks for a backup: then it may be the first one in an empty folder.
  /// - Throws: `BACKUP_FAILED`.
  func prepare(known: Set<String>, isAsked: Bool) throws(Failure) {
    let files = FileManager.default
    guard files.fileExists(atPath: self.path) else {
      guard known.isEmpty else {
        throw BackupArchive.failure(
          "the folder is missing. Mount its disk, or make the folder if it is a new one.", self.path,
          cause: .folderMissing)
      }
      do {
        try files.createDirectory(
          atPath: self.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return try DiskTree.synchronize(one: (self.path as NSString).deletingLastPathComponent)
      } catch {
        throw BackupArchive.failure(error, self.path)
      }
    }
    guard known.isEmpty || isAsked || known.contains(where: self.has) else {
      throw BackupArchive.failure(
        "none of the earlier backups is in it. Mount its disk. If it is a new folder, make the first one: kith backup now",
        self.path, cause: .otherFolder)
    }
  }

  /// Gives a backup its name, durably.
  ///
  /// - Returns: Its size in bytes.
  func take(_ name: String) throws -> UInt64 {
    try DiskTree.move(self.partialPath(of: name), to: self.path(of: name))
    try DiskTree.synchronize(one: self.path)
    return try FileManager.default.attributesOfItem(atPath: self.path(of: name))[.size] as? UInt64 ?? 0
  }

  /// Removes backups.
  @concurrent
  func remove(_ names: [String]) async {
    for name in names { unlink(self.path(of: name)) }
  }

  /// Removes what a process that was killed has not finished.
  @concurrent
  func removeLeftovers() async { self.removeUnfinished() }

  /// As ``removeLeftovers()``, on the thread of the caller.
  func removeUnfinished() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []
    for name in names
    where name.hasPrefix("kith-") && name.hasSuffix(Self.ending) && name.contains("-\(self.household).") {
      unlink(self.path(of: name))
    }
  }
}
