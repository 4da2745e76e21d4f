internal import Bus
internal import CivilTime
internal import KithMessages
internal import Logging
internal import Storage
internal import SwiftProtobuf
internal import Typesetter

/// Writes calls to a staged file.
struct CallExport {
  /// The most calls in a report: about a thousand pages.
  private static let reportLimit: UInt32 = 20_000

  private enum Format {
    case csv
    case json
    case pdf
  }

  private let request: ExportCallsRequest
  private let storage: StorageActor
  private let reports: ReportProgram
  private let now: Int64
  private let logger: Logger
  private let format: Format
  private let zone: Zone
  private let query: RecordQuery

  /// Checks the request.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for format, language, time zone or filter.
  init(
    _ request: ExportCallsRequest, storage: StorageActor, reports: ReportProgram, now: Int64, logger: Logger
  ) throws(Failure) {
    self.request = request
    self.storage = storage
    self.reports = reports
    self.now = now
    self.logger = logger
    switch request.knownFormat {
    case .csv: self.format = .csv
    case .json: self.format = .json
    case .pdf: self.format = .pdf
    case nil: throw .invalid(field: "format", "must be csv, json or pdf.")
    }
    guard request.ids.count <= 500, request.ids.isEmpty || self.format != .pdf else {
      throw .invalid(
        field: "ids", "may name 500 calls at most, and none for a report, which counts all calls of its filter.")
    }
    guard ["", "en", "ja"].contains(request.language) else {
      throw .invalid(field: "language", "must be en or ja.")
    }
    self.zone = try Zone.reading(request.timeZone)
    self.query = try request.filter.query
  }

  /// Writes the file.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` for the person; `RESOURCE_EXHAUSTED/DISK_FULL`; for a PDF, the errors of
  ///   ``ReportProgram``.
  func stage() async throws(Failure) -> BlobRef {
    switch self.format {
    case .csv:
      return try await self.stage(
        "text/csv; charset=utf-8", head: CSVRow.byteOrderMark + CSVRow.bytes(Self.columns), tail: ""
      ) { call, _ throws(Failure) in CSVRow.bytes(self.cells(of: call)) }
    case .json:
      return try await self.stage("application/json", head: Array("{\"calls\":[\n".utf8), tail: "\n]}\n") {
        call, isFirst throws(Failure) in Array((isFirst ? "" : ",\n").utf8) + (try Encoding.json.encode(call))
      }
    case .pdf:
      return try await self.reports.stage(try await self.report(), in: self.storage, logger: self.logger)
    }
  }

  private func stage(
    _ mediaType: String, head: [UInt8], tail: String,
    _ bytes: @escaping @Sendable (Call, _ isFirst: Bool) throws(Failure) -> [UInt8]
  ) async throws(Failure) -> BlobRef {
    let (query, chosen) = (self.query, self.request.ids)
    return try await self.storage.stage(mediaType: mediaType, head: head, tail: Array(tail.utf8)) {
      view, cursor throws(Failure) in
      var query = query
      query.limit = 200
      query.cursor = cursor
      let (calls, next): ([Call], String)
      if chosen.isEmpty {
        let page = try view.records.page(Call.self, query)
        (calls, next) = (page.records, page.nextCursor)
      } else {
        calls = try chosen.map { id throws(Failure) in try view.records.require(Call.self, id) }
        next = ""
      }
      var piece: [UInt8] = []
      for (index, call) in calls.enumerated() { piece += try bytes(call, cursor.isEmpty && index == 0) }
      return (piece, next)
    }
  }

  // MARK: - CSV

  private static let columns = [
    "id", "person", "called_at", "date", "time", "duration_minutes", "emotion", "they_called", "note", "tags",
    "sync_state", "attachments",
  ]

  private func cells(of call: Call) -> [String] {
    let (day, time) = self.zone.local(at: call.calledAt.nanosecondsSince1970)
    return [
      call.id, call.personName, (try? call.calledAt.jsonString()).map { $0.replacing("\"", with: "") } ?? "",
      day.description, time.description, call.durationMinutes == 0 ? "" : "\(call.durationMinutes)",
      call.emotion, call.theyCalled ? "yes" : "no", call.note, call.tags.joined(separator: " "), call.syncState,
      call.attachments.map(\.sha256).joined(separator: " "),
    ]
  }

  // MARK: - Report

  /// The content of the report, read page by page.
  private func report() async throws(Failure) -> CallReport {
    let (filter, zone) = (self.request.filter, self.zone)
    var report = CallReport()
    report.language = self.request.language.isEmpty ? "en" : self.request.language
    report.timeZone = zone.name
    report.madeOn = zone.day(at: self.now).description
    report.emotion = filter.emotion
    report.tag = filter.tag
    if filter.hasFrom { report.from = zone.day(at: filter.from.nanosecondsSince1970).description }
    // The end is exclusive: a range to midnight ends with the day before.
    if filter.hasTo { report.to = zone.day(at: max(filter.to.nanosecondsSince1970, .min + 1) - 1).description }
    let (stats, name) = try await self.storage.read { view throws(Failure) in
      (
        try view.callStatistics(filter, in: zone),
        try filter.personID.isEmpty ? "" : view.records.require(Person.self, filter.personID).displayName
      )
    }
    guard stats.calls <= Self.reportLimit else {
      throw .invalid(
        field: "filter",
        "asks for \(stats.calls) calls; a report has at most \(Self.reportLimit). Give a shorter range.")
    }
    report.stats = stats
    report.personName = name
    var query = self.query
    query.limit = 500
    repeat {
      let page = try await self.storage.read { [query] view throws(Failure) in
        let page = try view.records.page(Call.self, query)
        return (calls: page.records, next: page.nextCursor)
      }
      for call in page.calls { report.add(call, at: zone.local(at: call.calledAt.nanosecondsSince1970)) }
      query.cursor = page.next
    } while !query.cursor.isEmpty
    return report
  }
}

extension CallReport {
  /// Appends a call to the report.
  fileprivate mutating func add(_ call: Call, at local: (day: Day, time: TimeOfDay)) {
    let date = local.day.description
    if self.days.last?.date != date {
      var day = CallReportDay()
      day.date = date
      self.days.append(day)
    }
    var entry = CallReportEntry()
    entry.time = local.time.description
    entry.call = call
    self.days[self.days.count - 1].entries.append(entry)
  }
}
