internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

extension Migration {
  /// Writes the names of people again that no server has named: family name first in Japanese.
  static let japaneseNames = Migration(name: "japanese_names", sql: "") { database in
    let people = try database.all("SELECT id, body, name FROM record WHERE kind = 1") {
      (id: $0.integer(0), person: try Person(serializedBytes: $0.blob(1)), name: $0.text(2))
    }
    for row in people where row.person.shownName != row.name {
      try database.run(
        "UPDATE record SET name = ? WHERE id = ?", .text(row.person.shownName), .integer(row.id))
    }
  }
}
