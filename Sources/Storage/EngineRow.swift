internal import GRDBSQLite

// The statement outlives the closure of `EngineStatement.forEach`, and no row leaves that closure.
/// The row that an ``EngineStatement`` stands at; used only inside the closure that was given it.
@safe struct EngineRow {
  private let handle: OpaquePointer

  init(handle: OpaquePointer) { unsafe self.handle = handle }

  func isNull(_ column: Int) -> Bool { unsafe sqlite3_column_type(self.handle, CInt(column)) == SQLITE_NULL }

  /// Zero for NULL.
  func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(self.handle, CInt(column)) }

  /// Empty for NULL.
  func text(_ column: Int) -> String {
    // SQLite keeps the bytes until the next step; they are copied here. The length is asked for after the text, as
    // <https://www.sqlite.org/c3ref/column_blob.html> wants it.
    guard let bytes = unsafe sqlite3_column_text(self.handle, CInt(column)) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(self.handle, CInt(column)))
    guard count > 0 else { return "" }
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Empty for NULL.
  func blob(_ column: Int) -> [UInt8] {
    // As above.
    guard let bytes = unsafe sqlite3_column_blob(self.handle, CInt(column)) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(self.handle, CInt(column)))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
