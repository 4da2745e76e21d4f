public import Bus
internal import Digest
internal import Foundation
internal import GRDB
public import KithMessages

extension DatabaseView {
  /// The pictures of contacts.
  public var photos: PhotoTable<Self> { PhotoTable(view: self) }
}

/// The pictures of contacts, each stored once with the bytes of the card.
public struct PhotoTable<View: DatabaseView> {
  let view: View

  /// A picture; nil if there is none.
  ///
  /// - Parameter sha256: 64 hexadecimal digits.
  public func get(_ sha256: String) throws(Failure) -> Picture? {
    guard let digest = Hex.decode(sha256) else { return nil }
    return try self.view.attempt { database in
      try database.first("SELECT size, media_type, data FROM blob WHERE sha256 = ?", .blob(digest)) { row in
        var picture = Picture()
        picture.ref.sha256 = Hex.encode(digest)
        picture.ref.size = UInt64(bitPattern: row.integer(0))
        picture.ref.mediaType = row.text(1)
        picture.data = Data(row.blob(2))
        return picture
      }
    }
  }
}

extension PhotoTable {
  /// Whether a picture is stored.
  ///
  /// - Parameter sha256: 64 hexadecimal digits.
  public func contains(_ sha256: String) throws(Failure) -> Bool {
    guard let digest = Hex.decode(sha256) else { return false }
    return try self.view.attempt { database in
      try database.first("SELECT 1 FROM blob WHERE sha256 = ?", .blob(digest)) { _ in true } ?? false
    }
  }
}

extension PhotoTable where View == Transaction {
  /// Stores a picture unless it is stored already.
  ///
  /// - Parameter picture: Its digest is not checked here: the decoder of the picture computed it.
  /// - Throws: `FIELD_INVALID` if the digest is invalid.
  public func put(_ picture: Picture) throws(Failure) {
    guard let digest = Hex.decode(picture.ref.sha256), digest.count == 32 else {
      throw .invalid(field: "pictures.ref.sha256", "is not 64 hexadecimal digits.")
    }
    try self.view.attempt { database in
      try database.run(
        "INSERT INTO blob (sha256, size, media_type, data) VALUES (?, ?, ?, ?) ON CONFLICT (sha256) DO NOTHING",
        .blob(digest), .integer(Int64(picture.data.count)), .text(of: picture.ref.mediaType), .data(picture.data))
    }
  }

  /// Deletes the blobs that no contact and no record refers to. Deleted contacts and records count.
  ///
  /// - Returns: The number of deleted blobs.
  @discardableResult
  public func dropUnreferenced() throws(Failure) -> Int {
    try self.view.attempt { database in
      try database.run(
        """
        DELETE FROM blob WHERE sha256 IN (
          SELECT sha256 FROM blob EXCEPT SELECT photo_sha256 FROM contact WHERE photo_sha256 IS NOT NULL
          EXCEPT SELECT sha256 FROM record_blob)
        """)
      return database.changesCount
    }
  }
}
