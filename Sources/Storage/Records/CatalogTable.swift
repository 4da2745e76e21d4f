public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

/// The names for genders and types: those that the server of the account in use knows; before the first login, those that every
/// household has.
public struct CatalogTable<View: DatabaseView> {
  let view: View

  /// The entries of a catalog in the order of the server's ids; built-in ones by their use.
  ///
  /// - Parameter catalog: Such as "gender"; empty = of all catalogs, one after another.
  public func list(_ catalog: String = "") throws(Failure) -> [CatalogEntry] {
    guard try self.view.accounts.current().hasServer else {
      return CommonName.all(of: CatalogKind(rawValue: catalog)).map(\.entry)
    }
    return try self.read(
      catalog.isEmpty ? "ORDER BY catalog, monica_id" : "AND catalog = ? ORDER BY monica_id",
      catalog.isEmpty ? [] : [.text(catalog)])
  }

  /// The entry of a name, or else of a type such as "email"; nil when there is none. Case and accents make no difference.
  public func find(_ catalog: String, _ name: String) throws(Failure) -> CatalogEntry? {
    guard try self.view.accounts.current().hasServer else {
      return CatalogKind(rawValue: catalog).flatMap { CommonName.find($0, name)?.entry }
    }
    let key = RecordTraits.key(name)
    return try self.read(
      "AND catalog = ?1 AND (name = ?2 OR type = ?2) ORDER BY name <> ?2, monica_id LIMIT 1",
      [.text(catalog), .text(key)]
    ).first
  }

  private func read(_ condition: String, _ values: [EngineValue]) throws(Failure) -> [CatalogEntry] {
    try self.view.attempt { database in
      var entries: [CatalogEntry] = []
      try EngineStatement(
        database,
        """
        SELECT body FROM monica_catalog WHERE account = (SELECT id FROM monica_account WHERE is_current)
        """ + " " + condition
      ).forEach(values) { entries.append(try CatalogEntry(serializedBytes: $0.blob(0)).named) }
      return entries
    }
  }
}

extension CatalogTable where View == Transaction {
  /// Puts entries in the place of those that a catalog had.
  public func replace(_ catalog: String, with entries: [CatalogEntry]) throws(Failure) {
    let account = try self.view.records.account
    try self.view.attempt { database in
      try database.run(
        "DELETE FROM monica_catalog WHERE account = ? AND catalog = ?", .integer(account), .text(catalog))
      for entry in entries {
        try database.run(
          """
          INSERT OR REPLACE INTO monica_catalog (account, catalog, monica_id, name, type, body) VALUES (?, ?, ?, ?, ?, ?)
          """, .integer(account), .text(catalog), .integer(Int64(bitPattern: entry.monicaID)),
          .text(RecordTraits.key(entry.name)), .text(RecordTraits.key(entry.type)), .blob(try entry.serializedBytes()))
      }
    }
  }
}
