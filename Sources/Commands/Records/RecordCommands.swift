internal import ArgumentParser
internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// `kith NOUN add`.
struct AddRecordCommand<Arguments: RecordArguments>: HubCommand {
  private typealias Record = Arguments.Record

  static var configuration: CommandConfiguration {
    let noun = Record.noun
    return CommandConfiguration(
      commandName: noun.creation, abstract: "Record \(noun.one).",
      discussion: "Example: kith \(noun.command) \(noun.creation) \(noun.newExample)")
  }

  @OptionGroup var global: GlobalOptions

  @OptionGroup var arguments: Arguments

  func run(_ session: Session) async throws {
    var changes = Changes<Record>()
    try await self.arguments.fill(&changes, session)
    var request = Record.Creation()
    request.record = changes.record
    try await session.show(try await session.ask(request))
  }
}

/// `kith NOUN edit`.
struct EditRecordCommand<Arguments: RecordArguments>: HubCommand {
  private typealias Record = Arguments.Record

  static var configuration: CommandConfiguration {
    let noun = Record.noun
    return CommandConfiguration(
      commandName: "edit", abstract: "Change \(noun.one).",
      discussion: """
        Fields that you do not name stay unchanged; an empty text removes the old value.
        Example: kith \(noun.command) edit \(Record.Reference.example) \(noun.changeExample)
        """)
  }

  @OptionGroup var global: GlobalOptions

  @Argument(help: Arguments.Record.Reference.help)
  var target: Arguments.Record.Reference

  @OptionGroup var arguments: Arguments

  func run(_ session: Session) async throws {
    var changes = Changes<Record>(id: try await self.target.id(session))
    try await self.arguments.fill(&changes, session)
    guard !changes.fields.isEmpty else {
      throw ValidationError("Name a field to change. `kith \(Record.noun.command) edit --help` lists the fields.")
    }
    var request = Record.Change()
    request.record = changes.record
    request.fields = changes.fields
    try await session.show(try await session.ask(request))
  }
}

/// `kith NOUN show`.
struct ShowRecordCommand<Record: ShownRecord>: HubCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "show", abstract: "Show all fields of \(Record.noun.one), even if it is deleted.",
      discussion: "Example: kith \(Record.noun.command) show \(Record.Reference.example)")
  }

  @OptionGroup var global: GlobalOptions

  @Argument(help: Record.Reference.help)
  var target: Record.Reference

  func run(_ session: Session) async throws {
    var request = Record.Lookup()
    request.id = try await self.target.id(session)
    try await session.show(try await session.ask(request))
  }
}

/// The options of a list that leave out records.
protocol RecordFilter: ParsableArguments {
  associatedtype Record: ListedRecord

  /// Arguments of the example of the list.
  static var example: String { get }

  /// Leaves out the records that the options do not name.
  func fill(_ request: inout Record.Listing, _ session: Session) throws(Failure)
}

/// No such options.
struct NoFilter<Record: ListedRecord>: RecordFilter {
  static var example: String { "ann" }

  func fill(_ request: inout Record.Listing, _ session: Session) throws(Failure) {}
}

/// `kith NOUN list`.
struct ListRecordsCommand<Filter: RecordFilter>: HubCommand {
  private typealias Record = Filter.Record

  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list",
      abstract: "List the \(Record.noun.plural) of a person\(Record.isListedByPerson ? "" : " or of everybody").",
      discussion: "Example: kith \(Record.noun.command) list \(Filter.example)")
  }

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference?

  @OptionGroup var filter: Filter

  @OptionGroup var page: PageOptions

  @Flag(help: "Also deleted ones.")
  var deleted = false

  func validate() throws {
    guard self.person != nil || !Record.isListedByPerson else {
      throw ValidationError("Name the person: kith \(Record.noun.command) list PERSON")
    }
  }

  func run(_ session: Session) async throws {
    var request = Record.Listing()
    request.personID = try await self.person?.id(session) ?? ""
    request.includeDeleted = self.deleted
    try self.filter.fill(&request, session)
    try await session.show(page: try await self.page.ask(request, session), showsOwner: self.person == nil)
  }
}

/// `kith NOUN delete`.
struct DeleteRecordCommand<Record: Commands.Record>: HubCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "delete", abstract: "Delete \(Record.noun.one).",
      discussion: "Example: kith \(Record.noun.command) delete \(Record.Reference.example)")
  }

  @OptionGroup var global: GlobalOptions

  @Argument(help: Record.Reference.help)
  var target: Record.Reference

  func run(_ session: Session) async throws {
    var request = Record.Deletion()
    request.id = try await self.target.id(session)
    try await session.showDeleted(
      try await session.ask(request), restoring: Record.self is any RestorableRecord.Type)
  }
}

/// `kith NOUN restore`.
struct RestoreRecordCommand<Record: RestorableRecord>: HubCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "restore", abstract: "Restore a deleted \(Record.noun.singular).",
      discussion: "Example: kith \(Record.noun.command) restore \(Record.Reference.example)")
  }

  @OptionGroup var global: GlobalOptions

  @Argument(help: Record.Reference.help)
  var target: Record.Reference

  func run(_ session: Session) async throws {
    var request = Record.Restoration()
    request.id = try await self.target.deletedID(session)
    try await session.show(try await session.ask(request), after: session.language("Restored.", "元に戻しました。"))
  }
}
