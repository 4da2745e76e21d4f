internal import ArgumentParser
internal import Bus
internal import KithMessages

struct TagCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag", abstract: "Labels of people.", discussion: "Example: kith tag assign ann family london",
    subcommands: [
      AddRecordCommand<TagArguments>.self, ListTagsCommand.self, EditRecordCommand<TagArguments>.self,
      DeleteRecordCommand<Tag>.self, AssignTagsCommand.self, UnassignTagsCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct ListTagsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the tags.", discussion: "Example: kith tag list")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    try await session.show(page: try await self.page.ask(ListTagsRequest(), session), showsOwner: false)
  }
}

/// A person and tags.
struct TagAssignment: ParsableArguments {
  @Argument(help: PersonReference.help)
  var person: PersonReference

  @Argument(help: "The names of the tags.", completion: Completion.tags)
  var tags: [String]
}

struct AssignTagsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "assign", abstract: "Add tags to a person; creates new tags.",
    discussion: "Example: kith tag assign ann family london")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var assignment: TagAssignment

  func run(_ session: Session) async throws {
    try await session.assign(to: self.assignment.person) { $0.add = self.assignment.tags }
  }
}

struct UnassignTagsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "unassign", abstract: "Remove tags from a person.", discussion: "Example: kith tag unassign ann london"
  )

  @OptionGroup var global: GlobalOptions

  @OptionGroup var assignment: TagAssignment

  func run(_ session: Session) async throws {
    try await session.assign(to: self.assignment.person) { $0.remove = self.assignment.tags }
  }
}

extension Session {
  /// Changes the tags of a person, and prints them.
  fileprivate func assign(
    to person: PersonReference, _ change: (inout AssignTagsRequest) -> Void
  ) async throws(Failure) {
    var request = AssignTagsRequest()
    request.personID = try await person.id(self)
    change(&request)
    let person = try await self.ask(request)
    let tags = person.tags.isEmpty ? self.language("No tags", "タグなし") : person.tags.joined(separator: ", ")
    try await self.show(person, ["\(Printable.text(person.displayName)): \(Printable.text(tags))"])
  }
}

struct TagArguments: RecordArguments {
  @Argument(help: "The name.")
  var name: [String]

  func fill(_ changes: inout Changes<Tag>, _ session: Session) throws(Failure) {
    changes.set(\.name, "name", words: self.name)
  }
}

/// A tag, by id or by name.
struct TagReference: NameReference {
  static let help = ArgumentHelp("The tag: its name or its id.", valueName: "tag")
  static let example = "family"
  typealias Target = Tag
  static var defaultCompletionKind: CompletionKind { Completion.tags }

  let text: String

  func candidates(_ session: Session) async throws(Failure) -> [NameMatch.Candidate] {
    try await session.askAll(ListTagsRequest()).tags.filter { $0.name.lowercased() == self.text.lowercased() }
      .map { .init(id: $0.id, shown: $0.name, names: [$0.name]) }
  }
}

extension Tag: Record {
  typealias Creation = CreateTagRequest
  typealias Change = UpdateTagRequest
  typealias Deletion = DeleteTagRequest
  typealias Reference = TagReference

  static let noun = Noun(
    command: "tag", singular: "tag", plural: "tags", japanese: "タグ", newExample: "family", changeExample: "relatives")
  static let headings: [Column] = [Column("TAG", "タグ"), Column("PEOPLE", "人数", .right)]

  func headline(_ names: PersonNames, _ say: Language) -> String { self.name }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    return [(say("People", "人数"), Count.grouped(Int(self.people)))]
  }

  func cells(_ names: PersonNames, _ session: Session) -> [String] { [self.name, Count.grouped(Int(self.people))] }
}
