internal import Bus
internal import GRDB
internal import GRDBSQLite
internal import KithMessages

/// The rows of blobs: those whose bytes belong to a record, and those whose bytes are a file kept for a day.
struct BlobRows {
  let view: any DatabaseView

  /// A blob that is a file.
  struct File {
    let size: UInt64
    let mediaType: String
    /// The least role that may read it.
    let reader: Role
  }

  func file(_ digest: BlobDigest) throws(Failure) -> File? {
    try self.view.attempt { database in
      try database.first("SELECT size, media_type, reader FROM blob_file WHERE sha256 = ?", .blob(digest.bytes)) {
        File(size: UInt64($0.integer(0)), mediaType: $0.text(1), reader: Role(rawValue: $0.text(2)) ?? .admin)
      }
    }
  }

  /// Inserts a file's row, or keeps the file for another day. The role of a stored row does not change.
  func keepFile(_ digest: BlobDigest, _ file: File, now: Int64) throws(Failure) {
    try self.view.attempt { database in
      try database.run(
        """
        INSERT INTO blob_file (sha256, size, media_type, reader, created_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (sha256) DO UPDATE SET created_at = excluded.created_at
        """, .blob(digest.bytes), .integer(Int64(file.size)), .text(file.mediaType), .text(file.reader.rawValue),
        .integer(now))
    }
  }

  /// Deletes the rows of files created before a moment.
  func forgetFiles(before moment: Int64) throws(Failure) {
    try self.view.attempt { try $0.run("DELETE FROM blob_file WHERE created_at < ?", .integer(moment)) }
  }

  /// How many files there are, and their bytes.
  func files() throws(Failure) -> (count: Int, bytes: UInt64) {
    try self.view.attempt { database in
      try database.first("SELECT count(*), coalesce(sum(size), 0) FROM blob_file") {
        (Int($0.integer(0)), UInt64($0.integer(1)))
      } ?? (0, 0)
    }
  }

  /// The export that was made first; nil when there is none. Uploads have no media type, and backups are for admins.
  func oldestExport() throws(Failure) -> BlobDigest? {
    try self.view.attempt { database in
      try database.first(
        "SELECT sha256 FROM blob_file WHERE media_type <> '' AND reader = ? ORDER BY created_at LIMIT 1",
        .text(Role.viewer.rawValue)
      ) { BlobDigest(bytes: $0.blob(0)) }
    }
  }

  /// Forgets a file.
  func forgetFile(_ digest: BlobDigest) throws(Failure) {
    try self.view.attempt { try $0.run("DELETE FROM blob_file WHERE sha256 = ?", .blob(digest.bytes)) }
  }

  func fileDigests() throws(Failure) -> Set<String> {
    try self.view.attempt { database in
      Set(try database.all("SELECT sha256 FROM blob_file") { BlobDigest(bytes: $0.blob(0)).text })
    }
  }

  /// The size of a blob that belongs to a record; nil if there is none.
  func size(_ digest: BlobDigest) throws(Failure) -> UInt64? {
    try self.view.attempt { database in
      try database.first("SELECT size FROM blob WHERE sha256 = ?", .blob(digest.bytes)) { UInt64($0.integer(0)) }
    }
  }

  /// Reads a piece of a blob that belongs to a record, without loading the rest of it
  /// (<https://www.sqlite.org/c3ref/blob_open.html>).
  ///
  /// - Parameter length: Must not reach beyond the blob's end.
  func read(_ digest: BlobDigest, offset: UInt64, length: Int) throws(Failure) -> [UInt8] {
    try self.view.attempt { database in
      guard
        let row = try database.first(
          "SELECT rowid FROM blob WHERE sha256 = ?", .blob(digest.bytes), read: { $0.integer(0) })
      else { return [] }
      var blob: OpaquePointer?
      // The connection is that of the closure; the blob is closed before it ends.
      let opened = unsafe sqlite3_blob_open(database.sqliteConnection, "main", "blob", "data", row, 0, &blob)
      // Closing a null blob does nothing.
      defer { unsafe sqlite3_blob_close(blob) }
      guard opened == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: opened)) }
      var result = SQLITE_OK
      // SQLite fills exactly `length` bytes or reports an error, which throws below.
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
        result = unsafe sqlite3_blob_read(blob, buffer.baseAddress, CInt(length), CInt(offset))
        initialized = result == SQLITE_OK ? length : 0
      }
      guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
      return bytes
    }
  }
}
