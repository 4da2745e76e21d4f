public import Bus
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
      try database.all(Self.selection + "ORDER BY name", read: SourceRecord.init(row:))
    }
  }

  /// A source; nil if the name is unknown.
  public func find(_ name: String) throws(Failure) -> SourceRecord? {
    try self.view.attempt { database in
      try database.first(Self.selection + "WHERE name = ?", .text(name), read: SourceRecord.init(row:))
    }
  }

  /// The row of a source.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  func row(of name: String) throws(Failure) -> Int64 {
    let row = try self.view.attempt { database in
      try database.first("SELECT id FROM source WHERE name = ?", .text(name)) { $0.integer(0) }
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
  fileprivate init(row: EngineRow) throws {
    var source = Source()
    source.name = row.text(0)
    var location = SourceLocation()
    location.name = row.text(0)
    location.identity = row.text(6)
    switch row.text(1) {
    case "vdir":
      source.vdir.path = row.text(2)
      location.vdir = source.vdir
    case "vcf":
      source.vcf.path = row.text(2)
      location.vcf = source.vcf
    case "carddav":
      if !row.isNull(3) { source.carddav = try CardDAV(serializedBytes: row.blob(3)) }
      source.carddav.url = row.text(2)
      location.carddav = source.carddav
    default:
      throw DatabaseError(resultCode: .SQLITE_CORRUPT)
    }
    if !row.isNull(4) { source.createdAt = .init(nanosecondsSince1970: row.integer(4)) }
    if !row.isNull(7) { source.status = try SyncStatus(serializedBytes: row.blob(7)) }
    self.init(source: source, location: location, token: row.text(5))
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
        details: ["name": "is in use", "source": source.name])
    }
    let (kind, location) = try Self.place(of: source)
    try self.view.attempt { database in
      try database.run(
        "INSERT INTO source (name, kind, location, account, created_at, status) VALUES (?, ?, ?, ?, ?, ?)",
        .text(source.name), .text(kind), .text(location), try Self.account(of: source),
        .stamp(source.hasCreatedAt, source.createdAt),
        source.hasStatus ? .blob(try source.status.serializedBytes()) : .null)
    }
  }

  /// Changes the location and account of a source; its contacts stay. A password in the message is not stored.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`; `FIELD_INVALID` without a kind.
  public func replace(_ source: Source) throws(Failure) {
    let row = try self.row(of: source.name)
    let (kind, location) = try Self.place(of: source)
    try self.view.attempt { database in
      try database.run(
        "UPDATE source SET kind = ?, location = ?, account = ? WHERE id = ?", .text(kind), .text(location),
        try Self.account(of: source), .integer(row))
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
  private static func account(of source: Source) throws -> EngineValue {
    guard case .carddav(var account) = source.kind else { return .null }
    account.password = ""
    return .blob(try account.serializedBytes())
  }

  /// Deletes a source with its contacts, cards and problems, and photos that nothing else uses.
  ///
  /// - Returns: The ids of the erased contacts, soft-deleted ones included.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func remove(_ name: String) throws(Failure) -> [String] {
    let row = try self.row(of: name)
    let ids = try self.view.attempt { database in
      for table in ["card_problem", "card"] {
        try database.run("DELETE FROM \(table) WHERE source = ?", .integer(row))
      }
      let contacts = try database.all("SELECT id FROM contact WHERE source = ?", .integer(row)) { $0.integer(0) }
      let ids = try self.view.contacts.erase(contacts)
      try database.run("DELETE FROM source WHERE id = ?", .integer(row))
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
      try database.run(
        "UPDATE source SET token = ?, identity = ? WHERE id = ?", .text(token), .text(identity), .integer(row))
    }
  }

  /// Stores the status of a source's pass.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func setStatus(_ status: SyncStatus, of name: String) throws(Failure) {
    let row = try self.row(of: name)
    try self.view.attempt { database in
      try database.run("UPDATE source SET status = ? WHERE id = ?", .blob(try status.serializedBytes()), .integer(row))
    }
  }
}
