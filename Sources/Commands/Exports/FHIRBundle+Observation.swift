internal import Assistants
internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

extension FHIRBundle {
  /// A name in LOINC.
  private struct Code {
    let code: String
    let name: String

    var coding: JSON { .make(["system": "http://loinc.org", "code": .text(self.code), "display": .text(self.name)]) }
  }

  /// Adds a measurement.
  mutating func add(_ one: MeasurementRecord) {
    let kind = one.knownKind ?? .other
    let codes = Self.codes(kind, one.unit).map(\.coding)
    let name = one.name.isEmpty ? kind.english : one.name
    let unit = Self.unit(one.unit, kind)
    let quantity = Self.quantity(one.value, one.unit, code: unit)
    let isPair = kind == .bloodPressure
    let hasCodes = !codes.isEmpty
    let lower = Self.quantity(one.lower, one.unit, code: unit)
    self.add(
      one.id,
      .make([
        "resourceType": "Observation", "id": .text(one.id), "status": one.hasDeletedAt ? "entered-in-error" : "final",
        "category": Self.category(kind).map { category in
          .list([
            .make([
              "coding": .list([
                .make([
                  "system": "http://terminology.hl7.org/CodeSystem/observation-category", "code": .text(category),
                ])
              ])
            ])
          ])
        }, "code": .make(["coding": codes.isEmpty ? nil : .list(codes), "text": .text(name)]), "subject": self.subject,
        "effectiveDateTime": .text(self.zone.stamp(one.occurredAt)), "issued": .text(self.zone.stamp(one.createdAt)),
        "performer": Self.display(one.recorder).map { .list([$0]) }, "valueQuantity": isPair ? nil : quantity,
        "note": Self.note(one.note),
        "component": isPair
          ? .list(
            zip([Self.upper, Self.lower], [quantity, lower]).compactMap { code, quantity in
              let coding = hasCodes ? JSON.list([code.coding]) : nil
              return quantity.map {
                .make(["code": .make(["coding": coding, "text": .text(code.name)]), "valueQuantity": $0])
              }
            }) : nil,
      ]))
  }

  private static let upper = Code(code: "8480-6", name: "Systolic blood pressure")
  private static let lower = Code(code: "8462-4", name: "Diastolic blood pressure")

  /// The codes of a kind, the more general one first. Those of fluids say by which way, or all ways together, and whether it was measured or
  /// estimated, which nobody entered. R4 allows no unit but mmHg behind the codes of blood pressure.
  private static func codes(_ kind: MeasurementKind, _ unit: String) -> [Code] {
    switch kind {
    case .temperature: [Code(code: "8310-5", name: "Body temperature")]
    case .bloodPressure where unit == "kPa": []
    case .bloodPressure: [Code(code: "85354-9", name: "Blood pressure panel with all children optional")]
    case .pulse: [Code(code: "8867-4", name: "Heart rate")]
    case .weight: [Code(code: "29463-7", name: "Body weight")]
    case .oxygen:
      [
        Code(code: "2708-6", name: "Oxygen saturation in Arterial blood"),
        Code(code: "59408-5", name: "Oxygen saturation in Arterial blood by Pulse oximetry"),
      ]
    case .glucose:
      unit == "mmol/L"
        ? [Code(code: "15074-8", name: "Glucose [Moles/volume] in Blood")]
        : [Code(code: "2339-0", name: "Glucose [Mass/volume] in Blood")]
    case .pain: [Code(code: "72514-3", name: "Pain severity - 0-10 verbal numeric rating [Score] - Reported")]
    case .fluidIn, .fluidOut, .other: []
    }
  }

  private static func category(_ kind: MeasurementKind) -> String? {
    switch kind {
    case .temperature, .bloodPressure, .pulse, .weight, .oxygen: "vital-signs"
    case .glucose: "laboratory"
    case .pain: "survey"
    case .fluidIn, .fluidOut, .other: nil
    }
  }

  /// A unit in UCUM: https://ucum.org; nil for one of people's own.
  private static func unit(_ unit: String, _ kind: MeasurementKind) -> String? {
    guard kind != .other else { return nil }
    guard kind != .pain else { return "{score}" }
    let codes = [
      "°C": "Cel", "°F": "[degF]", "mmHg": "mm[Hg]", "kPa": "kPa", "/min": "/min", "kg": "kg", "lb": "[lb_av]",
      "%": "%", "mg/dL": "mg/dL", "mmol/L": "mmol/L", "ml": "mL", "fl oz": "[foz_us]",
    ]
    return codes[unit]
  }
}
