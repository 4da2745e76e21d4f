internal import Assistants
internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// A collection of resources of FHIR R4 about one person: https://hl7.org/fhir/R4/bundle.html.
///
/// Decimals have the digits that were entered. What was taken back is `entered-in-error`.
struct FHIRBundle {
  let zone: Zone
  private let now: Google_Protobuf_Timestamp
  private let patient = UUIDv7.make().text
  private var resources: [(id: String, resource: JSON)] = []

  /// Begins a bundle with the person who is cared for.
  ///
  /// - Parameter name: Empty if it is not known.
  init(of name: String, in zone: Zone, now: Google_Protobuf_Timestamp) {
    self.zone = zone
    self.now = now
    self.add(
      self.patient,
      .make([
        "resourceType": "Patient", "id": .text(self.patient),
        "name": name.isEmpty ? nil : .list([.make(["text": .text(name)])]),
      ]))
  }

  /// Adds a resource.
  mutating func add(_ id: String, _ resource: JSON) { self.resources.append((id, resource)) }

  /// The person, as other resources name them.
  var subject: JSON { Self.reference(self.patient) }

  /// The file.
  var bytes: [UInt8] {
    let entries = self.resources.map { JSON.make(["fullUrl": .text("urn:uuid:\($0.id)"), "resource": $0.resource]) }
    let bundle = JSON.make([
      "resourceType": "Bundle", "type": "collection", "timestamp": .text(self.zone.stamp(self.now)),
      "entry": .list(entries),
    ])
    return bundle.bytes + Array("\n".utf8)
  }

  /// A resource of the same bundle.
  static func reference(_ id: String) -> JSON { .make(["reference": .text("urn:uuid:\(id)")]) }

  /// Something that has no code, only a name.
  static func concept(_ text: String) -> JSON { .make(["text": .text(text)]) }

  /// A note; nil for none.
  static func note(_ text: String) -> JSON? { text.isEmpty ? nil : .list([.make(["text": .text(text)])]) }

  /// Who did it; nil if nobody is named.
  static func display(_ name: String) -> JSON? { name.isEmpty ? nil : .make(["display": .text(name)]) }

  /// An amount as it was entered; nil for none.
  ///
  /// - Parameter code: Its unit in UCUM; nil for a unit of people's own.
  static func quantity(_ amount: String, _ unit: String, code: String? = nil) -> JSON? {
    guard !amount.isEmpty else { return nil }
    return .make([
      "value": .number(amount), "unit": unit.isEmpty ? nil : .text(unit),
      "system": code == nil ? nil : "http://unitsofmeasure.org", "code": code.map(JSON.text),
    ])
  }
}

// MARK: - Medicines

extension FHIRBundle {
  /// Adds a medicine of the plan.
  mutating func add(_ item: PlanItem) {
    let end = self.lastDay(item)
    self.add(
      item.id,
      .make([
        "resourceType": "MedicationStatement", "id": .text(item.id),
        "status": .text(self.status(item, end)),
        "medicationCodeableConcept": Self.concept(item.name), "subject": self.subject,
        "effectivePeriod": .make([
          "start": item.from.isEmpty ? nil : .text(item.from), "end": end.map { .text($0.description) },
        ]), "dateAsserted": .text(self.zone.stamp(item.updatedAt)),
        "informationSource": Self.display(item.updatedBy), "note": Self.note(item.note),
        "dosage": .list(Self.dosages(item)),
      ]))
  }

  /// The last day on which it is, or was, to be given; nil if it goes on.
  private func lastDay(_ item: PlanItem) -> Day? {
    let until = Day(item.until)
    guard item.knownState == .ended else { return until }
    // It may have been changed after its end.
    let ended = item.versions.prefix { $0.item.knownState == .ended }.last?.validFrom ?? item.updatedAt
    let day = self.zone.day(at: ended.nanosecondsSince1970)
    // One that was ended before it began has no day but its first.
    return max(until.map { min($0, day) } ?? day, Day(item.from) ?? day)
  }

  private func status(_ item: PlanItem, _ end: Day?) -> String {
    let today = self.zone.day(at: self.now.nanosecondsSince1970)
    if item.knownState == .ended { return Day(item.until).map { $0 == end } ?? false ? "completed" : "stopped" }
    if let end, end < today { return "completed" }
    if let first = Day(item.from), today < first { return "intended" }
    return item.knownState == .paused ? "on-hold" : "active"
  }

  private static func dosages(_ item: PlanItem) -> [JSON] {
    let limits = [
      item.leastMinutes == 0 ? "" : "at least \(item.leastMinutes) minutes apart",
      item.mostPerDay == 0 ? "" : "at most \(item.mostPerDay) times a day",
    ]
    let text = JSON.text(([item.when(.english)] + limits).filter { !$0.isEmpty }.joined(separator: "; "))
    func dosage(_ amount: String, _ timing: JSON?) -> JSON {
      .make([
        "text": text, "timing": timing.map { .make(["repeat": $0]) }, "asNeededBoolean": item.asNeeded ? true : nil,
        "doseAndRate": Self.quantity(amount, item.unit).map { .list([.make(["doseQuantity": $0])]) },
      ])
    }
    if item.asNeeded { return [dosage(item.amount, nil)] }
    if item.everyHours > 0 {
      return [
        dosage(item.amount, .make(["frequency": .number(1), "period": .number(item.everyHours), "periodUnit": "h"]))
      ]
    }
    let groups = Dictionary(grouping: item.times) { time in
      [time.amount.isEmpty ? item.amount : time.amount] + time.weekdays
    }
    return groups.sorted { $0.key.joined(separator: " ") < $1.key.joined(separator: " ") }.map { key, times in
      let days = Array(key.dropFirst())
      return dosage(
        key[0],
        .make([
          "frequency": .number(times.count), "period": .number(1), "periodUnit": "d",
          "dayOfWeek": days.isEmpty ? nil : .texts(days),
          "timeOfDay": .texts(times.map { "\($0.time):00" }.sorted()),
        ]))
    }
  }

  /// Adds what was given or skipped of a medicine of the plan.
  mutating func add(_ dose: Dose) {
    let isSkipped = dose.knownOutcome == .skipped
    let status: JSON = dose.hasDeletedAt ? "entered-in-error" : isSkipped ? "not-done" : "completed"
    let partly = dose.knownOutcome == .partly ? "only a part was taken" : ""
    let quantity = isSkipped ? nil : Self.quantity(dose.amount, dose.unit)
    let time = isSkipped && dose.hasDue ? dose.due : dose.occurredAt
    self.add(
      dose.id,
      .make([
        "resourceType": "MedicationAdministration", "id": .text(dose.id), "status": status,
        "statusReason": isSkipped && !dose.reason.isEmpty ? .list([Self.concept(dose.reason)]) : nil,
        "medicationCodeableConcept": Self.concept(dose.itemName), "subject": self.subject,
        "supportingInformation": .list([Self.reference(dose.itemID)]),
        "effectiveDateTime": .text(self.zone.stamp(time)),
        "performer": Self.display(dose.recorder).map { .list([.make(["actor": $0])]) },
        "note": Self.note([partly, dose.note].filter { !$0.isEmpty }.joined(separator: "; ")),
        "dosage": quantity.map { .make(["dose": $0]) },
      ]))
  }
}
