internal import Bus
internal import Foundation

/// Puts files in the place of those of a state directory, in steps that can be undone: a run that was killed leaves the files of before.
///
/// It is stored before the first step. Each step is on the disk before a step that relies on it.
struct StateExchange: Codable {
  /// The name of the directory, within the state directory, for the files of before.
  let aside: String
  /// The names that are set aside.
  let before: [String]
  /// The names that come in their place.
  let brought: [String]

  /// Sets aside all that is in the place of what comes, the store, and the recordings that it names.
  ///
  /// - Parameters:
  ///   - content: A directory on the same disk, with what comes.
  ///   - directory: The state directory.
  init(of content: String, into directory: String, at moment: Date) throws {
    self.brought = try FileManager.default.contentsOfDirectory(atPath: content).sorted()
    self.before = Set(Self.store + [BackupContent.sounds] + self.brought).sorted().filter {
      FileManager.default.fileExists(atPath: "\(directory)/\($0)")
    }
    self.aside = "before-restore-\(moment.ISO8601Format(.init(includingFractionalSeconds: true)))"
  }

  /// Reads what was stored.
  init(stored text: [UInt8], in directory: String) throws {
    guard text.isEmpty else {
      self = try JSONDecoder().decode(Self.self, from: Data(text))
      return
    }
    // As the first kithd with this command left it.
    self.aside = "before-restore"
    self.before = (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(self.aside)")) ?? []
    self.brought = []
  }

  /// The files of a store, which belong together.
  private static let store = ["kith.db", "kith.db-wal", "kith.db-shm"]

  /// What is to be stored before the first step.
  var text: [UInt8] {
    get throws { Array(try JSONEncoder().encode(self)) }
  }

  /// Carries it out.
  func carryOut(from content: String, in directory: String) throws {
    let aside = "\(directory)/\(self.aside)"
    try FileManager.default.createDirectory(
      atPath: aside, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try DiskTree.synchronize(one: directory)
    for name in self.before {
      try DiskTree.move("\(directory)/\(name)", to: "\(aside)/\(name)")
      FaultPoint.restoreMoved.pass()
    }
    for path in [aside, directory] { try DiskTree.synchronize(one: path) }
    if self.before.contains(BackupContent.sounds), !self.brought.contains(BackupContent.sounds) {
      try self.shareSounds(in: directory)
    }
    for name in self.brought {
      try DiskTree.move("\(content)/\(name)", to: "\(directory)/\(name)")
      FaultPoint.restoreMoved.pass()
    }
    for path in [directory, content] { try DiskTree.synchronize(one: path) }
  }

  /// Has the recordings in both places: a database alone may name some of them, and what nothing names is removed.
  private func shareSounds(in directory: String) throws {
    let (files, sounds) = (FileManager.default, "\(directory)/\(BackupContent.sounds)")
    let kept = "\(directory)/\(self.aside)/\(BackupContent.sounds)"
    try files.createDirectory(
      atPath: sounds, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for name in try files.contentsOfDirectory(atPath: kept) {
      // One file under two names takes no room; one that may still be written is two.
      let isWhole = !name.hasSuffix(".part")
      guard isWhole, (try? files.linkItem(atPath: "\(kept)/\(name)", toPath: "\(sounds)/\(name)")) != nil else {
        try files.copyItem(atPath: "\(kept)/\(name)", toPath: "\(sounds)/\(name)")
        continue
      }
    }
    try DiskTree.synchronize(sounds)
  }

  /// Puts the files of before back, as far as they were set aside. It may be repeated.
  func undo(in directory: String) throws {
    let (files, aside) = (FileManager.default, "\(directory)/\(self.aside)")
    for name in Set(self.before + self.brought).sorted() {
      let (present, kept) = ("\(directory)/\(name)", "\(aside)/\(name)")
      let isKept = files.fileExists(atPath: kept)
      // What is here is that of before unless it was set aside, or there was none.
      guard isKept || !self.before.contains(name) else { continue }
      if files.fileExists(atPath: present) { try files.removeItem(atPath: present) }
      if isKept { try DiskTree.move(kept, to: present) }
      FaultPoint.restoreUndone.pass()
    }
    try DiskTree.synchronize(one: directory)
    guard (try? files.contentsOfDirectory(atPath: aside))?.isEmpty == true else { return }
    try files.removeItem(atPath: aside)
  }
}
