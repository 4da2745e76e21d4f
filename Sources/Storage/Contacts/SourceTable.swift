public import Bus
internal import Foundation
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension DatabaseView {
  /// The sources of contacts.
  public var sources: SourceTable<Self> { SourceTable(view: self) }
}

/// A source with the state that the next pass needs.
public struct SourceRecord: Sendable {
  /// The source for clients, with the status of its last pass.
  public var source: Source
  /// The source for the service that reads it, with its identity.
  public var location: SourceLocation
  /// The sync token of the last complete listing; empty if there was none.
  public var token: String
}

/// The sources of contacts.
public struct SourceTable<View: DatabaseView> {
  let view: View

  /// All sources by name.
  public func all() throws(Failure) -> [SourceRecord] {
    try self.view.attempt { database in
      try Row.fetchAll(database.cachedStatement(sql: Self.selection + "ORDER BY name")).map {
        try SourceRecord(row: $0)
      }
    }
  }

  /// A source; nil if the name is unknown.
  public func find(_ name: String) throws(Failure) -> SourceRecord? {
    try self.view.attempt { database in
      try Row.fetchOne(database.cachedStatement(sql: Self.selection + "WHERE name = ?"), arguments: [name])
        .map { try SourceRecord(row: $0) }
    }
  }

  /// The row of a source.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  func row(of name: String) throws(Failure) -> Int64 {
    let row = try self.view.attempt { database in
      try EngineStatement(database, "SELECT id FROM source WHERE name = ?").first([.text(name)]) { $0.integer(0) }
    }
    guard let row else {
      throw .unknownRecord(
        name, "There is no source named '\(name.prefix(64))'. `kith contacts source list` lists them.")
    }
    return row
  }

  private static var selection: String {
    """
    SELECT name, kind, location, account, created_at, token, identity, status FROM source

    """
  }
}

extension SourceRecord {
  /// Reads the columns of `SourceTable.selection`.
  fileprivate init(row: Row) throws {
    var source = Source()
    source.name = row[0]
    var location = SourceLocation()
    location.name = row[0]
    location.identity = row[6]
    switch row[1] as String {
    case "vdir":
      source.vdir.path = row[2]
      location.vdir = source.vdir
    case "vcf":
      source.vcf.path = row[2]
      location.vcf = source.vcf
    default:
      if let account = row[3] as Data? { source.carddav = try CardDAV(serializedBytes: account) }
      source.carddav.url = row[2]
      location.carddav = source.carddav
    }
    if let time = row[4] as Int64? { source.createdAt = .init(nanosecondsSince1970: time) }
    if let status = row[7] as Data? { source.status = try SyncStatus(serializedBytes: status) }
    self.init(source: source, location: location, token: row[5])
  }
}

extension SourceTable where View == Transaction {
  /// Inserts a source. A password in the message is not stored.
  ///
  /// - Throws: `ALREADY_EXISTS/RECORD_EXISTS`; `FIELD_INVALID` without a kind.
  public func insert(_ source: Source) throws(Failure) {
    if try self.find(source.name) != nil {
      throw Failure(
        .alreadyExists, "RECORD_EXISTS", "There is a source named '\(source.name)' already. Choose another name.",
        details: ["name": "is in use"])
    }
    let (kind, location) = try Self.place(of: source)
    try self.view.attempt { database in
      try database.cachedStatement(
        sql: "INSERT INTO source (name, kind, location, account, created_at, status) VALUES (?, ?, ?, ?, ?, ?)"
      ).execute(arguments: [
        source.name, kind, location, try Self.account(of: source),
        source.hasCreatedAt ? ColumnValues.nanoseconds(source.createdAt) : nil,
        source.hasStatus ? try source.status.serializedData() : nil,
      ])
    }
  }

  /// Changes the location and account of a source; its contacts stay. A password in the message is not stored.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`; `FIELD_INVALID` without a kind.
  public func replace(_ source: Source) throws(Failure) {
    let row = try self.row(of: source.name)
    let (kind, location) = try Self.place(of: source)
    try self.view.attempt { database in
      try database.cachedStatement(sql: "UPDATE source SET kind = ?, location = ?, account = ? WHERE id = ?")
        .execute(arguments: [kind, location, try Self.account(of: source), row])
    }
  }

  private static func place(of source: Source) throws(Failure) -> (kind: String, location: String) {
    switch source.kind {
    case .vdir(let vdir): ("vdir", vdir.path)
    case .vcf(let vcf): ("vcf", vcf.path)
    case .carddav(let carddav): ("carddav", carddav.url)
    case nil: throw .invalid(field: "kind", "is missing. Give one of vdir, vcf and carddav.")
    }
  }

  /// The account without its password.
  private static func account(of source: Source) throws -> Data? {
    guard case .carddav(var account) = source.kind else { return nil }
    account.password = ""
    return try account.serializedData()
  }

  /// Deletes a source with its contacts, cards and problems, and photos that nothing else uses.
  ///
  /// - Returns: The ids of the erased contacts, soft-deleted ones included.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func remove(_ name: String) throws(Failure) -> [String] {
    let row = try self.row(of: name)
    let ids = try self.view.attempt { database in
      for table in ["card_problem", "card"] {
        try database.execute(sql: "DELETE FROM \(table) WHERE source = ?", arguments: [row])
      }
      let contacts = try Int64.fetchAll(database, sql: "SELECT id FROM contact WHERE source = ?", arguments: [row])
      let ids = try self.view.contacts.erase(contacts)
      try database.execute(sql: "DELETE FROM source WHERE id = ?", arguments: [row])
      return ids
    }
    try self.view.photos.dropUnreferenced()
    return ids
  }

  /// Stores the result of the last complete listing: its sync token, and the identity of the folder or collection.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func setListing(_ name: String, token: String, identity: String) throws(Failure) {
    let row = try self.row(of: name)
    try self.view.attempt { database in
      try database.cachedStatement(sql: "UPDATE source SET token = ?, identity = ? WHERE id = ?")
        .execute(arguments: [token, identity, row])
    }
  }

  /// Stores the status of a source's pass.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func setStatus(_ status: SyncStatus, of name: String) throws(Failure) {
    let row = try self.row(of: name)
    try self.view.attempt { database in
      try database.cachedStatement(sql: "UPDATE source SET status = ? WHERE id = ?")
        .execute(arguments: [try status.serializedData(), row])
    }
  }
}
