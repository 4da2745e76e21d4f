internal import Bus
internal import KithMessages
internal import Storage

extension UpdateRelationshipRequest {
  /// The change as seen from the side that is stored; a request may name the other person as the owner.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` if the reverse of the type is unknown.
  func fromTheStoredSide(_ transaction: Transaction) throws(Failure) -> Relationship {
    var given = self.record
    guard !given.personID.isEmpty, !given.type.isEmpty,
      let stored = try transaction.records.get(Relationship.self, given.id), stored.otherID == given.personID
    else { return given }
    guard let entry = try transaction.catalog.find("relationship_type", given.type), !entry.reverseName.isEmpty else {
      throw .invalid(
        field: "type",
        "the reverse of '\(given.type.prefix(64))' is unknown. Give the relationship from the other person's side.")
    }
    given.type = entry.reverseName
    given.personID = stored.personID
    return given
  }
}
