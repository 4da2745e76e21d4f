internal import ArgumentParser
internal import Bus
internal import KithMessages

struct RelationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relation", abstract: "Relationships between people.",
    discussion: "Example: kith relation add ann parent bob",
    subcommands: [
      AddRecordCommand<Owned<NewRelationArguments>>.self, ListRecordsCommand<NoFilter<Relationship>>.self,
      ShowRecordCommand<Relationship>.self, EditRecordCommand<RelationArguments>.self,
      DeleteRecordCommand<Relationship>.self, RelationTypesCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct RelationTypesCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "types", abstract: "List the types of relationships.",
    discussion: "Example: kith relation types")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws { try await session.showCatalog("relationship_type") }
}

struct RelationArguments: RecordArguments {
  @Argument(help: "What the other person is to the first, one of `kith relation types`, in English or Japanese.")
  var type: String

  func fill(_ changes: inout Changes<Relationship>, _ session: Session) throws(Failure) {
    changes.set(\.type, "type", self.type)
  }
}

/// A new relationship, read from the left: `ann parent bob` says that Bob is a parent of Ann.
struct NewRelationArguments: RecordArguments {
  @OptionGroup var relation: RelationArguments

  @Argument(help: "The other person: an id, or a name that only one has, also in the address book.")
  var other: AnyoneReference

  func fill(_ changes: inout Changes<Relationship>, _ session: Session) async throws(Failure) {
    try self.relation.fill(&changes, session)
    changes.set(\.otherID, "other_id", try await self.other.id(session))
  }
}

extension Relationship: OwnedRecord, ListedRecord {
  typealias Creation = CreateRelationshipRequest
  typealias Change = UpdateRelationshipRequest
  typealias Deletion = DeleteRelationshipRequest
  typealias Lookup = GetRelationshipRequest
  typealias Listing = ListRelationshipsRequest

  static let noun = Noun(
    command: "relation", singular: "relationship", plural: "relationships", japanese: "関係",
    newExample: "ann parent bob",
    changeExample: "godparent")
  static let headings: [Column] = [
    Column("WHO", "誰", wraps: true), Column("IS THEIR", "関係"), Column("PERSON ID", "人の ID", drops: 2),
  ]
  static let isListedByPerson = true

  var knownNames: [String: String] { self.otherName.isEmpty ? [:] : [self.otherID: self.otherName] }
  var namedPeople: [String] { [self.personID, self.otherID] }

  func headline(_ names: PersonNames, _ say: Language) -> String {
    let (one, other, type) = (names[self.personID], names[self.otherID], Self.word(self.type, say))
    return say("\(other) is \(type) of \(one)", "\(other)は\(one)の\(type)")
  }

  private static func word(_ type: String, _ say: Language) -> String {
    CommonName.words(.relationshipType, type, say)
  }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    return [
      (say("Type", "関係"), Self.word(self.type, say)),
      (say("Seen from there", "相手から見て"), Self.word(self.reverseType, say)), (say("Person", "人"), names[self.personID]),
      (say("Other", "相手"), names[self.otherID]),
    ]
  }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    [names[self.otherID], Self.word(self.type, session.language), session.ids[self.otherID]]
  }
}
