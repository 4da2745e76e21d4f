internal import GRDBSQLite

/// Parameters of an ``EngineStatement`` for one or more rows, whose text and bytes follow one another in one array.
///
/// SQLite reads this array while the statement runs. It copies each text of an ``EngineValue`` into memory of its own. A contact has some
/// ninety parameters, and most of them are empty.
struct PackedRows: Sendable {
  /// A parameter; text and bytes by their place in the array.
  enum Value {
    case integer(Int64)
    case text(Range<Int>)
    case blob(Range<Int>)
    case null
  }

  /// The number of parameters of a row.
  let width: Int
  private(set) var values: [Value] = []
  // An empty text needs an address too: without one it would be NULL.
  private(set) var bytes: [UInt8] = [0]

  init(width: Int) { self.width = width }

  /// Packs one row.
  init(_ row: [EngineValue]) {
    self.width = row.count
    self.values.reserveCapacity(row.count)
    self.append(row)
  }

  /// Where each row begins in ``values``.
  var beginnings: StrideTo<Int> { stride(from: 0, to: self.values.count, by: self.width) }

  /// Adds a row of ``width`` values.
  mutating func append(_ row: [EngineValue]) {
    precondition(row.count == self.width)
    for value in row {
      switch value {
      case .null: self.values.append(.null)
      case .integer(let number): self.values.append(.integer(number))
      case .text(let text): self.values.append(.text(self.append(text.utf8)))
      case .blob(let bytes): self.values.append(.blob(self.append(bytes)))
      case .data(let data): self.values.append(.blob(self.append(data)))
      }
    }
  }

  private mutating func append(_ bytes: some Sequence<UInt8>) -> Range<Int> {
    let start = self.bytes.count
    self.bytes.append(contentsOf: bytes)
    return start..<self.bytes.count
  }
}

extension PackedRows.Value {
  /// - Parameter bytes: The array. It must not move until the statement has run.
  /// - Returns: SQLite's result code.
  func bind(_ bytes: UnsafeBufferPointer<UInt8>, to handle: OpaquePointer, at index: CInt) -> CInt {
    // `unsafe` is sound: the caller keeps the array where it is until the statement has run. nil is SQLITE_STATIC: SQLite makes no copy.
    switch self {
    case .null: return unsafe sqlite3_bind_null(handle, index)
    case .integer(let value): return unsafe sqlite3_bind_int64(handle, index, value)
    case .text(let place):
      return unsafe UnsafeBufferPointer(rebasing: bytes[place]).withMemoryRebound(to: CChar.self) {
        unsafe sqlite3_bind_text(handle, index, $0.baseAddress, CInt($0.count), nil)
      }
    case .blob(let place):
      let bytes = unsafe UnsafeBufferPointer(rebasing: bytes[place])
      return unsafe sqlite3_bind_blob(handle, index, bytes.baseAddress, CInt(bytes.count), nil)
    }
  }
}
