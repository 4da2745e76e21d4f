internal import KithMessages
internal import SwiftProtobuf

/// A kind of record that commands add, change and delete, and how people see it.
protocol Record: SyncedRecord {
  associatedtype Creation: RecordCreation where Creation.Reply == Self
  associatedtype Change: RecordChange where Change.Reply == Self
  associatedtype Deletion: RecordNaming where Deletion.Reply == Self
  /// How one is named on the command line.
  associatedtype Reference: RecordReference = RecordID

  static var noun: Noun { get }
  /// Headings of a table, without who it belongs to, state and id.
  static var headings: [(String, Printable.Alignment)] { get }

  /// Whose it is; empty for nobody's.
  var ownerID: String { get }
  /// The people it names, whose names are needed to show it.
  var namedPeople: [String] { get }
  /// Names that it carries, by id.
  var knownNames: [String: String] { get }

  /// What to call this one, in a few words.
  func headline(_ names: PersonNames) -> String
  /// What is known of it, one line each.
  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row]
  /// What is longer than a line.
  func prose(_ names: PersonNames, _ session: Session) -> [String]
  /// The cells under the headings.
  func cells(_ names: PersonNames, _ session: Session) -> [String]
}

extension Record {
  var ownerID: String { "" }
  var namedPeople: [String] { [self.ownerID] }
  var knownNames: [String: String] { [:] }
  func prose(_ names: PersonNames, _ session: Session) -> [String] { [] }

  /// What a list says of where the record stands; nothing for one that is on the server as it is here.
  var mark: String {
    if self.deletedAt.seconds != 0 { return "deleted" }
    return self.syncState == SyncState.synced.rawValue ? "" : self.syncState
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

/// A record that is listed, of one person or of all.
protocol ListedRecord: ShownRecord {
  associatedtype Listing: PersonRecordPaging where Listing.Reply.Record == Self
  /// Whether a list has to say whose.
  static var isListedByPerson: Bool { get }
}

/// What people call a kind of record, and how its commands are typed.
struct Noun: Sendable {
  /// `note`, `people field`.
  let command: String
  let singular: String
  let plural: String
  /// The command that makes one.
  var creation = "add"
  /// Arguments of the example of that command.
  let newExample: String
  /// Arguments of the example of `edit`, behind the id.
  let changeExample: String

  /// With its article.
  var one: String { "\("aeiou".contains(self.singular.prefix(1)) ? "an" : "a") \(self.singular)" }
}
