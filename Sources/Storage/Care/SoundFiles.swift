public import Bus
internal import Foundation
internal import Glibc
internal import KithMessages

/// The files of sound that waits to be transcribed: `audio/NAME.part` while it grows, `audio/NAME` when it is whole.
///
/// What is acknowledged is on the disk. Unlinking makes no promise about the disk's old blocks.
public actor SoundFiles {
  private let executor = DiskExecutor(label: "kith.sounds")
  private let directory: String

  /// Keeps the actor's jobs, which wait for the disk, off the shared thread pool.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.executor.asUnownedSerialExecutor() }

  /// Makes the directory where there is none.
  ///
  /// - Parameter stateDirectory: In which `audio/` is.
  public init(stateDirectory: String) throws(Failure) {
    self.directory = stateDirectory + "/audio"
    try DiskFile.makeDirectory(self.directory)
    try DiskFile.makeDirectoryPrivate(self.directory)
  }

  /// Adds a piece. A piece that was added before changes nothing.
  ///
  /// - Parameters:
  ///   - offset: Where the piece begins.
  ///   - limit: Bytes that the whole may have.
  /// - Returns: Bytes that are there now, which is where the next piece begins.
  /// - Throws: `FAILED_PRECONDITION/NOT_RECORDING` when it is whole; `OUT_OF_RANGE/OFFSET_GAP`; `FIELD_INVALID` when it becomes
  ///   too large; `RESOURCE_EXHAUSTED/DISK_FULL`.
  public func append(_ bytes: [UInt8], to name: String, at offset: UInt64, limit: UInt64) throws(Failure) -> UInt64 {
    guard !self.isWhole(name) else { throw .notRecording }
    guard let file = try DiskFile.open(self.part(name), create: true) else { return 0 }
    let size = try file.size()
    guard offset <= size else {
      throw Failure(
        .outOfRange, "OFFSET_GAP", "The next byte of this recording is \(size).", details: ["next_offset": "\(size)"])
    }
    guard offset == size, !bytes.isEmpty else { return size }
    guard size + UInt64(bytes.count) <= limit else {
      throw .invalid(field: "offset", "a recording may have \(limit >> 20) MiB. Stop this one and begin another.")
    }
    try file.append(bytes, at: size)
    try file.synchronize()
    return size + UInt64(bytes.count)
  }

  /// Says that a file is whole. Repeating it changes nothing.
  ///
  /// - Returns: Its size; nil when there is no file of that name.
  public func finish(_ name: String) throws(Failure) -> UInt64? {
    if !self.isWhole(name), let part = try DiskFile.open(self.part(name)) {
      try part.synchronize()
      try DiskFile.move(self.part(name), to: self.path(name), in: self.directory)
    }
    return try DiskFile.open(self.path(name))?.size()
  }

  /// The bytes of a whole file; nil when there is none of that name.
  public func read(_ name: String) throws(Failure) -> [UInt8]? {
    guard let file = try DiskFile.open(self.path(name)) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(try file.size()))
    while true {
      let piece = try file.read(at: UInt64(bytes.count), length: 1 << 20)
      guard !piece.isEmpty else { return bytes }
      bytes += piece
    }
  }

  /// Removes a file, whole or not, in a way that a power cut does not undo. Removing it again is fine.
  public func remove(_ name: String) throws(Failure) {
    DiskFile.remove(self.part(name))
    DiskFile.remove(self.path(name))
    try DiskFile.synchronizeDirectory(self.directory)
  }

  /// Removes files that nobody knows and that were not touched for a day.
  ///
  /// - Parameters:
  ///   - known: Names that stay.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: How many were removed.
  public func removeStrangers(except known: Set<String>, now: Int64) -> Int {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
    let strangers = files.filter { file in
      let name = file.hasSuffix(".part") ? String(file.dropLast(5)) : file
      guard !known.contains(name), let modified = DiskFile.modified("\(self.directory)/\(file)") else { return false }
      return now - modified > Self.quarantine
    }
    for file in strangers { DiskFile.remove("\(self.directory)/\(file)") }
    return strangers.count
  }

  private func isWhole(_ name: String) -> Bool { DiskFile.modified(self.path(name)) != nil }

  private func path(_ name: String) -> String { "\(self.directory)/\(name)" }

  private func part(_ name: String) -> String { "\(self.directory)/\(name).part" }

  private static let quarantine: Int64 = 86_400_000_000_000
}

extension Failure {
  /// Sound that comes after the end of its recording.
  public static let notRecording = Failure(
    .failedPrecondition, "NOT_RECORDING", "This entry is not being recorded any more. Begin another.")
}
