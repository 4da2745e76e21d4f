public import Bus
internal import Foundation
internal import Glibc
public import KithMessages

/// The files of recordings that wait for transcription: `audio/NAME.part` while recording, `audio/NAME` when complete.
///
/// Every acknowledged byte is on the disk. Unlinking does not erase the disk's old blocks.
public actor SoundFiles {
  private let executor = DiskExecutor(label: "kith.sounds")
  private let directory: String
  /// Files that clients download, by digest.
  private var lent: [String: LentSound] = [:]

  /// Runs the actor's jobs, which wait for the disk, outside the shared thread pool.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.executor.asUnownedSerialExecutor() }

  /// Creates the directory if it does not exist.
  ///
  /// - Parameter stateDirectory: The parent of `audio/`.
  public init(stateDirectory: String) throws(Failure) {
    self.directory = stateDirectory + "/audio"
    try DiskFile.makeDirectory(self.directory)
    try DiskFile.makeDirectoryPrivate(self.directory)
  }

  /// Appends a piece. A resent piece changes nothing.
  ///
  /// - Parameters:
  ///   - offset: Where the piece begins.
  ///   - limit: The most bytes of the whole recording.
  /// - Returns: The stored bytes, which is the offset of the next piece.
  /// - Throws: `FAILED_PRECONDITION/NOT_RECORDING` if the recording is complete; `OUT_OF_RANGE/OFFSET_GAP`;
  ///   `FIELD_INVALID` if it would become too large; `RESOURCE_EXHAUSTED/DISK_FULL`.
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

  /// Marks a recording as complete. Repeating the call changes nothing.
  ///
  /// - Returns: The size; nil if there is no such file.
  public func finish(_ name: String) throws(Failure) -> UInt64? {
    if !self.isWhole(name), let part = try DiskFile.open(self.part(name)) {
      try part.synchronize()
      try DiskFile.move(self.part(name), to: self.path(name), in: self.directory)
    }
    return try DiskFile.open(self.path(name))?.size()
  }

  /// The bytes of a complete recording; nil if there is no such file.
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

  /// Lends a complete recording to a client for download.
  ///
  /// ``piece(of:from:length:at:)`` then reads it, even after the file was removed: the open file is held until no piece
  /// was read for a minute, or until ``mostLent`` others were lent. No copy is made, so nothing remains on the disk
  /// afterwards or after a crash.
  ///
  /// - Parameter uptime: Nanoseconds since boot.
  /// - Returns: The digest, size and type; nil if there is no such file.
  public func lend(_ name: String, at uptime: Int64) throws(Failure) -> BlobRef? {
    self.takeBack(at: uptime)
    guard let file = try DiskFile.open(self.path(name)) else { return nil }
    // A complete file does not change, so its digest is computed once.
    if let sound = self.lent.values.first(where: { $0.name == name }) {
      sound.until = uptime + Self.lending
      return sound.ref
    }
    if self.lent.count >= Self.mostLent, let oldest = self.lent.min(by: { $0.value.until < $1.value.until }) {
      self.lent[oldest.key] = nil
    }
    var ref = BlobRef()
    ref.size = try file.size()
    ref.sha256 = BlobDigest(bytes: try file.digest()).text
    ref.mediaType = Self.mediaType(try file.read(at: 0, length: 12))
    self.lent[ref.sha256] = LentSound(file, named: name, as: ref, until: uptime + Self.lending)
    return ref
  }

  /// A piece of a lent file.
  ///
  /// - Returns: Nil if no file of that digest is lent now.
  /// - Throws: `OUT_OF_RANGE/OFFSET_GAP`.
  func piece(
    of digest: BlobDigest, from offset: UInt64, length: Int, at uptime: Int64
  ) throws(Failure) -> (size: UInt64, bytes: [UInt8])? {
    self.takeBack(at: uptime)
    guard let sound = self.lent[digest.text] else { return nil }
    sound.until = uptime + Self.lending
    let size = try sound.file.size()
    guard offset <= size else {
      throw Failure(.outOfRange, "OFFSET_GAP", "The recording has \(size) bytes.", details: ["next_offset": "\(size)"])
    }
    return (size, try sound.file.read(at: offset, length: length))
  }

  /// Closes the files whose loan has expired.
  func takeBack(at uptime: Int64) { self.lent = self.lent.filter { $0.value.until > uptime } }

  /// The most files held open at once.
  static let mostLent = 16
  /// Nanoseconds that a file stays lent after its last piece.
  private static let lending: Int64 = 60_000_000_000

  /// The media type of a recording, by its first bytes.
  private static func mediaType(_ head: [UInt8]) -> String {
    if head.starts(with: "RIFF".utf8) { return "audio/wav" }
    if head.starts(with: "OggS".utf8) { return "audio/ogg" }
    if head.starts(with: "fLaC".utf8) { return "audio/flac" }
    // EBML, RFC 8794.
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return "audio/webm" }
    if head.dropFirst(4).starts(with: "ftyp".utf8) { return "audio/mp4" }
    return "application/octet-stream"
  }

  /// Removes a file, complete or not, durably. Repeating the call changes nothing.
  public func remove(_ name: String) throws(Failure) {
    DiskFile.remove(self.part(name))
    DiskFile.remove(self.path(name))
    try DiskFile.synchronizeDirectory(self.directory)
  }

  /// Removes orphans: files without an entry that were not written for a day.
  ///
  /// - Parameters:
  ///   - known: Names to keep.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: The number of removed files.
  public func removeOrphans(except known: Set<String>, now: Int64) -> Int {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
    let orphans = files.filter { file in
      let name = file.hasSuffix(".part") ? String(file.dropLast(5)) : file
      guard !known.contains(name), let modified = DiskFile.modified("\(self.directory)/\(file)") else { return false }
      return now - modified > Self.quarantine
    }
    for file in orphans { DiskFile.remove("\(self.directory)/\(file)") }
    return orphans.count
  }

  private func isWhole(_ name: String) -> Bool { DiskFile.modified(self.path(name)) != nil }

  private func path(_ name: String) -> String { "\(self.directory)/\(name)" }

  private func part(_ name: String) -> String { "\(self.directory)/\(name).part" }

  private static let quarantine: Int64 = 86_400_000_000_000
}

/// A file held open for a client.
private final class LentSound {
  let file: DiskFile
  let name: String
  let ref: BlobRef
  /// In the `uptime` that ``SoundFiles/lend(_:at:)`` takes.
  var until: Int64

  init(_ file: consuming DiskFile, named name: String, as ref: BlobRef, until: Int64) {
    self.file = file
    self.name = name
    self.ref = ref
    self.until = until
  }
}

extension Failure {
  /// Sound that arrived after the end of its recording.
  public static let notRecording = Failure(
    .failedPrecondition, "NOT_RECORDING", "This entry is not being recorded any more. Begin another.")
}
