internal import Bus
internal import GRDB
internal import KithMessages

/// Drops old events of a stream, a slice at a time.
struct Compaction {
  let transaction: Transaction
  let limits: EventLimits

  /// Drops what is beyond the limits in the next slice of a stream.
  ///
  /// - Parameters:
  ///   - first: From where the log is whole.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: From where it is whole now; the same = nothing to drop.
  func dropSlice(of stream: EventStream, first: UInt64, head: UInt64, now: Int64) throws(Failure) -> UInt64 {
    let end = min(first + self.limits.slice, head + 1)
    guard first < end else { return first }
    let tooOld = now - self.limits.age.nanoseconds
    let byCount = head >= self.limits.count ? head - self.limits.count + 1 : 0
    return try self.transaction.attempt { database in
      let firstYoung = try Int64.fetchOne(
        database.cachedStatement(
          sql: "SELECT min(seq) FROM event WHERE stream = ? AND seq >= ? AND seq < ? AND time >= ?"),
        arguments: [stream.rawValue, Int64(first), Int64(end), tooOld])
      let byAge = firstYoung.map { UInt64($0) } ?? end
      let boundary = min(end, max(byCount, byAge, first))
      guard boundary > first else { return first }
      try database.cachedStatement(
        sql: """
          DELETE FROM event WHERE stream = ?1 AND seq >= ?2 AND seq < ?3
            AND seq NOT IN (SELECT seq FROM last_event WHERE stream = ?1 AND seq >= ?2 AND seq < ?3)
          """
      ).execute(arguments: [stream.rawValue, Int64(first), Int64(boundary)])
      try database.cachedStatement(sql: "UPDATE stream SET first_seq = ? WHERE id = ?")
        .execute(arguments: [Int64(boundary), stream.rawValue])
      return boundary
    }
  }
}
