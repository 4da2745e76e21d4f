internal import Bus
internal import Foundation
internal import GRDB
internal import Logging

/// Copies of the store from before an upgrade migrated it, with which a household goes back to the release of before.
///
/// They are in the state directory: `before-upgrade-3-22-24.db` is the third one, of the schema 22 before the upgrade to 24.
///
/// ```swift
/// if let path = UpgradeCopy.newest(in: "/home/ann/.local/state/kith") { print(path) }
/// ```
public struct UpgradeCopy: Sendable, Hashable {
  /// Those of so many upgrades are kept.
  static let kept = 2

  private let number: Int
  private let from: Int
  private let to: Int

  /// The path of the copy of the last upgrade; nil if there is none.
  public static func newest(in directory: String) -> String? {
    self.all(in: directory).last.map { "\(directory)/\($0.name)" }
  }

  /// Copies the store if it is about to be migrated.
  ///
  /// An upgrade that was interrupted goes on without another copy: half of it is done by then. Without room for a copy the upgrade goes
  /// on, too, and the log says so.
  ///
  /// - Parameters:
  ///   - from: The schema of the store; 0 = it is new.
  ///   - to: The schema that it will have.
  /// - Throws: What SQLite and the file system throw, unless it is that the disk is full.
  static func make(of database: Database, from: Int, to: Int, in directory: String, _ logger: Logger) throws {
    let copies = self.all(in: directory)
    if let last = copies.last, last.to == to, last.from < from { return }
    guard from > 0, from < to else { return }
    // A store that was put back is upgraded once more: the copy of the first time is the same, or older.
    let repeated = copies.last.flatMap { $0.from == from && $0.to == to ? $0 : nil }
    let copy = repeated ?? Self(number: (copies.last?.number ?? 0) + 1, from: from, to: to)
    let part = "\(directory)/before-upgrade.part"
    defer { for path in [part, part + "-journal"] { DiskFile.remove(path) } }
    do {
      for path in [part, part + "-journal"] { DiskFile.remove(path) }
      // Created with mode 0600 before SQLite fills it.
      _ = try DiskFile.open(part, create: true)
      try database.execute(sql: "VACUUM INTO ?", arguments: [part])
      try self.prepare(part)
      try DiskFile.open(part)?.synchronize()
      try DiskFile.move(part, to: "\(directory)/\(copy.name)", in: directory)
    } catch  where self.isFull(error) {
      logger.warning("no room for a copy of the store before the upgrade", metadata: ["directory": "\(directory)"])
      return
    }
    logger.info("the store before the upgrade is kept", metadata: ["file": "\(copy.name)"])
    for old in copies.filter({ $0 != copy }).dropLast(self.kept - 1) { DiskFile.remove("\(directory)/\(old.name)") }
  }

  private static func prepare(_ path: String) throws {
    let copy = try DatabaseQueue(path: path)
    try copy.write { database in try StoreCopy.prepare(database, isOlder: true) }
    try copy.close()
  }

  private static func isFull(_ error: any Error) -> Bool {
    (error as? DatabaseError)?.resultCode == .SQLITE_FULL || (error as? Failure)?.reason == Failure.diskFull.reason
  }

  private var name: String { "before-upgrade-\(self.number)-\(self.from)-\(self.to).db" }

  /// All of them, in the order in which they were made.
  private static func all(in directory: String) -> [Self] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.compactMap { Self(name: $0) }.sorted { $0.number < $1.number }
  }

  private init?(name: String) {
    guard name.hasPrefix("before-upgrade-"), name.hasSuffix(".db") else { return nil }
    let numbers = name.dropFirst("before-upgrade-".count).dropLast(".db".count).split(separator: "-").map { Int($0) }
    guard numbers.count == 3, let number = numbers[0], let from = numbers[1], let to = numbers[2] else { return nil }
    self.init(number: number, from: from, to: to)
  }

  private init(number: Int, from: Int, to: Int) {
    (self.number, self.from, self.to) = (number, from, to)
  }
}
