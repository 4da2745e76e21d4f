internal import Bus
internal import KithMessages
internal import Storage

extension UpdateRelationshipRequest {
  /// The change as from the side from which the relationship is stored; a request may name the other person as its own.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` when it is not known what the type is called from there.
  func fromTheStoredSide(_ transaction: Transaction) throws(Failure) -> Relationship {
    var given = self.record
    guard !given.personID.isEmpty, !given.type.isEmpty,
      let stored = try transaction.records.get(Relationship.self, given.id), stored.otherID == given.personID
    else { return given }
    guard let entry = try transaction.catalog.find("relationship_type", given.type), !entry.reverseName.isEmpty else {
      throw .invalid(
        field: "type",
        "it is not known what '\(given.type.prefix(64))' is called from the other side. Say it from there.")
    }
    given.type = entry.reverseName
    given.personID = stored.personID
    return given
  }
}
