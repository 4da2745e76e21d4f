internal import Bus
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// A request for a page of records.
protocol RecordQuerying: RecordPaging {
  /// The query for the store.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  var query: RecordQuery { get throws(Failure) }
}

extension RecordQuerying where Self: PersonRecordPaging {
  var query: RecordQuery {
    RecordQuery(
      limit: self.limit, cursor: self.cursor, person: self.personID.isEmpty ? nil : self.personID,
      includesDeleted: self.includeDeleted)
  }
}

extension ListNotesRequest: RecordQuerying {}
extension ListTasksRequest: RecordQuerying {}
extension ListActivitiesRequest: RecordQuerying {}
extension ListGiftsRequest: RecordQuerying {}
extension ListRelationshipsRequest: RecordQuerying {}
extension ListTagsRequest: RecordQuerying {
  var query: RecordQuery { RecordQuery(limit: self.limit, cursor: self.cursor) }
}

extension RecordPage {
  /// Makes a reply of a page of the store.
  init(_ page: (records: [Record], nextCursor: String)) {
    self.init()
    self.records = page.records
    self.nextCursor = page.nextCursor
  }
}
