public import Bus
internal import GRDB
public import KithMessages

extension StorageActor {
  /// Starts or resumes an upload: `System/BlobOpen`.
  ///
  /// - Parameters:
  ///   - principal: The owner of the upload; each may have 4 unfinished ones.
  ///   - now: Returns the time in nanoseconds since 1970. It is called when the other uploads are checked, after the
  ///     pieces that were queued before.
  /// - Throws: `INVALID_ARGUMENT` for an invalid digest or size, `RESOURCE_EXHAUSTED/BLOB_QUOTA`, `DISK_FULL`.
  public nonisolated func openBlob(
    _ request: BlobOpenRequest, principal: String, now: @Sendable () -> Int64 = { WallClock.nanoseconds() }
  ) async throws(Failure) -> BlobOpenReply {
    try await self.blobs.open(request, principal: principal, now: now)
  }

  /// Stores a piece of an upload, or completes it: `System/BlobPut`.
  ///
  /// - Parameter bytes: The piece; empty = the upload is complete.
  /// - Throws: `OUT_OF_RANGE/OFFSET_GAP` with `next_offset` in its details, `DATA_LOSS/DIGEST_MISMATCH`,
  ///   `FAILED_PRECONDITION/BLOB_MISSING` for an upload that was not opened, `DISK_FULL`.
  public nonisolated func putBlob(
    _ request: BlobPutRequest, _ bytes: [UInt8], principal: String, now: Int64 = WallClock.nanoseconds()
  ) async throws(Failure) -> BlobPutReply {
    try await self.blobs.put(request, bytes, principal: principal, now: now)
  }

  /// Deletes an unfinished upload, so that another can take its place: `System/BlobAbandon`.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for an invalid digest.
  public nonisolated func abandonBlob(
    _ request: BlobAbandonRequest, principal: String
  ) async throws(Failure) -> BlobAbandonReply {
    var reply = BlobAbandonReply()
    reply.abandoned = try await self.blobs.abandon(request, principal: principal)
    return reply
  }

  /// Reads a piece of a blob of at most 256 KiB: `System/BlobGet`.
  ///
  /// - Parameters:
  ///   - role: The role of the reader. Only admins read backups.
  ///   - uptime: Nanoseconds since boot.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`, `OUT_OF_RANGE/OFFSET_GAP`, `PERMISSION_DENIED/ROLE_NOT_ALLOWED`.
  public nonisolated func readBlob(
    _ request: BlobGetRequest, by role: Role, at uptime: Int64 = ClockReading.uptime()
  ) async throws(Failure) -> (BlobGetReply, [UInt8]) {
    do throws(Failure) {
      return try await self.blobs.get(request, by: role)
    } catch {
      let limit = self.blobs.pieceLimit
      let length = Int(request.length == 0 ? limit : min(request.length, limit))
      guard error.reason == "RECORD_UNKNOWN", let digest = try? BlobDigest(request.sha256),
        let sound = try await self.sounds.piece(of: digest, from: request.offset, length: length, at: uptime)
      else { throw error }
      var reply = BlobGetReply()
      reply.offset = request.offset
      reply.size = sound.size
      return (reply, sound.bytes)
    }
  }

  /// Writes a file piece by piece, for a client to download within 24 hours.
  ///
  /// - Parameter next: Returns the next piece; nil at the end.
  /// - Throws: What `next` throws; `DISK_FULL`. The file is then removed.
  public nonisolated func stage(
    mediaType: String, now: Int64 = WallClock.nanoseconds(),
    _ next: @Sendable () async throws(Failure) -> [UInt8]?
  ) async throws(Failure) -> BlobRef {
    try await self.blobs.stage(mediaType: mediaType, now: now, next)
  }

  /// Copies the store consistently while it is in use, for a client to download within 24 hours.
  ///
  /// The copy is one SQLite file. To restore it: stop kithd, remove `kith.db`, `kith.db-wal` and `kith.db-shm` from the
  /// state directory, put the copy there as `kith.db`, and start kithd. The copy has no epoch, so a restored store
  /// begins a new one and subscribers take a snapshot. Running commands, uploads, exports and the list of earlier backups
  /// are not in it. Changes that waited for a server may have been sent after the backup, so the server is searched for them
  /// first.
  ///
  /// - Throws: `DISK_FULL`, `STORE_DAMAGED`.
  public nonisolated func backup(now: Int64 = WallClock.nanoseconds()) async throws(Failure) -> BlobRef {
    let path = self.blobs.scratchPath()
    try await self.copy(to: path)
    do throws(Failure) {
      return try await self.blobs.adopt(path, mediaType: "application/vnd.sqlite3", for: .admin, now: now)
    } catch {
      DiskFile.remove(path)
      throw error
    }
  }

  /// Writes such a copy to a file, which must not exist.
  ///
  /// - Throws: `DISK_FULL`, `STORE_DAMAGED`. Then there is no file.
  public nonisolated func copy(to path: String) async throws(Failure) {
    do {
      // Created with mode 0600 before SQLite fills it.
      _ = try DiskFile.open(path, create: true)
      var readOnly = Configuration()
      readOnly.readonly = true
      readOnly.busyMode = .timeout(5)
      // A separate connection, because VACUUM cannot run in a transaction and the writer must continue.
      let source = try DatabaseQueue(path: StoreFile.path(in: self.file.directory), configuration: readOnly)
      try await source.writeWithoutTransaction { database in
        try database.execute(sql: "VACUUM INTO ?", arguments: [path])
      }
      try source.close()
      try await Self.prepareForRestore(path)
    } catch {
      // SQLite leaves a journal beside an unfinished copy.
      for leftover in [path, path + "-journal"] { DiskFile.remove(leftover) }
      throw self.health.failure(for: error)
    }
  }

  private nonisolated static func prepareForRestore(_ path: String) async throws {
    let copy = try DatabaseQueue(path: path)
    try await copy.write { database in try StoreCopy.prepare(database) }
    try copy.close()
  }
}

extension StorageActor {
  /// Writes a list to a file page by page, for a client to download within 24 hours. Only one page is in memory.
  ///
  /// Other writes may happen between two pages: each page is a consistent state, the whole file is not.
  ///
  /// - Parameters:
  ///   - head: The bytes before the first page.
  ///   - tail: The bytes after the last page.
  ///   - page: Returns the bytes of the page at a cursor (empty = the first page) and the cursor of the next page
  ///     (empty = the end).
  /// - Throws: What `page` throws; `RESOURCE_EXHAUSTED/DISK_FULL`. The file is then removed.
  public nonisolated func stage(
    mediaType: String, head: [UInt8] = [], tail: [UInt8] = [],
    page: @escaping @Sendable (ReadView, _ cursor: String) throws(Failure) -> (bytes: [UInt8], next: String)
  ) async throws(Failure) -> BlobRef {
    let walk = PageWalk(self, head: head, tail: tail, page: page)
    return try await self.stage(mediaType: mediaType) { () async throws(Failure) in try await walk.next() }
  }
}

/// Produces the pieces of a list: head, pages, tail.
private actor PageWalk {
  private enum Place {
    case head
    case page(cursor: String)
    case tail
    case end
  }

  private let storage: StorageActor
  private let head: [UInt8]
  private let tail: [UInt8]
  private let page: @Sendable (ReadView, String) throws(Failure) -> (bytes: [UInt8], next: String)
  private var place = Place.head

  init(
    _ storage: StorageActor, head: [UInt8], tail: [UInt8],
    page: @escaping @Sendable (ReadView, String) throws(Failure) -> (bytes: [UInt8], next: String)
  ) {
    self.storage = storage
    self.head = head
    self.tail = tail
    self.page = page
  }

  func next() async throws(Failure) -> [UInt8]? {
    switch self.place {
    case .head:
      self.place = .page(cursor: "")
      return self.head
    case .page(let cursor):
      let page = self.page
      let (bytes, next) = try await self.storage.read { view throws(Failure) in try page(view, cursor) }
      self.place = next.isEmpty ? .tail : .page(cursor: next)
      return bytes
    case .tail:
      self.place = .end
      return self.tail
    case .end:
      return nil
    }
  }
}
