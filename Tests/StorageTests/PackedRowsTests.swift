import GRDB
import Testing

@testable import Storage

/// Rows that were packed are stored as they are, and a statement for other rows is refused.
struct PackedRowsTests {
  @Test func eachRowIsStoredWithTheFirstParameters() throws {
    var rows = PackedRows(width: 3)
    rows.append([.text(""), .blob([]), .null])
    rows.append([.text("山田"), .blob([0, 1]), .integer(-1)])
    let stored = try DatabaseQueue().write { database in
      try database.execute(sql: "CREATE TABLE sample (owner, text, bytes, number)")
      let insertion = try EngineStatement(database, "INSERT INTO sample VALUES (?, ?, ?, ?)")
      try insertion.run(.integer(7), andEach: rows)
      try insertion.run(.integer(8), andEach: PackedRows(width: 3))
      return try String.fetchAll(
        database, sql: "SELECT owner || ' ' || quote(text) || ' ' || quote(bytes) || ' ' || quote(number) FROM sample")
    }
    #expect(stored == ["7 '' X'' NULL", "7 '山田' X'0001' -1"])
  }

  @Test func aStatementWithOtherParametersIsNotRun() throws {
    try DatabaseQueue().write { database in
      try database.execute(sql: "CREATE TABLE sample (owner, text, other)")
      let insertion = try EngineStatement(database, "INSERT INTO sample VALUES (?, ?, ?)")
      #expect(throws: DatabaseError.self) { try insertion.run(.integer(7), andEach: PackedRows([.text("a")])) }
      #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM sample") == 0)
    }
  }
}
