internal import EventLoop
internal import KithMessages

/// A cache of one account's catalogs, so that not every change has to read them.
final class CatalogMemory: Sendable {
  /// How long an entry is valid. A name that is not in the cache is looked up on the server in any case.
  private static let life = Duration.seconds(600)

  private struct Reading {
    let entries: [CatalogEntry]
    let at: ContinuousClock.Instant
  }

  private let readings = Lock<[CatalogKind: Reading]>([:])

  func entries(_ kind: CatalogKind) -> [CatalogEntry]? {
    self.readings.withLock { $0[kind].flatMap { .now - $0.at < Self.life ? $0.entries : nil } }
  }

  func keep(_ entries: [CatalogEntry], of kind: CatalogKind) {
    self.readings.withLock { $0[kind] = Reading(entries: entries, at: .now) }
  }

  func forget() { self.readings.withLock { $0 = [:] } }
}

/// Finds the ids of names, and reads catalogs that are not cached.
struct CatalogReader: Sendable {
  let client: MonicaClient
  let memory: CatalogMemory

  /// Returns the entries of a catalog.
  ///
  /// - Parameter isFresh: True to ignore the cache.
  func entries(_ kind: CatalogKind, isFresh: Bool = false) async throws(MonicaError) -> [CatalogEntry] {
    if !isFresh, let known = self.memory.entries(kind) { return known }
    let entries = try await self.read(kind)
    self.memory.keep(entries, of: kind)
    return entries
  }

  private func read(_ kind: CatalogKind) async throws(MonicaError) -> [CatalogEntry] {
    switch kind {
    case .gender:
      return try await self.all("genders", of: GenderResource.self).map { CatalogEntry($0) }
    case .contactFieldType:
      return try await self.all("contactfieldtypes", of: ContactFieldTypeResource.self).map { CatalogEntry($0) }
    case .activityType:
      return try await self.all("activitytypes", of: ActivityTypeResource.self).map { CatalogEntry($0) }
    case .relationshipType:
      let groups = try await self.all("relationshiptypegroups", of: Named.self)
      let names = Dictionary(groups.map { ($0.id, $0.name) }) { first, _ in first }
      return try await self.all("relationshiptypes", of: RelationshipTypeResource.self).map {
        CatalogEntry($0, group: names[$0.group] ?? "")
      }
    }
  }

  private func all<Value: Decodable & Sendable>(
    _ path: String, of type: Value.Type
  ) async throws(MonicaError) -> [Value] {
    try await ListReader.all(self.client, ListRoute(path: path), of: type)
  }

  // MARK: - Finding

  /// Returns the id of a name; a name that is not cached is looked up on the server before it counts as unknown.
  ///
  /// - Parameter field: The field of the record, for the error.
  /// - Throws: `unknownName` for a relationship or activity that every household has, `invalid` with the known names for another one.
  func id(of name: String, in kind: CatalogKind, field: String) async throws(MonicaError) -> UInt64 {
    try await self.entry(name, in: kind, field: field).monicaID
  }

  /// Returns the entry of a name; see ``id(of:in:field:)``.
  func entry(_ name: String, in kind: CatalogKind, field: String) async throws(MonicaError) -> CatalogEntry {
    if let known = Self.find(name, in: try await self.entries(kind)) { return known }
    let entries = try await self.entries(kind, isFresh: true)
    if let entry = Self.find(name, in: entries) { return entry }
    if [.activityType, .relationshipType].contains(kind), CommonName.find(kind, name) != nil {
      throw MonicaError(.unknownName(name))
    }
    let names = entries.map(\.name).joined(separator: ", ")
    throw MonicaError(.invalid(field: field, "the server does not know '\(name)'. It knows: \(names)."))
  }

  /// Types take precedence over names: "email" is the type whatever its name is in the account's language. If several
  /// entries have the name, the one with the lowest id is used.
  static func find(_ name: String, in entries: [CatalogEntry]) -> CatalogEntry? {
    let wanted = name.lowercased()
    func lowest(_ matches: (CatalogEntry) -> Bool) -> CatalogEntry? {
      entries.filter(matches).min { $0.monicaID < $1.monicaID }
    }
    return lowest { $0.type.lowercased() == wanted && $0.catalog == CatalogKind.contactFieldType.rawValue }
      ?? lowest { $0.name == name } ?? lowest { $0.name.lowercased() == wanted }
      ?? entries.first.flatMap { CatalogKind(rawValue: $0.catalog) }.flatMap { CommonName.find($0, name) }
      .flatMap { common in lowest { common.isMeant(by: $0) } }
  }

  /// The reverse of a type of relationship: what the first person is to the second if the second is `type` to the
  /// first; empty if the server does not say.
  func reverse(ofRelationship type: String) async throws(MonicaError) -> String {
    Self.find(type, in: try await self.entries(.relationshipType))?.reverseName ?? ""
  }
}
