public import Bus
internal import EventLoop
internal import Foundation
internal import KithMessages

/// Holds a state directory without opening its store, and marks that its files are being exchanged.
///
/// While the mark is there, no hub opens the store: half of the files could be those of before.
///
/// ```swift
/// let mark = try RestoreMark(directory)
/// try mark.set(Array("kith.db".utf8))
/// // … exchange the files, and sync them …
/// try mark.remove()
/// ```
public struct RestoreMark: Sendable {
  private let directory: String
  private let lock: LockFile

  /// Locks a directory, which is made if it is missing, as long as this value lives.
  ///
  /// - Throws: `FAILED_PRECONDITION/ALREADY_RUNNING` while a hub uses it.
  public init(_ directory: String) throws(Failure) {
    try StoreFile.makeDirectory(directory)
    self.lock = try StoreFile.lock(directory)
    self.directory = directory
  }

  /// What the mark says of the exchange; nil if there is no mark.
  public func content() throws(Failure) -> [UInt8]? {
    guard let file = try DiskFile.open(self.path) else { return nil }
    return try file.read(at: 0, length: Int(try file.size()))
  }

  /// Sets the mark, durably and whole.
  public func set(_ content: [UInt8]) throws(Failure) {
    let part = self.path + ".part"
    DiskFile.remove(part)
    guard let file = try DiskFile.open(part, create: true) else { throw .unusable(part) }
    try file.append(content, at: 0)
    try file.synchronize()
    try DiskFile.move(part, to: self.path, in: self.directory)
  }

  /// Removes the mark, durably. The exchanged files have to be on the disk by now.
  public func remove() throws(Failure) {
    try DiskFile.synchronizeDirectory(self.directory)
    DiskFile.remove(self.path)
    try DiskFile.synchronizeDirectory(self.directory)
  }

  /// - Throws: `FAILED_PRECONDITION/RESTORE_UNFINISHED` if a restore did not come to its end.
  static func requireNone(in directory: String) throws(Failure) {
    guard FileManager.default.fileExists(atPath: self.path(in: directory)) else { return }
    throw Failure(
      .failedPrecondition, "RESTORE_UNFINISHED",
      "A restore into \(directory) did not come to its end. Run `kithd restore` with a backup again.")
  }

  private var path: String { Self.path(in: self.directory) }

  private static func path(in directory: String) -> String { directory + "/restore.unfinished" }
}
