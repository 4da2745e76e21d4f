internal import Bus
internal import CareTally
internal import CivilTime
internal import Fields
internal import KithMessages
internal import Storage

extension CarePlanActor {
  func record(
    _ request: RecordMeasurementRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<MeasurementReply> {
    let now = self.now()
    var measured = MeasurementRecord()
    for field in MeasurementRecord.fields where field.isGiven { field.copy(request.measurement, &measured) }
    measured.tidy(MeasurementRecord.fields.filter { $0.isGiven && $0.name != "value" && $0.name != "lower" })
    try measured.check(MeasurementRecord.fields.filter(\.isGiven), now: now)
    guard let kind = measured.knownKind else { throw .invalid(field: "kind", "is not known.") }
    guard (kind == .other) == !measured.name.isEmpty else {
      throw .invalid(field: "name", kind == .other ? "must say what was measured." : "belongs to the kind other.")
    }
    guard (kind == .bloodPressure) == !measured.lower.isEmpty else {
      throw .invalid(
        field: "lower",
        kind == .bloodPressure ? "must be given: 130 over 80 has two values." : "belongs to blood pressure.")
    }
    let rules = MeasurementRules(kind)
    let amount = try rules.thousandths(measured.value, in: measured.unit, field: "value")
    let lower = measured.lower.isEmpty ? nil : try rules.thousandths(measured.lower, in: measured.unit, field: "lower")
    measured.value = try PlanItem.quantity(measured.value, "value")
    measured.lower = try PlanItem.quantity(measured.lower, "lower")
    measured.unit = rules.written(measured.unit)
    measured.unlikely = rules.isUnlikely(amount, lower)
    let time = request.hasOccurredAt ? request.occurredAt.nanosecondsSince1970 : now
    try PastTime.check(time, now: now, field: "occurred_at")
    measured.occurredAt = .init(nanosecondsSince1970: time)
    measured.createdAt = .init(nanosecondsSince1970: now)
    return try await self.storage.commit(RecordMeasurementRequest.self, context) {
      [measured] transaction throws(Failure) in
      guard !(measured.unlikely && request.unlessUnlikely) else { return MeasurementReply(measured, isRecorded: false) }
      return try transaction.creations.once(
        request.clientID, of: "measurement", id: { $0.measurement.id }
      ) { id throws(Failure) in
        try transaction.measurements.get(id).map { MeasurementReply($0) }
      } make: { () throws(Failure) in
        var measured = measured
        measured.id = UUIDv7.make().text
        if measured.recorder.isEmpty { measured.recorder = try transaction.care.recorder(for: context.principal) }
        try transaction.measurements.put(measured, amount: amount, lower: lower)
        return MeasurementReply(measured)
      }
    }
  }

  func delete(
    _ request: DeleteMeasurementRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<MeasurementReply> {
    let now = self.now()
    return try await self.storage.commit(DeleteMeasurementRequest.self, context) { transaction throws(Failure) in
      var measured = try transaction.measurements.require(request.id)
      guard !measured.hasDeletedAt else { return MeasurementReply(measured) }
      measured.deletedAt = .init(nanosecondsSince1970: now)
      try transaction.measurements.put(measured, amount: 0, lower: nil)
      return MeasurementReply(measured)
    }
  }

  func list(_ request: ListMeasurementsRequest) async throws(Failure) -> ListMeasurementsReply {
    try await self.storage.read { view throws(Failure) in
      try view.measurements.page(request, in: try view.span(from: request.from, until: request.until))
    }
  }

  /// The days of a series: three years fit one reply.
  private static let mostDays = 1100

  func series(_ request: MeasurementSeriesRequest) async throws(Failure) -> MeasurementSeriesReply {
    let now = self.now()
    guard let kind = request.knownKind else {
      throw .invalid(
        field: "kind", "must be one of \(MeasurementKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return try await self.storage.read { view throws(Failure) in
      let zone = try view.careZone()
      let last = Day(request.until) ?? zone.day(at: now)
      let first = request.from.isEmpty ? last.adding(days: -29).description : request.from
      guard let start = Day(first), last.number - start.number <= Self.mostDays else {
        throw .invalid(field: "from", "must be a day, at most \(Self.mostDays) days before the last one.")
      }
      let span = try view.span(from: first, until: request.until.isEmpty ? last.description : request.until)
      let values = try view.measurements.values(of: kind, named: request.name, in: span)
      var reply = MeasurementSeriesReply()
      reply.unit = MeasurementRules(kind).written("")
      var days: [(day: Day, values: [MeasuredValue])] = []
      for value in values {
        let day = zone.day(at: value.at)
        if days.last?.day == day { days[days.count - 1].values.append(value) } else { days.append((day, [value])) }
      }
      reply.days = days.map { MeasuredDay($0.day, $0.values) }
      return reply
    }
  }
}

extension MeasuredDay {
  /// - Parameter values: At least one.
  fileprivate init(_ day: Day, _ values: [MeasuredValue]) {
    self.init()
    self.day = day.description
    self.count = UInt32(values.count)
    (self.least, self.greatest, self.mean, self.sum) = Self.figures(values.map(\.amount))
    (self.lowerLeast, self.lowerGreatest, self.lowerMean, _) = Self.figures(values.compactMap(\.lower))
  }

  private static func figures(_ values: [Int64]) -> (Float, Float, Float, Float) {
    guard let least = values.min(), let greatest = values.max() else { return (0, 0, 0, 0) }
    let sum = values.reduce(0, +)
    return (Float(least) / 1000, Float(greatest) / 1000, Float(sum) / Float(values.count) / 1000, Float(sum) / 1000)
  }
}

extension MeasurementReply {
  fileprivate init(_ measurement: MeasurementRecord, isRecorded: Bool = true) {
    self.init()
    self.measurement = measurement
    self.recorded = isRecorded
  }
}
