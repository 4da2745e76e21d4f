internal import Bus
internal import CivilTime
internal import Foundation
internal import KithMessages
internal import Storage

/// Writes the entries of a span of days to a staged file, one page at a time.
actor CareExport {
  private let isCSV: Bool
  private let days: (first: Day?, last: Day?)
  private let storage: StorageActor
  private var cursor = ""
  private var stage = Stage.head

  private enum Stage {
    case head
    case pages
    case tail
    case done
  }

  /// Checks the request.
  ///
  /// - Throws: `FIELD_INVALID` for the format or the days.
  init(_ request: ExportCareRequest, storage: StorageActor, now: Int64) throws(Failure) {
    guard let format = request.knownFormat else { throw .invalid(field: "format", "must be csv or json.") }
    self.isCSV = format == .csv
    self.days = (
      request.fromDay.isEmpty ? nil : try CareRules.day(request.fromDay, field: "from_day"),
      request.toDay.isEmpty ? nil : try CareRules.day(request.toDay, field: "to_day")
    )
    self.storage = storage
  }

  /// Writes the file.
  ///
  /// - Throws: `RESOURCE_EXHAUSTED/DISK_FULL`.
  func stage() async throws(Failure) -> BlobRef {
    try await self.storage.stage(mediaType: self.isCSV ? "text/csv; charset=utf-8" : "application/json") {
      () async throws(Failure) in try await self.next()
    }
  }

  private func next() async throws(Failure) -> [UInt8]? {
    switch self.stage {
    case .head:
      self.stage = .pages
      return self.isCSV ? CSVRow.byteOrderMark + CSVRow.bytes(Self.columns) : Array("[".utf8)
    case .pages: return try await self.page()
    case .tail:
      self.stage = .done
      return Array((self.isCSV ? "" : "\n]\n").utf8)
    case .done: return nil
    }
  }

  private func page() async throws(Failure) -> [UInt8] {
    let (days, cursor, isCSV) = (self.days, self.cursor, self.isCSV)
    let (bytes, next) = try await self.storage.read { view throws(Failure) -> ([UInt8], String) in
      var query = CareQuery()
      query.isAscending = true
      query.cursor = cursor
      if let first = days.first { query.from = try view.span(of: first, through: first).0 }
      if let last = days.last { query.to = try view.span(of: last, through: last).1 }
      let page = try view.care.page(query)
      var bytes: [UInt8] = []
      for (index, record) in page.records.enumerated() {
        if isCSV {
          bytes += CSVRow.bytes(Self.cells(of: record))
        } else {
          bytes += (cursor.isEmpty && index == 0 ? "\n" : ",\n").utf8
          bytes += try Encoding.json.encode(record)
        }
      }
      return (bytes, page.nextCursor)
    }
    self.cursor = next
    if next.isEmpty { self.stage = .tail }
    return bytes
  }

  // MARK: - CSV

  private static let columns = [
    "id", "occurred_at", "category", "transcript", "memo", "review", "recorder", "engine", "confidence", "language",
    "duration_seconds",
  ]

  private static func cells(of record: CareRecord) -> [String] {
    let time = Date(timeIntervalSince1970: Double(record.occurredAt.nanosecondsSince1970 / 1_000_000_000))
    return [
      record.id, time.formatted(.iso8601), record.category, record.transcript, record.memo, record.review,
      record.recorder, record.engine, record.confidence > 0 ? "\(record.confidence)" : "", record.language,
      record.durationSeconds > 0 ? "\(record.durationSeconds)" : "",
    ]
  }
}
