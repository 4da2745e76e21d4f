internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

struct ExportPlanCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write what was given and skipped to a file; json and fhir have the plan too.",
    discussion: "Example: kith plan export -o november.csv --from 2026-11-01 --until 2026-11-30")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var export: ExportOptions

  func run(_ session: Session) async throws {
    let zone = try await session.careZone()
    var request = ListDosesRequest()
    request.from = try await session.careDay(self.export.from?.first)
    request.until = try await session.careDay(self.export.until?.last)
    request.deleted = self.export.deleted
    let doses = try await session.askAll(request).doses
    guard self.export.format != .csv else { return try await self.export.write(Self.table(doses, zone), session) }
    var items: [PlanItem] = []
    // The list has no notes.
    for item in try await session.ask(ListPlanItemsRequest.with { $0.all = true }).items {
      items.append(try await Self.whole(item.id, session))
    }
    guard self.export.format == .fhir else {
      let bytes =
        try Array("{".utf8) + ExportOptions.json("items", items) + Array(",".utf8)
        + ExportOptions.json("doses", doses) + Array("}\n".utf8)
      return try await self.export.write(bytes, session)
    }
    let settings = try await session.ask(CareSettingsRequest())
    var bundle = FHIRBundle(of: settings.recipient, in: zone, now: session.now)
    let medicines = items.filter { $0.knownKind == .medicine }
    for item in medicines { bundle.add(item) }
    let names = Set(medicines.map(\.id))
    for dose in doses where names.contains(dose.itemID) { bundle.add(dose) }
    try await self.export.write(bundle.bytes, session)
  }

  /// An item with all that it said before, which comes in pieces.
  private static func whole(_ id: String, _ session: Session) async throws -> PlanItem {
    var item = try await session.ask(GetPlanItemRequest.with { $0.id = id })
    while let newest = item.versions.first {
      let request = GetPlanItemRequest.with { ($0.id, $0.skipVersions) = (id, UInt32(item.versions.count)) }
      let more = try await session.ask(request).versions
      // An older kithd gives the same ones again.
      guard let first = more.first, first != newest else { break }
      item.versions += more
    }
    return item
  }

  private static let columns = [
    "id", "item", "due", "occurred_at", "outcome", "amount", "unit", "reason", "note", "recorder", "warnings",
    "recorded_at", "taken_back_at", "taken_back_by",
  ]

  private static func table(_ doses: [Dose], _ zone: Zone) -> [UInt8] {
    var bytes = CSVRow.byteOrderMark + CSVRow.bytes(Self.columns)
    for dose in doses {
      bytes += CSVRow.bytes([
        dose.id, dose.itemName, dose.hasDue ? zone.stamp(dose.due) : "", zone.stamp(dose.occurredAt), dose.outcome,
        dose.amount, dose.unit, dose.reason, dose.note, dose.recorder,
        dose.warnings.map(\.kind).joined(separator: " "), zone.stamp(dose.createdAt),
        dose.hasDeletedAt ? zone.stamp(dose.deletedAt) : "", dose.deletedBy,
      ])
    }
    return bytes
  }
}

struct ExportMeasurementsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write values to a file.",
    discussion: "Example: kith measure export -o november.json --format fhir --from 2026-11-01")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "Only this kind.")
  var kind = ""

  @OptionGroup var export: ExportOptions

  func run(_ session: Session) async throws {
    let zone = try await session.careZone()
    var request = ListMeasurementsRequest()
    request.only(self.kind)
    request.from = try await session.careDay(self.export.from?.first)
    request.until = try await session.careDay(self.export.until?.last)
    request.deleted = self.export.deleted
    let values = try await session.askAll(request).measurements
    switch self.export.format {
    case .csv: try await self.export.write(Self.table(values, zone), session)
    case .json:
      let bytes = try Array("{".utf8) + ExportOptions.json("measurements", values) + Array("}\n".utf8)
      try await self.export.write(bytes, session)
    case .fhir:
      let settings = try await session.ask(CareSettingsRequest())
      var bundle = FHIRBundle(of: settings.recipient, in: zone, now: session.now)
      for value in values { bundle.add(value) }
      try await self.export.write(bundle.bytes, session)
    }
  }

  private static let columns = [
    "id", "kind", "name", "value", "lower", "unit", "occurred_at", "note", "recorder", "unlikely", "recorded_at",
    "taken_back_at",
  ]

  private static func table(_ values: [MeasurementRecord], _ zone: Zone) -> [UInt8] {
    var bytes = CSVRow.byteOrderMark + CSVRow.bytes(Self.columns)
    for one in values {
      bytes += CSVRow.bytes([
        one.id, one.kind, one.name, one.value, one.lower, one.unit, zone.stamp(one.occurredAt), one.note, one.recorder,
        one.unlikely ? "yes" : "no", zone.stamp(one.createdAt), one.hasDeletedAt ? zone.stamp(one.deletedAt) : "",
      ])
    }
    return bytes
  }
}

extension Zone {
  /// `2026-11-20T08:10:00+09:00`.
  func stamp(_ time: Google_Protobuf_Timestamp) -> String { self.stamp(time.nanosecondsSince1970) }
}
