internal import GRDB

/// A search among contacts, among people, or among both, in steps: names as they are written, names in another script, other fields,
/// misspelt names. It ends with the step that has enough.
struct AcquaintanceSearch {
  let database: Database
  /// Those of contacts, of people, or both.
  let texts: [SearchedTexts]

  /// The most matches of one step that are sorted. A common name has more, and reading them all would take too long.
  static let candidates = 300

  /// The matches of a text, the best first; more than `limit` of contacts or of people if there are more.
  func hits(of text: String, limit: Int) throws -> [NameHit] {
    var found = Found(limit: limit)
    let readings = self.texts.map { (texts: $0, queries: $0.readings(of: text)) }
    for index in 0..<(readings.first?.queries.count ?? 0) where !found.isFull {
      let count = limit + 1 + found.hits.count
      found.add(try readings.flatMap { try $0.texts.hits(of: $0.queries[index], in: .names, .name, limit: count) })
    }
    var names = NameSearch(database: self.database, texts: self.texts)
    try self.addAlike(text, &names, misspelt: false, to: &found)
    // Other fields of people were looked through with their names.
    for (texts, queries) in readings where texts.kind == .contact {
      for query in queries where !found.isFull {
        found.add(try texts.hits(of: query, in: .words, .anyField, limit: limit + 1 + found.hits.count))
      }
    }
    try self.addAlike(text, &names, misspelt: true, to: &found)
    return found.hits
  }

  /// Adds names that are written otherwise, or misspelt.
  private func addAlike(_ text: String, _ names: inout NameSearch, misspelt: Bool, to found: inout Found) throws {
    guard !found.isFull else { return }
    try names.find(text, misspelt: misspelt) { owners in
      let new = owners.byDistance.map(\.owner).filter { !found.owners.contains($0) }
      let most = max(Self.candidates, found.limit + 1)
      let keys = try self.texts.flatMap { try $0.keys(of: new, limit: most) }
      found.add(
        keys.map { owner, key in
          let distance = owners[owner] ?? 0
          return NameHit(
            owner: owner, rank: misspelt && distance > 1 ? .misspelt : .otherScript, distance: distance, key: key)
        })
      return !found.isFull
    }
  }

  /// What was found, the best first.
  private struct Found {
    let limit: Int
    private(set) var hits: [NameHit] = []
    private(set) var owners: Set<NameOwner> = []
    private var contacts = 0

    init(limit: Int) { self.limit = limit }

    /// A person and a contact may be one acquaintance, so one of both must be enough alone.
    var isFull: Bool { max(self.contacts, self.hits.count - self.contacts) > self.limit }

    mutating func add(_ step: [NameHit]) {
      for hit in step.sorted() where self.owners.insert(hit.owner).inserted {
        self.hits.append(hit)
        if hit.owner.contact != nil { self.contacts += 1 }
      }
    }
  }
}
