internal import Bus
internal import CarePlan
internal import CivilTime
internal import KithMessages
internal import Storage
internal import SwiftProtobuf
internal import Typesetter

extension CareRecorderActor {
  /// The most days of a report.
  private static let mostDays = 366

  /// Makes a report for a doctor as PDF: the plan, what was given, what was measured, and the entries.
  ///
  /// - Throws: `FIELD_INVALID` naming the field; the errors of ``ReportProgram``.
  func report(_ request: CareReportRequest) async throws(Failure) -> BlobRef {
    let now = self.now()
    let language = request.language.isEmpty ? nil : try CareRules.language(request.language)
    let (from, until) = (
      request.from.isEmpty ? nil : try CareRules.day(request.from, field: "from"),
      request.until.isEmpty ? nil : try CareRules.day(request.until, field: "until")
    )
    let report = try await self.storage.read { view throws(Failure) in
      let settings = try view.care.settings()
      let zone = try Zone.reading(settings.timeZone)
      let last = until ?? zone.day(at: now)
      let first = from ?? last.adding(days: -27)
      guard first <= last else { throw .invalid(field: "until", "is before the first day, \(first).") }
      guard last.number - first.number < Self.mostDays else {
        throw .invalid(field: "from", "must be at most \(Self.mostDays - 1) days before the last day.")
      }
      var report = CareReport()
      report.language = (language ?? CareRecorderActor.language(settings)).rawValue
      report.recipient = settings.recipient
      report.honorific = settings.honorific
      report.from = first.description
      report.until = last.description
      report.timeZone = zone.name
      report.madeAt = .init(nanosecondsSince1970: now)
      report.items = try view.planItems(from: first, through: last)
      report.days = try view.planDays(from: first, through: last, now: now)
      report.measurements = try view.measured(from: first, through: last)
      report.entries = try view.entries(from: first, through: last)
      return report
    }
    return try await ReportProgram.besideThisProgram.stage(report, ["care"], in: self.storage, logger: self.logger)
  }
}
