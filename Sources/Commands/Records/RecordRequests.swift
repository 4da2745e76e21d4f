internal import KithMessages

/// A request that makes a record.
protocol CreationRequest: KithMessages.Command where Reply == Record {
  associatedtype Record
  var record: Record { get set }
}

/// A request that changes the named fields of a record.
protocol ChangeRequest: CreationRequest {
  var fields: [String] { get set }
}

/// A request about one record.
protocol NamingRequest: KithMessages.Command {
  var id: String { get set }
}

/// A request for records of one kind, of one person or of all.
protocol ListingRequest: PagedRequest where Reply: RecordPage {
  var personID: String { get set }
  var includeDeleted: Bool { get set }
}

/// One page of a list of records.
protocol RecordPage {
  associatedtype Record
  var records: [Record] { get }
  var nextCursor: String { get }
}

extension CreatePersonRequest: CreationRequest {}
extension UpdatePersonRequest: ChangeRequest {}
extension DeletePersonRequest: NamingRequest {}

extension CreateContactFieldRequest: CreationRequest {}
extension UpdateContactFieldRequest: ChangeRequest {}
extension DeleteContactFieldRequest: NamingRequest {}

extension CreatePersonAddressRequest: CreationRequest {}
extension UpdatePersonAddressRequest: ChangeRequest {}
extension DeletePersonAddressRequest: NamingRequest {}

extension CreatePersonReminderRequest: CreationRequest {}
extension UpdatePersonReminderRequest: ChangeRequest {}
extension DeletePersonReminderRequest: NamingRequest {}

extension CreateNoteRequest: CreationRequest {}
extension UpdateNoteRequest: ChangeRequest {}
extension DeleteNoteRequest: NamingRequest {}
extension GetNoteRequest: NamingRequest {}
extension ListNotesRequest: ListingRequest {}
extension ListNotesReply: RecordPage { var records: [Note] { self.notes } }

extension CreateTaskRequest: CreationRequest {}
extension UpdateTaskRequest: ChangeRequest {}
extension DeleteTaskRequest: NamingRequest {}
extension GetTaskRequest: NamingRequest {}
extension ListTasksRequest: ListingRequest {}
extension ListTasksReply: RecordPage { var records: [TaskItem] { self.tasks } }

extension CreateActivityRequest: CreationRequest {}
extension UpdateActivityRequest: ChangeRequest {}
extension DeleteActivityRequest: NamingRequest {}
extension GetActivityRequest: NamingRequest {}
extension ListActivitiesRequest: ListingRequest {}
extension ListActivitiesReply: RecordPage { var records: [Activity] { self.activities } }

extension CreateGiftRequest: CreationRequest {}
extension UpdateGiftRequest: ChangeRequest {}
extension DeleteGiftRequest: NamingRequest {}
extension GetGiftRequest: NamingRequest {}
extension ListGiftsRequest: ListingRequest {}
extension ListGiftsReply: RecordPage { var records: [Gift] { self.gifts } }

extension CreateRelationshipRequest: CreationRequest {}
extension UpdateRelationshipRequest: ChangeRequest {}
extension DeleteRelationshipRequest: NamingRequest {}
extension GetRelationshipRequest: NamingRequest {}
extension ListRelationshipsRequest: ListingRequest {}
extension ListRelationshipsReply: RecordPage { var records: [Relationship] { self.relationships } }

extension CreateTagRequest: CreationRequest {}
extension UpdateTagRequest: ChangeRequest {}
extension DeleteTagRequest: NamingRequest {}

extension LogCallRequest: CreationRequest {}
extension UpdateCallRequest: ChangeRequest {}
extension DeleteCallRequest: NamingRequest {}
extension GetCallRequest: NamingRequest {}

extension CreateConversationRequest: CreationRequest {}
extension UpdateConversationRequest: ChangeRequest {}
extension DeleteConversationRequest: NamingRequest {}
extension GetConversationRequest: NamingRequest {}
extension ListConversationsRequest: ListingRequest {}
extension ListConversationsReply: RecordPage { var records: [Conversation] { self.conversations } }
