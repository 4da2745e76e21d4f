internal import Bus

/// How much one reply holds.
enum PageLimit {
  /// Bytes of records in one reply, as protobuf. In JSON, where every field has its name, they are up to three times as many,
  /// and have to fit the 256 KiB of a body all the same.
  static let replyBytes = 80 * 1024
  /// Records that are read at once while a reply fills.
  static let chunk = 64

  /// The number of records that `limit` asks for.
  ///
  /// - Throws: `FIELD_INVALID` above 500.
  static func records(_ limit: UInt32) throws(Failure) -> Int {
    guard limit <= 500 else { throw .invalid(field: "limit", "is \(limit); at most 500 go into one reply.") }
    return limit == 0 ? 50 : Int(limit)
  }
}
