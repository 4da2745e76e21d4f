internal import Bus
internal import SwiftProtobuf

/// A table whose rows are messages: the message in the column `body`, beside copies of what queries need.
///
/// ```swift
/// let channels = MessageTable<Channel, Transaction>(view: transaction, name: "channel")
/// try channels.put(channel, key: ["name": .text(channel.name)])
/// let found = try channels.first("WHERE name = ?", [.text("family")])
/// ```
struct MessageTable<Content: SwiftProtobuf.Message & Sendable, View: DatabaseView> {
  let view: View
  /// The table's name in SQL.
  let name: String

  /// The messages of the rows that a condition selects.
  ///
  /// - Parameter condition: What follows the table in SQL: WHERE, ORDER BY, LIMIT.
  func all(_ condition: String = "", _ values: [EngineValue] = []) throws(Failure) -> [Content] {
    try self.view.attempt { database in
      var found: [Content] = []
      try EngineStatement(database, "SELECT body FROM \(self.name) \(condition)").forEach(values) {
        found.append(try Content(serializedBytes: $0.blob(0)))
      }
      return found
    }
  }

  /// The message of the first such row; nil if there is none.
  func first(_ condition: String = "", _ values: [EngineValue] = []) throws(Failure) -> Content? {
    try self.view.attempt { database in
      try EngineStatement(database, "SELECT body FROM \(self.name) \(condition)").first(values) { $0.blob(0) }
        .map { try Content(serializedBytes: $0) }
    }
  }

  /// The messages of one page of such rows, with the cursor of the next.
  ///
  /// - Parameters:
  ///   - key: The column of integers by which the rows are ordered, before `id`.
  ///   - condition: It has to end with a LIMIT of one more than `limit`.
  func page(
    by key: String, _ condition: String, _ values: [EngineValue], limit: Int
  ) throws(Failure) -> Page<Content> {
    try self.view.attempt { database in
      var page = Page<Content>(limit: limit)
      try EngineStatement(database, "SELECT body, \(key), id FROM \(self.name) \(condition)").takeRows(values) { row in
        let body = row.blob(0)
        guard page.hasRoom(for: body.count + 8) else { return false }
        page.append(
          try Content(serializedBytes: body), at: PageCursor(key: "\(row.integer(1))", row: row.integer(2)))
        return true
      }
      return page
    }
  }
}

extension MessageTable where View == Transaction {
  /// Inserts a message, or replaces the one with the same key.
  ///
  /// - Parameters:
  ///   - key: The columns of a unique index, with their values.
  ///   - columns: The other columns.
  ///   - initial: Columns that keep their values when the message is replaced.
  func put(
    _ message: Content, key: KeyValuePairs<String, EngineValue>, columns: KeyValuePairs<String, EngineValue> = [:],
    initial: KeyValuePairs<String, EngineValue> = [:]
  ) throws(Failure) {
    try self.view.attempt { database in
      let all = Array(key) + Array(columns) + Array(initial) + [("body", .blob(try message.serializedBytes()))]
      let changed = columns.map(\.key) + ["body"]
      try EngineStatement(
        database,
        """
        INSERT INTO \(self.name) (\(all.map(\.key).joined(separator: ", ")))
        VALUES (\(all.map { _ in "?" }.joined(separator: ", ")))
        ON CONFLICT (\(key.map(\.key).joined(separator: ", ")))
        DO UPDATE SET \(changed.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """
      ).run(all.map(\.value))
    }
  }
}
