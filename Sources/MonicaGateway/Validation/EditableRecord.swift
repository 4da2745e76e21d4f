internal import Bus
internal import Fields
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// A record that clients create and change.
protocol EditableRecord: SyncedRecord {
  /// The rules over several fields; `proto/` states the rules of single fields.
  static var rules: [FieldRule<Self>] { get }
  /// Names that are accepted although the server's catalog lacks them.
  static var plainNames: [String] { get }

  /// Whether the record is about this person.
  func isAbout(_ person: String) -> Bool
  /// Copies the fields that only the creation of a record sets.
  mutating func begin(as given: Self)
  /// Updates the fields that depend on other fields.
  ///
  /// - Parameters:
  ///   - previous: The record before the change; nil for a new record.
  ///   - now: Nanoseconds since 1970.
  mutating func derive(from previous: Self?, now: Int64)
  /// Updates and checks the fields that depend on other stored records, in the transaction that stores the record.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`, `ALREADY_EXISTS/RECORD_EXISTS`.
  mutating func settle(_ previous: Self?, in transaction: Transaction, now: Int64) throws(Failure)
}

/// A rule over several fields of a record.
struct FieldRule<Record: Sendable>: Sendable {
  /// The field that an error names.
  let field: String
  /// The fields whose change makes the hub check the rule.
  let watched: [String]
  /// The fault of a record and its remedy; nil if there is none. The second argument is the time in nanoseconds since 1970.
  let fault: @Sendable (Record, Int64) -> String?

  init(_ field: String, also others: [String] = [], _ fault: @escaping @Sendable (Record, Int64) -> String?) {
    self.field = field
    self.watched = [field] + others
    self.fault = fault
  }
}

/// A field whose text is a name of a catalog: of the server's, or, before the first login, of the one that every household has.
struct CatalogName<Record: Sendable>: Sendable {
  let field: String
  /// As in `CatalogEntry.catalog`.
  let catalog: String
  /// Names that are accepted although the catalog lacks them.
  let plain: [String]
  let path: any WritableKeyPath<Record, String> & Sendable

  /// The name as the catalog writes it. What people call it in English or Japanese is accepted too.
  ///
  /// - Parameter entries: The entries of the catalog; empty if the server's was never read. Then, and without an account, every name
  ///   is accepted.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a name that the server's catalog does not have.
  func resolve(_ name: String, _ entries: [CatalogEntry]) throws(Failure) -> String {
    guard !name.isEmpty, !entries.isEmpty, !self.plain.contains(name) else { return name }
    if let entry = entries.first(where: { $0.name == name }) { return entry.name }
    let lower = name.lowercased()
    if let plain = self.plain.first(where: { $0.lowercased() == lower }) { return plain }
    if let entry = entries.first(where: { $0.name.lowercased() == lower }) { return entry.name }
    if let common = CatalogKind(rawValue: self.catalog).flatMap({ CommonName.find($0, name) }) {
      if self.plain.contains(common.name) { return common.name }
      if let entry = entries.first(where: { common.isMeant(by: $0) }) { return entry.name }
    }
    // A household without an account may have words of its own.
    guard entries.contains(where: { $0.monicaID != 0 || $0.japanese.isEmpty }) else { return name }
    var known = self.plain
    for entry in entries where !known.contains(entry.name) { known.append(entry.name) }
    throw .invalid(
      field: self.field, "'\(name.prefix(64))' is not known. Choose one of \(known.prefix(60).joined(separator: ", "))."
    )
  }
}

extension EditableRecord {
  static var rules: [FieldRule<Self>] { [] }

  static var plainNames: [String] { [] }

  /// The fields whose values are names of a catalog of the server.
  static var catalogNames: [CatalogName<Self>] {
    Self.fields.compactMap { field in
      guard !field.rules.catalog.isEmpty, case .text(let path) = field.value else { return nil }
      return CatalogName(field: field.name, catalog: field.rules.catalog, plain: Self.plainNames, path: path)
    }
  }

  func isAbout(_ person: String) -> Bool { self.personID == person }

  mutating func begin(as given: Self) { self.personID = given.personID }

  mutating func derive(from previous: Self?, now: Int64) {}

  mutating func settle(_ previous: Self?, in transaction: Transaction, now: Int64) throws(Failure) {
    try self.resolveNames(previous, in: transaction)
  }

  /// Spells names of the server's catalogs as the server does.
  mutating func resolveNames(_ previous: Self?, in transaction: Transaction) throws(Failure) {
    for name in Self.catalogNames where previous?[keyPath: name.path] != self[keyPath: name.path] {
      let entries = try transaction.catalog.list(name.catalog)
      self[keyPath: name.path] = try name.resolve(self[keyPath: name.path], entries)
    }
  }

  /// Makes a record from the fields of a request.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for the first invalid field.
  init(creating given: Self, now: Int64) throws(Failure) {
    self.init()
    for field in Self.fields where field.rules.isEditable { field.copy(given, &self) }
    self.begin(as: given)
    try self.finish(Set(Self.fields.map(\.name)), from: nil, now: now)
  }

  /// Applies the changes of a request.
  ///
  /// - Parameters:
  ///   - names: The names of the fields to copy; none = the fields that are not empty.
  ///   - given: The record of the request.
  ///   - now: Nanoseconds since 1970.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for an unknown or invalid field.
  mutating func change(_ names: [String], as given: Self, now: Int64) throws(Failure) {
    guard given.personID.isEmpty || self.isAbout(given.personID) else {
      throw .invalid(
        field: "person_id", "a \(Self.kind.name) cannot move to another person. Delete it, and create it there.")
    }
    let previous = self
    try self.take(names, of: given)
    let changed = Self.fields.filter { $0.rules.isEditable && !$0.isSame(previous, self) }.map(\.name)
    try self.finish(Set(changed), from: previous, now: now)
  }

  private mutating func finish(_ changed: Set<String>, from previous: Self?, now: Int64) throws(Failure) {
    let fields = Self.fields.filter { $0.isGiven && changed.contains($0.name) }
    self.tidy(fields)
    self.derive(from: previous, now: now)
    try self.check(fields, now: now)
    for rule in Self.rules where !changed.isDisjoint(with: rule.watched) {
      if let why = rule.fault(self, now) { throw .invalid(field: rule.field, why) }
    }
  }
}
