internal import ArgumentParser
internal import Bus
internal import KithMessages

/// The arguments and options for the fields of a record.
protocol RecordArguments: ParsableArguments {
  associatedtype Record: Commands.Record

  /// Adds the given fields to the changes.
  func fill(_ changes: inout Changes<Record>, _ session: Session) async throws(Failure)
}

/// The arguments for a new record that belongs to a person, preceded by the person.
struct Owned<Arguments: RecordArguments>: RecordArguments where Arguments.Record: OwnedRecord {
  @Argument(help: AnyoneReference.help)
  var person: AnyoneReference

  @OptionGroup var arguments: Arguments

  func fill(_ changes: inout Changes<Arguments.Record>, _ session: Session) async throws(Failure) {
    changes.set(\.personID, "person_id", try await self.person.id(session))
    try await self.arguments.fill(&changes, session)
  }
}
