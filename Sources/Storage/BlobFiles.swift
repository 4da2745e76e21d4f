internal import Bus
internal import Digest
internal import Foundation
internal import KithMessages

/// The files under `blobs/`: uploads, exports and backups, kept for a day.
///
/// Blobs that belong to a record are in the database instead, so that a backup has them. A file exists for clients once
/// its row is committed; the row is written after file and directory are synced to the disk. An unfinished upload is a
/// file under `blobs/parts/`, whose length is the next offset. Nothing about it is in memory, so it survives a restart.
actor BlobFiles {
  private let executor: DiskExecutor
  private let directory: String
  private let group: GroupCommit
  private let reader: Reader
  private let limits: BlobLimits

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.executor.asUnownedSerialExecutor() }

  init(directory: String, group: GroupCommit, reader: Reader, limits: BlobLimits) throws(Failure) {
    self.executor = DiskExecutor(label: "kith.blobs")
    self.directory = directory + "/blobs"
    self.group = group
    self.reader = reader
    self.limits = limits
    for path in [self.directory, self.directory + "/parts"] {
      try DiskFile.makeDirectory(path)
    }
  }

  /// The most bytes of one piece.
  nonisolated var pieceLimit: UInt32 { self.limits.chunk }

  // MARK: - Uploads

  func open(
    _ request: BlobOpenRequest, principal: String, now: @Sendable () -> Int64
  ) async throws(Failure) -> BlobOpenReply {
    let digest = try BlobDigest(request.blob.sha256)
    guard request.blob.size <= self.limits.size else {
      throw .invalid(field: "size", "is more than the \(self.limits.size) bytes that a blob may have.")
    }
    var reply = BlobOpenReply()
    reply.chunk = self.limits.chunk
    reply.window = self.limits.window
    if let size = try await self.completeSize(digest, keepUntilTomorrow: now()) {
      reply.nextOffset = size
      reply.complete = true
      return reply
    }
    if let part = try self.part(digest, principal) {
      guard part.size == request.blob.size else {
        throw .invalid(
          field: "size",
          "is \(request.blob.size), and this upload was opened with \(part.size). Abandon that upload to begin again.")
      }
      reply.nextOffset = try DiskFile.open(self.path(of: part))?.size() ?? 0
      return reply
    }
    try self.makeRoom(principal: principal, now: now())
    try await self.makeRoom(for: request.blob.size)
    _ = try DiskFile.open(self.path(of: Part(digest, principal, size: request.blob.size)), create: true)
    return reply
  }

  func put(
    _ request: BlobPutRequest, _ bytes: [UInt8], principal: String, now: Int64
  ) async throws(Failure) -> BlobPutReply {
    let digest = try BlobDigest(request.sha256)
    var reply = BlobPutReply()
    guard let part = try self.part(digest, principal), let file = try DiskFile.open(self.path(of: part)) else {
      guard let size = try await self.completeSize(digest) else {
        throw Failure(
          .failedPrecondition, "BLOB_MISSING",
          "This upload was not opened, or was deleted since. Open it again (BlobOpen).")
      }
      reply.nextOffset = size
      reply.complete = true
      return reply
    }
    let size = try file.size()
    reply.nextOffset = size
    // A piece that was resent: its bytes are stored already.
    if request.offset < size, !bytes.isEmpty { return reply }
    guard request.offset == size else {
      throw Failure(
        .outOfRange, "OFFSET_GAP", "The next byte of this upload is \(size).", details: ["next_offset": "\(size)"])
    }
    guard bytes.isEmpty else {
      guard size + UInt64(bytes.count) <= part.size else {
        throw .invalid(
          field: "offset", "this upload was opened with \(part.size) bytes, and the piece goes beyond them.")
      }
      try file.append(bytes, at: size)
      reply.nextOffset = size + UInt64(bytes.count)
      return reply
    }
    guard size == part.size else {
      throw Failure(
        .outOfRange, "OFFSET_GAP", "This upload was opened with \(part.size) bytes, but \(size) bytes arrived.",
        details: ["next_offset": "\(size)"])
    }
    let path = self.path(of: part)
    guard try file.digest() == digest.bytes else {
      DiskFile.remove(path)
      throw Failure(
        .dataLoss, "DIGEST_MISMATCH",
        "The uploaded bytes do not match their SHA-256. They were deleted: upload the file again.")
    }
    try file.synchronize()
    try await self.keep(path, as: digest, BlobRows.File(size: size, mediaType: "", reader: .viewer), now: now)
    reply.complete = true
    return reply
  }

  /// Deletes an unfinished upload.
  ///
  /// - Returns: False if there was none.
  func abandon(_ request: BlobAbandonRequest, principal: String) throws(Failure) -> Bool {
    guard let part = try self.part(try BlobDigest(request.sha256), principal) else { return false }
    DiskFile.remove(self.path(of: part))
    return true
  }

  /// Deletes the upload that a principal left unchanged for longest, if the principal has as many as it may.
  ///
  /// - Throws: `RESOURCE_EXHAUSTED/BLOB_QUOTA` while all of them are in progress.
  private func makeRoom(principal: String, now: Int64) throws(Failure) {
    let others = try self.parts().filter { $0.contains(Part.mark(of: principal)) }
      .map { "\(self.directory)/parts/\($0)" }
    guard others.count >= self.limits.openUploads else { return }
    let rest = self.limits.rest.nanoseconds
    // A time far in the future was written while the clock was ahead. A time slightly in the future counts as recent:
    // the clock may have been set back by that much.
    let resting = others.map { (path: $0, end: (DiskFile.modified($0) ?? 0) + rest) }
      .filter { Due(at: $0.end, atMost: 2 * rest).isDue(at: now) }
    guard let oldest = resting.min(by: { $0.end < $1.end }) else {
      throw Failure(
        .resourceExhausted, "BLOB_QUOTA",
        "\(principal) has \(others.count) unfinished uploads. Finish or cancel one. An upload that pauses for ten minutes can be replaced.",
        retryAfterMilliseconds: 60_000)
    }
    DiskFile.remove(oldest.path)
  }

  /// Makes room for more bytes on the disk: while there is none, the oldest export goes, which can be made again.
  ///
  /// - Throws: `RESOURCE_EXHAUSTED/BLOB_QUOTA` where uploads and backups take all of it.
  private func makeRoom(for bytes: UInt64) async throws(Failure) {
    while true {
      let (count, kept) = try await self.reader.read { view throws(Failure) in try BlobRows(view: view).files() }
      let taken = try kept + self.bytesUnderWay()
      if taken + bytes <= self.limits.total, count < self.limits.files { return }
      let export = try await self.reader.read { view throws(Failure) in try BlobRows(view: view).oldestExport() }
      guard let export else {
        throw Failure(
          .resourceExhausted, "BLOB_QUOTA",
          "Files of \(taken >> 20) MiB are stored already. Each is deleted after a day; try this again then.",
          retryAfterMilliseconds: 3_600_000)
      }
      // Its row comes second: an export with the same bytes that is kept meanwhile has its row behind this.
      DiskFile.remove(self.path(of: export))
      try await self.group.write(cause: "") { transaction throws(Failure) in
        try BlobRows(view: transaction).forgetFile(export)
      }
    }
  }

  /// The sizes that uploads under way will have, and what exports and backups under way have written.
  private func bytesUnderWay() throws(Failure) -> UInt64 {
    var bytes: UInt64 = 0
    for name in try self.parts() {
      if let part = Part(name) {
        bytes += part.size
      } else if let file = try DiskFile.open("\(self.directory)/parts/\(name)") {
        bytes += try file.size()
      }
    }
    return bytes
  }

  // MARK: - Reading

  func get(_ request: BlobGetRequest, by role: Role) async throws(Failure) -> (BlobGetReply, [UInt8]) {
    let digest = try BlobDigest(request.sha256)
    let row = try await self.reader.read { view throws(Failure) in try BlobRows(view: view).file(digest) }
    if let row, !role.covers(row.reader) {
      throw Failure(
        .permissionDenied, "ROLE_NOT_ALLOWED",
        "Reading this blob needs the role \(row.reader.rawValue); yours is \(role.rawValue).")
    }
    let length = request.length == 0 ? self.limits.chunk : min(request.length, self.limits.chunk)
    var reply = BlobGetReply()
    reply.offset = request.offset
    if let file = try DiskFile.open(self.path(of: digest)) {
      reply.size = try file.size()
      let count = try Self.count(from: request.offset, length, of: reply.size)
      return (reply, try file.read(at: request.offset, length: count))
    }
    let (size, bytes) = try await self.reader.read { view throws(Failure) -> (UInt64, [UInt8]) in
      let rows = BlobRows(view: view)
      guard let size = try rows.size(digest) else {
        throw .unknownRecord("blob", "There is no such blob. Uploads, exports and backups are kept for a day.")
      }
      let count = try Self.count(from: request.offset, length, of: size)
      return (size, try rows.read(digest, offset: request.offset, length: count))
    }
    reply.size = size
    return (reply, bytes)
  }

  // MARK: - Exports and backups

  /// A path for a new temporary file.
  nonisolated func scratchPath() -> String { "\(self.directory)/parts/\(UUIDv7.make().text)" }

  /// Writes a file piece by piece and keeps it: an export.
  func stage(
    mediaType: String, now: Int64, _ next: @Sendable () async throws(Failure) -> [UInt8]?
  ) async throws(Failure) -> BlobRef {
    let path = self.scratchPath()
    do throws(Failure) {
      var size: UInt64 = 0
      while let piece = try await next() {
        try await self.makeRoom(for: UInt64(piece.count))
        guard let file = try DiskFile.open(path, create: true) else { break }
        try file.append(piece, at: size)
        size += UInt64(piece.count)
      }
      return try await self.adopt(path, mediaType: mediaType, for: .viewer, now: now)
    } catch {
      DiskFile.remove(path)
      throw error
    }
  }

  /// Stores a file made at a ``scratchPath()`` as a blob, readable by the roles that `reader` covers.
  func adopt(_ path: String, mediaType: String, for reader: Role, now: Int64) async throws(Failure) -> BlobRef {
    guard let file = try DiskFile.open(path, create: true) else { throw .unusable(path) }
    let digest = BlobDigest(bytes: try file.digest())
    var ref = BlobRef()
    ref.sha256 = digest.text
    ref.size = try file.size()
    ref.mediaType = mediaType
    try file.synchronize()
    try await self.keep(
      path, as: digest, BlobRows.File(size: ref.size, mediaType: mediaType, reader: reader), now: now)
    return ref
  }

  /// Deletes what is older than a day: rows first, then the files without a row.
  func expire(now: Int64) async throws(Failure) {
    let oldest = now - self.limits.age.nanoseconds
    try await self.group.write(cause: "") { transaction throws(Failure) in
      try BlobRows(view: transaction).forgetFiles(before: oldest)
    }
    let kept = try await self.reader.read { view throws(Failure) in try BlobRows(view: view).fileDigests() }
    for name in try self.names(in: self.directory) where name != "parts" && !kept.contains(name) {
      Self.remove(self.directory + "/" + name, ifOlderThan: oldest)
    }
    for name in try self.parts() { Self.remove(self.directory + "/parts/" + name, ifOlderThan: oldest) }
  }

  // MARK: -

  private func keep(
    _ path: String, as digest: BlobDigest, _ file: BlobRows.File, now: Int64
  ) async throws(Failure) {
    try DiskFile.move(path, to: self.path(of: digest), in: self.directory)
    do throws(Failure) {
      try await self.group.write(cause: "") { transaction throws(Failure) in
        try BlobRows(view: transaction).keepFile(digest, file, now: now)
      }
    } catch {
      // The row was not written, possibly because the disk is full. The file goes back to its temporary path; the
      // caller resumes or removes it.
      if case .some(.none) = try? await self.completeSize(digest) {
        try DiskFile.move(self.path(of: digest), to: path, in: self.directory)
      }
      throw error
    }
  }

  /// The size of a complete blob, stored as a file or as a row; nil if there is none.
  private func completeSize(_ digest: BlobDigest, keepUntilTomorrow now: Int64? = nil) async throws(Failure) -> UInt64?
  {
    let (file, row) = try await self.reader.read { view throws(Failure) in
      let rows = BlobRows(view: view)
      return (try rows.file(digest), try rows.size(digest))
    }
    guard let file, DiskFile.modified(self.path(of: digest)) != nil else { return row }
    if let now {
      try await self.group.write(cause: "") { transaction throws(Failure) in
        try BlobRows(view: transaction).keepFile(digest, file, now: now)
      }
    }
    return file.size
  }

  private func path(of digest: BlobDigest) -> String { "\(self.directory)/\(digest.text)" }

  /// The unfinished upload of a principal; nil if there is none.
  private func part(_ digest: BlobDigest, _ principal: String) throws(Failure) -> Part? {
    try self.parts().compactMap { Part($0) }.first { $0.isUpload(of: digest, by: principal) }
  }

  private func path(of part: Part) -> String { "\(self.directory)/parts/\(part.name)" }

  private func parts() throws(Failure) -> [String] { try self.names(in: self.directory + "/parts") }

  private func names(in directory: String) throws(Failure) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch {
      throw .unusable(directory)
    }
  }

  private static func count(from offset: UInt64, _ length: UInt32, of size: UInt64) throws(Failure) -> Int {
    guard offset <= size else {
      throw Failure(
        .outOfRange, "OFFSET_GAP", "The blob has \(size) bytes.", details: ["next_offset": "\(size)"])
    }
    return Int(min(UInt64(length), size - offset))
  }

  private static func remove(_ path: String, ifOlderThan moment: Int64) {
    if let modified = DiskFile.modified(path), modified < moment { DiskFile.remove(path) }
  }
}

/// An unfinished upload: a file whose name has its digest, its principal and its final size.
private struct Part {
  let name: String
  let size: UInt64

  init(_ digest: BlobDigest, _ principal: String, size: UInt64) {
    self.name = digest.text + Self.mark(of: principal) + "\(size)"
    self.size = size
  }

  /// Parses a file name; nil if it is not one of an upload.
  init?(_ name: String) {
    let words = name.split(separator: "-", omittingEmptySubsequences: false)
    // The name of a temporary file is a UUID, which has hyphens too.
    guard words.count == 3, let size = UInt64(words[2]) else { return nil }
    self.name = name
    self.size = size
  }

  func isUpload(of digest: BlobDigest, by principal: String) -> Bool {
    self.name.hasPrefix(digest.text + Self.mark(of: principal))
  }

  /// The part of the file name that all uploads of a principal have.
  static func mark(of principal: String) -> String {
    "-\(Hex.encode(SHA256.digest(Array(principal.utf8)).prefix(8)))-"
  }
}

/// The SHA-256 that names a blob. Paths are built from a checked digest only.
struct BlobDigest: Sendable, Hashable {
  /// 32 bytes.
  let bytes: [UInt8]

  /// Parses 64 lower-case hexadecimal digits.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  init(_ text: String) throws(Failure) {
    guard let bytes = SHA256.bytes(named: text) else { throw .invalid(field: "sha256", SHA256.rule) }
    self.bytes = bytes
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The 64 lower-case hexadecimal digits.
  var text: String { Hex.encode(self.bytes) }
}
