internal import Bus
internal import Fields
internal import KithMessages
internal import Storage

extension AssignTagsRequest {
  /// Adds and removes tags in one change of the person.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`, also for a tag that is to be added and removed.
  func assign(in transaction: Transaction, now: Int64) throws(Failure) -> Person {
    guard !self.add.isEmpty || !self.remove.isEmpty else {
      throw .invalid(field: "add", "name at least one tag to add or to remove.")
    }
    guard !self.personID.isEmpty else { throw .invalid(field: "person_id", "must not be empty.") }
    var given = try transaction.records.require(Person.self, self.personID)
    let removed = try self.remove.map { name throws(Failure) in
      try transaction.records.tag(named: name)?.name ?? name.trimmed
    }
    let added = try self.add.map { name throws(Failure) in
      try transaction.records.tag(named: name)?.name ?? name.trimmed
    }
    if let both = added.first(where: removed.contains) {
      throw .invalid(field: "remove", "'\(both.prefix(64))' cannot be added and removed at once.")
    }
    given.tags = given.tags.filter { !removed.contains($0) } + added.filter { !given.tags.contains($0) }
    return try transaction.change(given, ["tags"], now: now)
  }
}
