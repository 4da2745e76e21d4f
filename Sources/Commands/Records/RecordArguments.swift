internal import ArgumentParser
internal import Bus
internal import KithMessages

/// What a command line says of a record.
protocol RecordArguments: ParsableArguments {
  associatedtype Record: Commands.Record

  /// Writes down what was said.
  func fill(_ changes: inout Changes<Record>, _ session: Session) async throws(Failure)
}

/// The same for a new record that belongs to a person: the person comes first.
struct Owned<Arguments: RecordArguments>: RecordArguments where Arguments.Record: OwnedRecord {
  @Argument(help: PersonReference.help)
  var person: PersonReference

  @OptionGroup var arguments: Arguments

  func fill(_ changes: inout Changes<Arguments.Record>, _ session: Session) async throws(Failure) {
    changes.set(\.personID, "person_id", try await self.person.id(session))
    try await self.arguments.fill(&changes, session)
  }
}
