public import SwiftProtobuf

/// A request that creates a record.
///
/// ```swift
/// func draft<Request: RecordCreation>(_ record: Request.Reply, for type: Request.Type) -> Request {
///   Request.with { $0.record = record }
/// }
/// ```
public protocol RecordCreation: Command where Reply: SyncedRecord {
  /// The content of the record.
  var record: Reply { get set }
  /// The id that the client chose for it; empty if none.
  var clientID: String { get set }
}

/// A request that changes fields of a record.
///
/// ```swift
/// func change<Request: RecordChange>(_ fields: [String], to record: Request.Reply) -> Request {
///   Request.with {
///     $0.record = record
///     $0.fields = fields
///   }
/// }
/// ```
public protocol RecordChange: Command where Reply: SyncedRecord {
  /// The id of the record and the new values of its fields.
  var record: Reply { get set }
  /// The names of the fields to change; empty = all that are not empty.
  var fields: [String] { get set }
  /// Whether ``ifUpdatedAt`` is set.
  var hasIfUpdatedAt: Bool { get }
  /// A precondition: the `updated_at` of the record that the client shows.
  var ifUpdatedAt: Google_Protobuf_Timestamp { get set }
}

/// A request that names a record.
///
/// ```swift
/// func naming<Request: RecordNaming>(_ id: String) -> Request { Request.with { $0.id = id } }
/// ```
public protocol RecordNaming: Command where Reply: SyncedRecord {
  /// The id of the record.
  var id: String { get set }
}

/// A request for a page of a list.
///
/// ```swift
/// func next<Request: PagedRequest>(_ request: Request, from cursor: String) -> Request {
///   var request = request
///   request.cursor = cursor
///   return request
/// }
/// ```
public protocol PagedRequest: Command where Reply: PagedReply {
  /// The most entries of the page; 0 = the default.
  var limit: UInt32 { get set }
  /// The start of the page; empty = the first page.
  var cursor: String { get set }
}

/// A reply with a page of a list.
///
/// ```swift
/// func isLast(_ page: some PagedReply) -> Bool { page.nextCursor.isEmpty }
/// ```
public protocol PagedReply: SwiftProtobuf.Message, Sendable {
  /// The start of the next page; empty = this is the last one.
  var nextCursor: String { get set }
}

/// A request for a page of records.
///
/// ```swift
/// func count(_ request: some RecordPaging) async throws -> Int { try await port.ask(request).records.count }
/// ```
public protocol RecordPaging: PagedRequest where Reply: RecordPage {}

/// A request for a page of records of one person or of all.
///
/// ```swift
/// let request = ListGiftsRequest.with {
///   $0.personID = person.id
///   $0.includeDeleted = true
/// }
/// ```
public protocol PersonRecordPaging: RecordPaging {
  /// Empty = all people.
  var personID: String { get set }
  /// Whether the page has deleted records.
  var includeDeleted: Bool { get set }
}

/// A reply with a page of records.
///
/// ```swift
/// func ids(_ page: some RecordPage) -> [String] { page.records.map(\.id) }
/// ```
public protocol RecordPage: PagedReply {
  /// The kind of its records.
  associatedtype Record: SyncedRecord
  /// The records.
  var records: [Record] { get set }
}
