internal import Bus
internal import CivilTime
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
  var query: RecordQuery { self.ofPerson }

  /// The query for all records of the person.
  var ofPerson: RecordQuery {
    RecordQuery(
      limit: self.limit, cursor: self.cursor, person: self.personID.isEmpty ? nil : self.personID,
      includesDeleted: self.includeDeleted)
  }
}

/// A request about a span of time.
protocol TimeSpanning {
  var hasFrom: Bool { get }
  var from: Google_Protobuf_Timestamp { get }
  var hasTo: Bool { get }
  /// The end, exclusive.
  var to: Google_Protobuf_Timestamp { get }
}

extension CallFilter: TimeSpanning {}
extension ListNotesRequest: TimeSpanning {}
extension ListConversationsRequest: TimeSpanning {}

extension RecordQuery {
  /// Leaves out what is outside a span.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  mutating func restrict(to span: some TimeSpanning) throws(Failure) {
    if span.hasFrom { self.from = span.from.nanosecondsSince1970 }
    if span.hasTo { self.to = span.to.nanosecondsSince1970 }
    guard let from, let to, from >= to else { return }
    throw .invalid(field: "to", "is not after the beginning, so nothing can be between them.")
  }
}

extension ListNotesRequest: RecordQuerying {
  var query: RecordQuery {
    get throws(Failure) {
      var query = self.ofPerson
      try query.restrict(to: self)
      return query
    }
  }
}
extension ListTasksRequest: RecordQuerying {}
extension ListActivitiesRequest: RecordQuerying {
  var query: RecordQuery {
    get throws(Failure) {
      var query = self.ofPerson
      query.from = try Self.start(of: self.fromDay, "from_day")
      query.to = try Self.start(of: self.toDay, "to_day", after: 1)
      if let first = query.from, let end = query.to, first >= end {
        throw .invalid(field: "to_day", "is before the first day.")
      }
      return query
    }
  }

  /// The place of a day, or of one after it, in the order of activities, which have no time of day.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  private static func start(of day: String, _ field: String, after days: Int = 0) throws(Failure) -> Int64? {
    guard !day.isEmpty else { return nil }
    guard let day = Day(day) else { throw .invalid(field: field, "must be a day as YYYY-MM-DD.") }
    return day.adding(days: days).nanosecondsSince1970
  }
}
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
