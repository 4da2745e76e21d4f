internal import KithMessages
internal import SwiftProtobuf

/// A kind of record that commands add, change and delete, with its form in tables and details.
protocol Record: SyncedRecord, Identified {
  associatedtype Creation: RecordCreation where Creation.Reply == Self
  associatedtype Change: RecordChange where Change.Reply == Self
  associatedtype Deletion: RecordNaming where Deletion.Reply == Self
  /// How the command line names a record.
  associatedtype Reference: RecordReference = RecordID<Self>

  static var noun: Noun { get }
  /// The headings of a table, without person, state and id.
  static var headings: [Column] { get }

  /// The id of the person to whom it belongs; empty if there is none.
  var ownerID: String { get }
  /// The ids of the people whose names are needed to show it.
  var namedPeople: [String] { get }
  /// The names of people that it contains, by id.
  var knownNames: [String: String] { get }

  /// A title of a few words.
  func headline(_ names: PersonNames, _ say: Language) -> String
  /// Its fields that fit into one line each.
  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row]
  /// Its texts that may be longer than a line.
  func prose(_ names: PersonNames, _ session: Session) -> [String]
  /// Where cells lead, by their text.
  var links: [String: ReachLink] { get }
  /// The cells under the headings.
  func cells(_ names: PersonNames, _ session: Session) -> [String]
}

extension Record {
  static var idKind: String { Self.kind.name }
  static func idNoun(_ say: Language) -> String { say(Self.noun.singular, Self.noun.japanese) }
  /// What belongs to a person and has no list of its own is on the person's page.
  static var list: String {
    Self.noun.command.contains(" ") ? "kith people show PERSON" : "kith \(Self.noun.command) list"
  }
  static func words(about id: String, _ session: Session) async -> String { "" }
  var ownerID: String { "" }
  var namedPeople: [String] { [self.ownerID] }
  var knownNames: [String: String] { [:] }
  var links: [String: ReachLink] { [:] }
  func prose(_ names: PersonNames, _ session: Session) -> [String] { [] }

  /// The state of the record in lists; empty if the server has the same version, or if there is no server.
  func mark(_ say: Language) -> String {
    if self.deletedAt.seconds != 0 { return say("deleted", "削除済み") }
    guard let state = SyncState(rawValue: self.syncState) else { return self.syncState }
    return [.synced, .here].contains(state) ? "" : state.words(say)
  }
}

/// A record that belongs to a person.
protocol OwnedRecord: Record {}

extension OwnedRecord {
  var ownerID: String { self.personID }
}

/// A record that is shown by itself.
protocol ShownRecord: Record {
  associatedtype Lookup: RecordNaming where Lookup.Reply == Self
}

extension ShownRecord {
  static func words(about id: String, _ session: Session) async -> String {
    var request = Lookup()
    request.id = id
    guard let record = try? await session.ask(request) else { return "" }
    let names = await PersonNames.of([record], session)
    let (time, say) = (session.ago(record.updatedAt), session.language)
    return [record.headline(names, say), record.mark(say), time].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

/// A record that can be restored after it was deleted.
protocol RestorableRecord: Record {
  associatedtype Restoration: RecordNaming where Restoration.Reply == Self
}

/// A record that is listed, of one person or of all.
protocol ListedRecord: ShownRecord {
  associatedtype Listing: PersonRecordPaging where Listing.Reply.Record == Self
  /// Whether `list` requires a person.
  static var isListedByPerson: Bool { get }
}

/// The words for a kind of record, in texts and in commands.
struct Noun: Sendable {
  /// `note`, `people field`.
  let command: String
  let singular: String
  let plural: String
  let japanese: String
  /// The command that adds a record.
  var creation = "add"
  /// Arguments of the example of that command.
  let newExample: String
  /// Arguments of the example of `edit`, after the id.
  let changeExample: String

  /// `calls` or `電話`.
  func plural(_ say: Language) -> String { say(self.plural, self.japanese) }

  /// The singular with its article.
  var one: String { "\("aeiou".contains(self.singular.prefix(1)) ? "an" : "a") \(self.singular)" }
}
