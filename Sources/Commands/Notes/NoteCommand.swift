internal import ArgumentParser
internal import Bus
internal import KithMessages

struct NoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Notes about people.", discussion: "Example: kith note add ann Likes tea",
    subcommands: [
      AddRecordCommand<Owned<NoteArguments>>.self, ListRecordsCommand<NoteFilter>.self, ShowRecordCommand<Note>.self,
      EditRecordCommand<NoteArguments>.self, DeleteRecordCommand<Note>.self, RestoreRecordCommand<Note>.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct NoteArguments: RecordArguments {
  @Argument(help: "The note.")
  var text: [String] = []

  @Flag(inversion: .prefixedNo, help: "Whether it is a favourite.")
  var favorite: Bool?

  func fill(_ changes: inout Changes<Note>, _ session: Session) throws(Failure) {
    changes.set(\.body, "body", words: self.text)
    changes.set(\.isFavorite, "is_favorite", self.favorite)
  }
}

struct NoteFilter: RecordFilter {
  typealias Record = Note

  static let example = "ann --during 'last month'"

  @OptionGroup var span: SpanOptions

  func fill(_ request: inout ListNotesRequest, _ session: Session) throws(Failure) {
    try self.span.fill(&request, session)
  }
}

extension Note: OwnedRecord, ListedRecord, RestorableRecord {
  typealias Creation = CreateNoteRequest
  typealias Change = UpdateNoteRequest
  typealias Deletion = DeleteNoteRequest
  typealias Lookup = GetNoteRequest
  typealias Restoration = RestoreNoteRequest
  typealias Listing = ListNotesRequest

  static let noun = Noun(
    command: "note", singular: "note", plural: "notes", japanese: "メモ", newExample: "ann Likes tea",
    changeExample: "Likes coffee")
  static let headings: [Column] = [
    Column("WRITTEN", "書いた時", drops: 2), Column("NOTE", "メモ", wraps: true), Column("FAVOURITE", "お気に入り", drops: 1),
  ]
  static let isListedByPerson = true

  var knownNames: [String: String] { self.personName.isEmpty ? [:] : [self.personID: self.personName] }

  func headline(_ names: PersonNames, _ say: Language) -> String { Printable.shortened(self.body, to: 60) }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    return [
      (say("About", "人"), names[self.personID]), (say("Favourite", "お気に入り"), self.isFavorite ? say("yes", "はい") : ""),
    ]
  }

  func prose(_ names: PersonNames, _ session: Session) -> [String] { Printable.lines(self.body) }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    [session.ago(self.createdAt), self.body, self.isFavorite ? "★" : ""]
  }
}
