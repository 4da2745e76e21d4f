internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// A kind of record that has a page on which it is corrected and deleted. Its fields come from the rules in `proto/`.
protocol FormRecord: SyncedRecord {
  associatedtype Creation: RecordCreation where Creation.Reply == Self
  associatedtype Change: RecordChange where Change.Reply == Self
  associatedtype Deletion: RecordNaming where Deletion.Reply == Self

  /// What pages call it.
  static var words: RecordWords { get }
  /// The fields that forms leave out.
  static var leftOut: Set<String> { get }
  /// The fields that a form for a new record hides until they are wanted.
  static var rare: Set<String> { get }
  /// The fields whose values are ids of people.
  static var people: Set<String> { get }
  /// The names that the hub accepts beside those of the server's catalog.
  static var plainNames: [String] { get }

  /// Finds a record by its id; nil if there is none.
  ///
  /// - Parameter person: The id of the person from whose page it is opened; may be empty.
  static func find(_ id: String, of person: String, _ hub: some Port) async throws(Failure) -> Self?

  /// What a list says about it.
  func line(in list: RecordList) -> HTML
  /// The people whom it names, by id and name.
  var namedPeople: [(id: String, name: String)] { get }
  /// What its page has beside the form.
  func parts(_ view: PageView) -> HTML
}

extension FormRecord {
  static var leftOut: Set<String> { [] }
  static var rare: Set<String> { [] }
  static var people: Set<String> { [] }
  static var plainNames: [String] { [] }
  var namedPeople: [(id: String, name: String)] { [] }
  func parts(_ view: PageView) -> HTML { "" }

  /// Whether a form for a new record chooses a person beside the one to whom it belongs.
  static var asksForPerson: Bool { Self.fields.contains { Self.people.contains($0.name) && $0.rules.isFixed } }
}

/// A kind of record that belongs to a person.
protocol PersonRecord: FormRecord {
  /// Those that the page of a person has, in its order.
  static func some(of details: PersonDetails) -> [Self]
  /// A page of the list of those of a person, and where the next one begins.
  static func page(of person: String, from cursor: String, _ hub: some Port) async throws(Failure) -> RecordPart<Self>
}

/// A part of a list of records.
struct RecordPart<Record: Sendable>: Sendable {
  let records: [Record]
  /// Where the next part begins; empty = this is the last one.
  let next: String
}

extension PersonRecord {
  static func find(_ id: String, of person: String, _ hub: some Port) async throws(Failure) -> Self? {
    try await Self.page(of: person, from: "", hub).records.first { $0.id == id }
  }

  static func page(of person: String, from cursor: String, _ hub: some Port) async throws(Failure) -> RecordPart<Self> {
    RecordPart(records: Self.some(of: try await hub.ask(GetPersonRequest.with { $0.id = person })), next: "")
  }
}

/// A kind of record that the hub lists, and returns even if it is deleted.
protocol ListedRecord: PersonRecord {
  associatedtype Lookup: RecordNaming where Lookup.Reply == Self
  associatedtype Listing: PersonRecordPaging where Listing.Reply.Record == Self
}

extension ListedRecord {
  static func find(_ id: String, of person: String, _ hub: some Port) async throws(Failure) -> Self? {
    try await hub.ask(Lookup.with { $0.id = id })
  }

  static func page(of person: String, from cursor: String, _ hub: some Port) async throws(Failure) -> RecordPart<Self> {
    let reply = try await hub.ask(
      Listing.with {
        $0.personID = person
        $0.cursor = cursor
      })
    return RecordPart(records: reply.records, next: reply.nextCursor)
  }
}

/// The words for a kind of record.
struct RecordWords: Sendable {
  let one: Text
  let many: Text
  let add: Text
  let none: Text
}

// MARK: - The kinds

extension Person: FormRecord {
  typealias Creation = CreatePersonRequest
  typealias Change = UpdatePersonRequest
  typealias Deletion = DeletePersonRequest

  static let words = RecordWords(
    one: Text("Person", "人"), many: .people, add: Text("Add a person", "人を追加"),
    none: Text("There are no people yet.", "まだ誰も登録されていません。"))
  static let leftOut: Set<String> = ["tags", "is_partial"]
  static let rare: Set<String> = [
    "middle_name", "gender", "description", "birthday", "birthday_reminder", "is_dead", "deceased_on", "job", "company",
    "food_preferences", "how_met",
  ]

  static func find(_ id: String, of person: String, _ hub: some Port) async throws(Failure) -> Person? {
    try await hub.ask(GetPersonRequest.with { $0.id = id }).person
  }
}

extension Tag: FormRecord {
  typealias Creation = CreateTagRequest
  typealias Change = UpdateTagRequest
  typealias Deletion = DeleteTagRequest

  static let words = RecordWords(
    one: Text("Tag", "タグ"), many: .tags, add: Text("Add a tag", "タグを追加"), none: Text("No tags", "タグなし"))

  static func find(_ id: String, of person: String, _ hub: some Port) async throws(Failure) -> Tag? {
    var request = ListTagsRequest.with { $0.limit = 500 }
    while true {
      let reply = try await hub.ask(request)
      if let tag = reply.tags.first(where: { $0.id == id }) { return tag }
      guard !reply.nextCursor.isEmpty else { return nil }
      request.cursor = reply.nextCursor
    }
  }
}

extension ContactField: PersonRecord {
  typealias Creation = CreateContactFieldRequest
  typealias Change = UpdateContactFieldRequest
  typealias Deletion = DeleteContactFieldRequest

  static let words = RecordWords(
    one: Text("Number or address", "連絡先"), many: Text("Ways to reach", "連絡先"),
    add: Text("Add a number or address", "連絡先を追加"), none: Text("No numbers or addresses", "連絡先なし"))
  static let rare: Set<String> = ["labels"]
  static let plainNames = ["phone", "email"]

  static func some(of details: PersonDetails) -> [ContactField] { details.fields }
}

extension PersonAddress: PersonRecord {
  typealias Creation = CreatePersonAddressRequest
  typealias Change = UpdatePersonAddressRequest
  typealias Deletion = DeletePersonAddressRequest

  static let words = RecordWords(
    one: Text("Address", "住所"), many: Text("Addresses", "住所"), add: Text("Add an address", "住所を追加"),
    none: Text("No addresses", "住所なし"))
  static let rare: Set<String> = ["latitude", "longitude", "labels"]

  static func some(of details: PersonDetails) -> [PersonAddress] { details.addresses }
}

extension PersonReminder: PersonRecord {
  typealias Creation = CreatePersonReminderRequest
  typealias Change = UpdatePersonReminderRequest
  typealias Deletion = DeletePersonReminderRequest

  static let words = RecordWords(
    one: Text("Reminder", "リマインダー"), many: Text("Reminders", "リマインダー"), add: Text("Add a reminder", "リマインダーを追加"),
    none: Text("No reminders", "リマインダーなし"))

  static func some(of details: PersonDetails) -> [PersonReminder] { details.reminders }
}

extension Note: ListedRecord {
  typealias Creation = CreateNoteRequest
  typealias Change = UpdateNoteRequest
  typealias Deletion = DeleteNoteRequest
  typealias Lookup = GetNoteRequest
  typealias Listing = ListNotesRequest

  static let words = RecordWords(
    one: .note, many: Text("Notes", "メモ"), add: Text("Add a note", "メモを追加"), none: Text("No notes", "メモなし"))

  static func some(of details: PersonDetails) -> [Note] {
    details.notes.filter(\.isFavorite) + details.notes.filter { !$0.isFavorite }
  }
}

extension TaskItem: ListedRecord {
  typealias Creation = CreateTaskRequest
  typealias Change = UpdateTaskRequest
  typealias Deletion = DeleteTaskRequest
  typealias Lookup = GetTaskRequest
  typealias Listing = ListTasksRequest

  static let words = RecordWords(
    one: Text("Task", "タスク"), many: Text("Tasks", "タスク"), add: Text("Add a task", "タスクを追加"),
    none: Text("No tasks", "タスクなし"))

  static func some(of details: PersonDetails) -> [TaskItem] { details.tasks }
}

extension Activity: ListedRecord {
  typealias Creation = CreateActivityRequest
  typealias Change = UpdateActivityRequest
  typealias Deletion = DeleteActivityRequest
  typealias Lookup = GetActivityRequest
  typealias Listing = ListActivitiesRequest

  static let words = RecordWords(
    one: Text("Activity", "できごと"), many: Text("Activities", "できごと"), add: Text("Add an activity", "できごとを追加"),
    none: Text("No activities", "できごとなし"))
  static let people: Set<String> = ["participants"]

  static func some(of details: PersonDetails) -> [Activity] { details.activities }

  var namedPeople: [(id: String, name: String)] { zip(self.participants, self.participantNames).map { ($0, $1) } }
}

extension Gift: ListedRecord {
  typealias Creation = CreateGiftRequest
  typealias Change = UpdateGiftRequest
  typealias Deletion = DeleteGiftRequest
  typealias Lookup = GetGiftRequest
  typealias Listing = ListGiftsRequest

  static let words = RecordWords(
    one: Text("Gift", "贈り物"), many: Text("Gifts", "贈り物"), add: Text("Add a gift", "贈り物を追加"),
    none: Text("No gifts", "贈り物なし"))

  static func some(of details: PersonDetails) -> [Gift] { details.gifts }
}

extension Relationship: ListedRecord {
  typealias Creation = CreateRelationshipRequest
  typealias Change = UpdateRelationshipRequest
  typealias Deletion = DeleteRelationshipRequest
  typealias Lookup = GetRelationshipRequest
  typealias Listing = ListRelationshipsRequest

  static let words = RecordWords(
    one: Text("Relationship", "関係"), many: Text("Relationships", "家族・関係"), add: Text("Add a relationship", "関係を追加"),
    none: Text("No relationships", "関係の登録なし"))
  static let people: Set<String> = ["other_id"]

  static func some(of details: PersonDetails) -> [Relationship] { details.relationships }

  /// The relationship as the person sees it, as lists have it; a deleted one as it is stored.
  static func find(_ id: String, of person: String, _ hub: some Port) async throws(Failure) -> Relationship? {
    guard !person.isEmpty else { return try await hub.ask(GetRelationshipRequest.with { $0.id = id }) }
    var cursor = ""
    repeat {
      let part = try await Self.page(of: person, from: cursor, hub)
      if let found = part.records.first(where: { $0.id == id }) { return found }
      cursor = part.next
    } while !cursor.isEmpty
    return try await hub.ask(GetRelationshipRequest.with { $0.id = id })
  }
}

extension Conversation: ListedRecord {
  typealias Creation = CreateConversationRequest
  typealias Change = UpdateConversationRequest
  typealias Deletion = DeleteConversationRequest
  typealias Lookup = GetConversationRequest
  typealias Listing = ListConversationsRequest

  static let words = RecordWords(
    one: Text("Conversation", "会話"), many: Text("Conversations", "会話"), add: Text("Log a conversation", "会話を記録"),
    none: Text("No conversations", "会話の記録なし"))
  static let plainNames = ["in person", "email", "text", "phone"]

  static func some(of details: PersonDetails) -> [Conversation] { details.conversations }

  func parts(_ view: PageView) -> HTML { ConversationMessages(view: view, conversation: self).html() }
}
