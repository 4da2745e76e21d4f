internal import Bus
internal import CivilTime
internal import Foundation
internal import KithMessages
internal import Storage

/// Writes the entries of a span of days to a staged file, a page at a time.
actor CareExport {
  private let isCSV: Bool
  private let days: (first: LocalDate?, last: LocalDate?)
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
    guard ["csv", "json"].contains(request.format) else { throw .invalid(field: "format", "must be csv or json.") }
    self.isCSV = request.format == "csv"
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
    try await self.storage.stage(mediaType: self.isCSV ? "text/csv" : "application/json") {
      () async throws(Failure) in try await self.next()
    }
  }

  private func next() async throws(Failure) -> [UInt8]? {
    switch self.stage {
    case .head:
      self.stage = .pages
      return Array((self.isCSV ? CareCSV.head : "[").utf8)
    case .pages: return try await self.page()
    case .tail:
      self.stage = .done
      return Array((self.isCSV ? "" : "\n]\n").utf8)
    case .done: return nil
    }
  }

  private func page() async throws(Failure) -> [UInt8] {
    let (days, cursor, isCSV) = (self.days, self.cursor, self.isCSV)
    let (text, next) = try await self.storage.read { view throws(Failure) -> (String, String) in
      var query = CareQuery()
      query.isAscending = true
      query.cursor = cursor
      if let first = days.first { query.from = try view.span(of: first, through: first).0 }
      if let last = days.last { query.to = try view.span(of: last, through: last).1 }
      let page = try view.care.page(query)
      var text = ""
      for (index, record) in page.records.enumerated() {
        if isCSV {
          text += CareCSV.line(record)
        } else {
          text += cursor.isEmpty && index == 0 ? "\n" : ",\n"
          text += String(decoding: try Encoding.json.encode(record), as: UTF8.self)
        }
      }
      return (text, page.nextCursor)
    }
    self.cursor = next
    if next.isEmpty { self.stage = .tail }
    return Array(text.utf8)
  }
}

/// Entries as lines of RFC 4180.
private enum CareCSV {
  static let head =
    "id,occurred_at,category,transcript,memo,review,recorder,engine,confidence,language,duration_seconds\r\n"

  static func line(_ record: CareRecord) -> String {
    let time = Date(timeIntervalSince1970: Double(record.occurredAt.nanosecondsSince1970 / 1_000_000_000))
    let values = [
      record.id, time.formatted(.iso8601), record.category, record.transcript, record.memo, record.review,
      record.recorder, record.engine, record.confidence > 0 ? "\(record.confidence)" : "", record.language,
      record.durationSeconds > 0 ? "\(record.durationSeconds)" : "",
    ]
    return values.map(self.quoted).joined(separator: ",") + "\r\n"
  }

  /// A value that begins like a formula gets an apostrophe, which spreadsheets hide.
  private static func quoted(_ value: String) -> String {
    let harmless = value.first.map { "=+-@\t\r".contains($0) } == true ? "'" + value : value
    guard harmless.contains(where: { "\",\r\n\r\n".contains($0) }) else { return harmless }
    return "\"" + harmless.replacing("\"", with: "\"\"") + "\""
  }
}
