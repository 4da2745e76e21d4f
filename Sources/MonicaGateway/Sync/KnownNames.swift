internal import Bus
internal import KithMessages
internal import Storage

/// The known names of genders, types and tags. A name that a record has and that is not among them was created since.
struct KnownNames: Sendable {
  private var catalog: Set<String> = []
  private var tags: Set<String> = []

  init() {}

  /// Reads the names from the store.
  init(_ view: some DatabaseView) throws(Failure) {
    for entry in try view.catalog.list() {
      self.catalog.insert(Self.key(entry.catalog, entry.name))
      if !entry.type.isEmpty { self.catalog.insert(Self.key(entry.catalog, entry.type)) }
    }
    var query = RecordQuery(limit: 500)
    repeat {
      let page = try view.records.page(Tag.self, query)
      self.tags.formUnion(page.records.map { $0.name.lowercased() })
      query.cursor = page.nextCursor
    } while !query.cursor.isEmpty
  }

  /// Whether records have unknown names of genders or types, and of tags.
  func lacks(_ records: [RemoteRecord]) -> (catalog: Bool, tags: Bool) {
    var lacks = (catalog: false, tags: false)
    for record in records.flatMap({ [$0] + $0.children }) {
      switch record.record {
      case .person(let person)?:
        lacks.tags = lacks.tags || person.tags.contains { !self.tags.contains($0.lowercased()) }
        lacks.catalog = lacks.catalog || self.lacks("gender", person.gender)
      case .contactField(let field)?: lacks.catalog = lacks.catalog || self.lacks("contact_field_type", field.type)
      case .activity(let activity)?: lacks.catalog = lacks.catalog || self.lacks("activity_type", activity.type)
      case .relationship(let relationship)?:
        lacks.catalog = lacks.catalog || self.lacks("relationship_type", relationship.type)
      default: break
      }
    }
    return lacks
  }

  private func lacks(_ catalog: String, _ name: String) -> Bool {
    !name.isEmpty && !self.catalog.contains(Self.key(catalog, name))
  }

  private static func key(_ catalog: String, _ name: String) -> String { "\(catalog) \(name.lowercased())" }
}
