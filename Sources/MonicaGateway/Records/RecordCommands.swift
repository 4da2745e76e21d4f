internal import Bus
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// A request that makes a record.
protocol RecordCreation: Command where Reply: EditableRecord {
  var record: Reply { get }
  var clientID: String { get }
}

/// A request that changes fields of a record.
protocol RecordChange: Command where Reply: EditableRecord {
  var record: Reply { get }
  var fields: [String] { get }
  var hasIfUpdatedAt: Bool { get }
  var ifUpdatedAt: Google_Protobuf_Timestamp { get }
}

/// A request that names a record.
protocol RecordNaming: Command where Reply: EditableRecord {
  var id: String { get }
}

/// A request for a page of records.
protocol RecordPaging: Command where Reply: RecordPage {
  /// What is asked for.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  var query: RecordQuery { get throws(Failure) }
}

/// A request for a page of records that are about somebody.
protocol PersonRecordPaging: RecordPaging {
  var personID: String { get }
  var limit: UInt32 { get }
  var cursor: String { get }
  var includeDeleted: Bool { get }
}

extension PersonRecordPaging {
  var query: RecordQuery {
    RecordQuery(
      limit: self.limit, cursor: self.cursor, person: self.personID.isEmpty ? nil : self.personID,
      includesDeleted: self.includeDeleted)
  }
}

/// A reply with a page of records.
protocol RecordPage: SwiftProtobuf.Message, Sendable {
  associatedtype Record: SyncedRecord
  static var path: any WritableKeyPath<Self, [Record]> & Sendable { get }
  var nextCursor: String { get set }
}

extension RecordPage {
  /// Makes a reply of what the store gives.
  init(_ page: (records: [Record], nextCursor: String)) {
    self.init()
    self[keyPath: Self.path] = page.records
    self.nextCursor = page.nextCursor
  }
}

extension CreatePersonRequest: RecordCreation {}
extension CreateContactFieldRequest: RecordCreation {}
extension CreatePersonAddressRequest: RecordCreation {}
extension CreatePersonReminderRequest: RecordCreation {}
extension CreateNoteRequest: RecordCreation {}
extension CreateTaskRequest: RecordCreation {}
extension CreateActivityRequest: RecordCreation {}
extension CreateGiftRequest: RecordCreation {}
extension CreateTagRequest: RecordCreation {}
extension CreateRelationshipRequest: RecordCreation {}
extension CreateConversationRequest: RecordCreation {}

extension UpdatePersonRequest: RecordChange {}
extension UpdateContactFieldRequest: RecordChange {}
extension UpdatePersonAddressRequest: RecordChange {}
extension UpdatePersonReminderRequest: RecordChange {}
extension UpdateNoteRequest: RecordChange {}
extension UpdateTaskRequest: RecordChange {}
extension UpdateActivityRequest: RecordChange {}
extension UpdateGiftRequest: RecordChange {}
extension UpdateTagRequest: RecordChange {}
extension UpdateRelationshipRequest: RecordChange {}
extension UpdateCallRequest: RecordChange {}
extension UpdateConversationRequest: RecordChange {}

extension DeletePersonRequest: RecordNaming {}
extension DeleteContactFieldRequest: RecordNaming {}
extension DeletePersonAddressRequest: RecordNaming {}
extension DeletePersonReminderRequest: RecordNaming {}
extension DeleteNoteRequest: RecordNaming {}
extension DeleteTaskRequest: RecordNaming {}
extension DeleteActivityRequest: RecordNaming {}
extension DeleteGiftRequest: RecordNaming {}
extension DeleteRelationshipRequest: RecordNaming {}
extension DeleteCallRequest: RecordNaming {}
extension DeleteConversationRequest: RecordNaming {}

extension GetNoteRequest: RecordNaming {}
extension GetTaskRequest: RecordNaming {}
extension GetActivityRequest: RecordNaming {}
extension GetGiftRequest: RecordNaming {}
extension GetRelationshipRequest: RecordNaming {}
extension GetCallRequest: RecordNaming {}
extension GetConversationRequest: RecordNaming {}

extension ListNotesRequest: PersonRecordPaging {}
extension ListTasksRequest: PersonRecordPaging {}
extension ListActivitiesRequest: PersonRecordPaging {}
extension ListGiftsRequest: PersonRecordPaging {}
extension ListRelationshipsRequest: PersonRecordPaging {}
extension ListTagsRequest: RecordPaging {
  var query: RecordQuery { RecordQuery(limit: self.limit, cursor: self.cursor) }
}

extension ListNotesReply: RecordPage {
  static var path: any WritableKeyPath<Self, [Note]> & Sendable { \.notes }
}
extension ListTasksReply: RecordPage {
  static var path: any WritableKeyPath<Self, [TaskItem]> & Sendable { \.tasks }
}
extension ListActivitiesReply: RecordPage {
  static var path: any WritableKeyPath<Self, [Activity]> & Sendable { \.activities }
}
extension ListGiftsReply: RecordPage {
  static var path: any WritableKeyPath<Self, [Gift]> & Sendable { \.gifts }
}
extension ListRelationshipsReply: RecordPage {
  static var path: any WritableKeyPath<Self, [Relationship]> & Sendable { \.relationships }
}
extension ListTagsReply: RecordPage {
  static var path: any WritableKeyPath<Self, [Tag]> & Sendable { \.tags }
}
extension ListPeopleReply: RecordPage {
  static var path: any WritableKeyPath<Self, [Person]> & Sendable { \.people }
}
extension ListCallsReply: RecordPage {
  static var path: any WritableKeyPath<Self, [Call]> & Sendable { \.calls }
}
extension ListConversationsReply: RecordPage {
  static var path: any WritableKeyPath<Self, [Conversation]> & Sendable { \.conversations }
}
