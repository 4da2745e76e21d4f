public import Bus
internal import Foundation
internal import Glibc
public import KithMessages

/// The files of sound that waits to be transcribed: `audio/NAME.part` while it grows, `audio/NAME` when it is whole.
///
/// What is acknowledged is on the disk. Unlinking makes no promise about the disk's old blocks.
public actor SoundFiles {
  private let executor = DiskExecutor(label: "kith.sounds")
  private let directory: String
  /// Files that clients fetch, by digest.
  private var lent: [String: LentSound] = [:]

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

  /// Names a whole file for a client that fetches it: its digest, size and type.
  ///
  /// From then on ``piece(of:from:length:at:)`` gives its bytes, also when it is removed meanwhile: the open file is held until a
  /// minute has passed without a piece, or until ``mostLent`` others were named after it. No copy is made, so nothing of it is on the
  /// disk after that, or after a crash.
  ///
  /// - Parameter uptime: Nanoseconds since the machine was started.
  /// - Returns: Nil when there is no file of that name.
  public func lend(_ name: String, at uptime: Int64) throws(Failure) -> BlobRef? {
    self.takeBack(at: uptime)
    guard let file = try DiskFile.open(self.path(name)) else { return nil }
    // What is whole stays as it is, so that its digest is computed once.
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

  /// A piece of a file that was lent.
  ///
  /// - Returns: Nil when none of that digest is lent any more.
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

  /// Closes what nobody fetches any more.
  func takeBack(at uptime: Int64) { self.lent = self.lent.filter { $0.value.until > uptime } }

  /// Files that are held open at once.
  static let mostLent = 16
  /// Nanoseconds for which a file is lent after the last piece.
  private static let lending: Int64 = 60_000_000_000

  /// What a recording is, by its first bytes.
  private static func mediaType(_ head: [UInt8]) -> String {
    if head.starts(with: "RIFF".utf8) { return "audio/wav" }
    if head.starts(with: "OggS".utf8) { return "audio/ogg" }
    if head.starts(with: "fLaC".utf8) { return "audio/flac" }
    // EBML, RFC 8794.
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return "audio/webm" }
    if head.dropFirst(4).starts(with: "ftyp".utf8) { return "audio/mp4" }
    return "application/octet-stream"
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

/// A file that is held open for a client.
private final class LentSound {
  let file: DiskFile
  let name: String
  let ref: BlobRef
  /// By the clock that ``SoundFiles/lend(_:at:)`` is given.
  var until: Int64

  init(_ file: consuming DiskFile, named name: String, as ref: BlobRef, until: Int64) {
    self.file = file
    self.name = name
    self.ref = ref
    self.until = until
  }
}

extension Failure {
  /// Sound that comes after the end of its recording.
  public static let notRecording = Failure(
    .failedPrecondition, "NOT_RECORDING", "This entry is not being recorded any more. Begin another.")
}
