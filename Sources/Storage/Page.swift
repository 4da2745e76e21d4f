internal import KithMessages

/// What one reply holds of a list: records until there are as many as were asked for, or as much as a reply holds. One always fits,
/// so that a list goes on behind a record of any size.
///
/// The rows of a list are read in its order, one more than the page may have:
///
/// ```swift
/// var page = Page<CareRecord>(limit: limit)
/// while let row = try rows.next(), page.hasRoom(for: size) { page.append(record, at: PageCursor(…)) }
/// reply.nextCursor = page.nextCursor
/// ```
struct Page<Record> {
  private(set) var records: [Record] = []
  /// Where the next page begins; empty while every record had room.
  private(set) var nextCursor = ""
  private let limit: Int
  private let room: Int
  private var used = 0
  private var end = ""

  /// Makes an empty page.
  ///
  /// - Parameters:
  ///   - limit: The most records.
  ///   - room: The most bytes.
  init(limit: Int = .max, room: Int = PageLimit.replyBytes) {
    self.limit = limit
    self.room = room
  }

  /// Whether the next record has room; if it has none, the page ends before it.
  ///
  /// - Parameter bytes: How large the record is in the reply.
  mutating func hasRoom(for bytes: Int) -> Bool {
    let left = self.room - self.used - self.end.utf8.count
    guard self.records.count < self.limit, bytes <= left || self.records.isEmpty else {
      self.nextCursor = self.end
      return false
    }
    self.used += bytes
    return true
  }

  /// Adds the record for which there is room.
  ///
  /// - Parameter cursor: Its place in the list; nil where the caller makes the cursor itself.
  mutating func append(_ record: Record, at cursor: PageCursor? = nil) {
    self.records.append(record)
    self.end = cursor?.text ?? ""
  }
}
