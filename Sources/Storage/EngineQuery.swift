internal import GRDB
internal import GRDBSQLite

/// A prepared query for rows that are read often, without GRDB's argument arrays and rows: what ``EngineStatement`` is for
/// writing.
struct EngineQuery {
  private let statement: Statement
  private let database: Database

  init(_ database: Database, _ sql: String) throws {
    self.statement = try database.cachedStatement(sql: sql)
    self.database = database
  }

  /// Calls `body` with each row. It must not run the same query again.
  func forEach(_ values: [EngineValue], _ body: (EngineRow) throws -> Void) throws {
    // The statement belongs to the connection of the closure that this runs in, and lives as long as `self`.
    let handle = unsafe self.statement.sqliteStatement
    defer { unsafe sqlite3_reset(handle) }
    for (index, value) in values.enumerated() { try self.require(unsafe value.bind(to: handle, at: CInt(index + 1))) }
    while true {
      let result = unsafe sqlite3_step(handle)
      guard result == SQLITE_ROW else { return try self.require(result) }
      try body(unsafe EngineRow(handle: handle))
    }
  }

  /// What `read` makes of the first row; nil without one.
  func first<Value>(_ values: [EngineValue], _ read: (EngineRow) -> Value) throws -> Value? {
    var value: Value?
    try self.forEach(values) { row in if value == nil { value = read(row) } }
    return value
  }

  private func require(_ result: CInt) throws {
    guard result == SQLITE_OK || result == SQLITE_DONE else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: result), message: self.database.lastErrorMessage, sql: self.statement.sql)
    }
  }
}

/// The columns of the row that an ``EngineQuery`` stands at, counted from 0; valid within its closure.
@safe struct EngineRow {
  private let handle: OpaquePointer

  init(handle: OpaquePointer) { unsafe self.handle = handle }

  func isNull(_ column: Int) -> Bool { unsafe sqlite3_column_type(self.handle, CInt(column)) == SQLITE_NULL }

  /// The number; 0 for NULL.
  func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(self.handle, CInt(column)) }

  /// The text; empty for NULL.
  func text(_ column: Int) -> String {
    // SQLite's text lives until the next step and has as many bytes as it says afterwards.
    guard let text = unsafe sqlite3_column_text(self.handle, CInt(column)) else { return "" }
    let count = unsafe Int(sqlite3_column_bytes(self.handle, CInt(column)))
    return unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// The bytes; empty for NULL.
  func bytes(_ column: Int) -> [UInt8] {
    // As of the text.
    guard let bytes = unsafe sqlite3_column_blob(self.handle, CInt(column)) else { return [] }
    let count = unsafe Int(sqlite3_column_bytes(self.handle, CInt(column)))
    return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
