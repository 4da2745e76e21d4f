internal import FoundationEssentials
internal import GRDB
internal import GRDBSQLite

/// A prepared statement, run without GRDB's argument arrays and rows.
///
/// All tables are read and written by these statements; connections, transactions, migrations and PRAGMAs are GRDB's. Several
/// run for every command and every contact, and boxing their values took more time than SQLite itself. Nothing observes
/// the tables through GRDB, so they do not need its bookkeeping.
///
/// ```swift
/// try database.run("DELETE FROM card WHERE contact = ?", .integer(row))
/// let id = try database.first("SELECT uuid FROM contact WHERE id = ?", .integer(row)) { $0.text(0) }
/// ```
struct EngineStatement {
  private let statement: Statement
  private let database: Database

  init(_ database: Database, _ sql: String) throws {
    self.statement = try database.cachedStatement(sql: sql)
    self.database = database
  }

  /// Runs the statement with its parameters in order.
  func run(_ values: [EngineValue]) throws { unsafe try self.end(try self.bind(values)) }

  /// Runs the statement once for each of some rows: with the same first parameters and those of the row, which were packed before the
  /// first were known.
  func run(_ first: EngineValue..., andEach rows: PackedRows) throws {
    guard !rows.values.isEmpty else { return }
    let handle = unsafe try self.bind(first)
    guard first.count + rows.width == Int(unsafe sqlite3_bind_parameter_count(handle)) else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, sql: self.statement.sql)
    }
    // `unsafe` is sound: the array does not move during this closure, and the statement runs to its end in it. Each later run binds all
    // parameters first, so none reads these bytes again.
    unsafe try rows.bytes.withUnsafeBufferPointer { bytes in
      for beginning in rows.beginnings {
        for index in 0..<rows.width {
          let value = rows.values[beginning + index]
          try self.require(unsafe value.bind(bytes, to: handle, at: CInt(first.count + index + 1)))
        }
        unsafe try self.end(handle)
      }
    }
  }

  /// Runs the statement, whose parameters are bound, to its end.
  private func end(_ handle: OpaquePointer) throws {
    let result = unsafe sqlite3_step(handle)
    // Before the reset, which clears the error message.
    defer { unsafe sqlite3_reset(handle) }
    try self.require(result)
  }

  /// Runs a query and calls `body` with each row.
  func forEach(_ values: [EngineValue], _ body: (EngineRow) throws -> Void) throws {
    try self.takeRows(values) { row in
      try body(row)
      return true
    }
  }

  /// Runs a query and calls `body` with each row until it returns false.
  func takeRows(_ values: [EngineValue], while body: (EngineRow) throws -> Bool) throws {
    let handle = unsafe try self.bind(values)
    defer { unsafe sqlite3_reset(handle) }
    while true {
      let result = unsafe sqlite3_step(handle)
      guard result == SQLITE_ROW else { return try self.require(result) }
      guard try body(unsafe EngineRow(handle: handle)) else { return }
    }
  }

  /// Reads the first row; nil if there is none.
  func first<Value>(_ values: [EngineValue], _ read: (EngineRow) throws -> Value) throws -> Value? {
    let handle = unsafe try self.bind(values)
    defer { unsafe sqlite3_reset(handle) }
    let result = unsafe sqlite3_step(handle)
    try self.require(result)
    return result == SQLITE_ROW ? try read(unsafe EngineRow(handle: handle)) : nil
  }

  /// Runs a statement without parameters.
  func run() throws {
    // As in `bind`.
    unsafe try self.end(self.statement.sqliteStatement)
  }

  /// The values in the order of the parameters with these names, such as `:limit`. Other names are left out.
  func values(named values: [String: EngineValue]) -> [EngineValue] {
    // As in `bind`; SQLite's names live as long as the statement, and are copied here.
    let handle = unsafe self.statement.sqliteStatement
    return (1..<(unsafe sqlite3_bind_parameter_count(handle)) + 1).map { index in
      guard let name = unsafe sqlite3_bind_parameter_name(handle, index) else { return .null }
      return values[String(unsafe String(cString: name).dropFirst())] ?? .null
    }
  }

  private func bind(_ values: [EngineValue]) throws -> OpaquePointer {
    // The statement belongs to the connection of the closure that this runs in, and lives as long as `self`.
    let handle = unsafe self.statement.sqliteStatement
    var index: CInt = 1
    for value in values {
      try self.require(unsafe value.bind(to: handle, at: index))
      index += 1
    }
    return unsafe handle
  }

  private func require(_ result: CInt) throws {
    guard result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: result), message: self.database.lastErrorMessage, sql: self.statement.sql)
    }
  }
}

extension Database {
  /// Runs a statement with its parameters in order.
  func run(_ sql: String, _ values: EngineValue...) throws { try EngineStatement(self, sql).run(values) }

  /// Runs a statement with its parameters by name.
  func run(_ sql: String, named values: [String: EngineValue]) throws {
    let statement = try EngineStatement(self, sql)
    try statement.run(statement.values(named: values))
  }

  /// Reads the first row of a query; nil if there is none.
  func first<Value>(
    _ sql: String, _ values: EngineValue..., read: (EngineRow) throws -> Value
  ) throws -> Value? {
    try EngineStatement(self, sql).first(values, read)
  }

  /// Reads all rows of a query.
  func all<Value>(_ sql: String, _ values: EngineValue..., read: (EngineRow) throws -> Value) throws -> [Value] {
    var rows: [Value] = []
    try EngineStatement(self, sql).forEach(values) { rows.append(try read($0)) }
    return rows
  }

  /// Reads all rows of a query with its parameters by name.
  func all<Value>(
    _ sql: String, named values: [String: EngineValue], read: (EngineRow) throws -> Value
  ) throws -> [Value] {
    let statement = try EngineStatement(self, sql)
    var rows: [Value] = []
    try statement.forEach(statement.values(named: values)) { rows.append(try read($0)) }
    return rows
  }
}

/// A parameter of an ``EngineStatement``.
enum EngineValue: Sendable {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  /// The same as `blob`.
  case data(Data)
  case null

  /// NULL for nil.
  static func optional(_ value: Int64?) -> EngineValue { value.map { .integer($0) } ?? .null }

  /// - Returns: SQLite's result code.
  func bind(to handle: OpaquePointer, at index: CInt) -> CInt {
    // SQLite copies text and bytes before the call returns.
    let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch self {
    case .null:
      return unsafe sqlite3_bind_null(handle, index)
    case .integer(let value):
      return unsafe sqlite3_bind_int64(handle, index, value)
    case .text(var value):
      return value.withUTF8 { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) {
          unsafe sqlite3_bind_text(handle, index, $0.baseAddress, CInt($0.count), copied)
        }
      }
    case .blob(let value):
      // An empty array may have no address, which would bind NULL.
      guard !value.isEmpty else { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
      return unsafe value.withUnsafeBytes {
        unsafe sqlite3_bind_blob(handle, index, $0.baseAddress, CInt($0.count), copied)
      }
    case .data(let value):
      guard !value.isEmpty else { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
      return unsafe value.withUnsafeBytes {
        unsafe sqlite3_bind_blob(handle, index, $0.baseAddress, CInt($0.count), copied)
      }
    }
  }
}

// The statement outlives the closure of `EngineStatement.forEach`, and no row leaves that closure.
/// The current row of an ``EngineStatement``; used only inside the closure that received it.
@safe struct EngineRow {
  private let handle: OpaquePointer

  init(handle: OpaquePointer) { unsafe self.handle = handle }

  func isNull(_ column: Int) -> Bool { unsafe sqlite3_column_type(self.handle, CInt(column)) == SQLITE_NULL }

  /// 0 if NULL.
  func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(self.handle, CInt(column)) }

  /// Empty if NULL.
  func text(_ column: Int) -> String {
    // SQLite keeps the bytes until the next step; they are copied here. The length must be read after the text
    // (<https://www.sqlite.org/c3ref/column_blob.html>).
    guard let bytes = unsafe sqlite3_column_text(self.handle, CInt(column)) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(self.handle, CInt(column)))
    guard count > 0 else { return "" }
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Empty if NULL.
  func blob(_ column: Int) -> [UInt8] {
    // As above.
    guard let bytes = unsafe sqlite3_column_blob(self.handle, CInt(column)) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(self.handle, CInt(column)))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
