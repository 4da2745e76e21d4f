internal import Bus
internal import CarePlan
internal import CivilTime
internal import EventLoop
internal import KithMessages
internal import Storage

extension CareRecorderActor {
  func summary(_ request: CareSummaryRequest) async throws(Failure) -> CareSummaryReply {
    let wanted = try SummaryRequest(
      day: request.day, span: request.span, language: request.language, isShort: request.short)
    let now = self.now()
    var reply = try await self.storage.read { view throws(Failure) in try view.summary(wanted, now: now) }
    guard reply.text.utf8.count > CareRules.summaryLimit else { return reply }
    let text = Lock<[UInt8]?>(Array(reply.text.utf8))
    reply.text = ""
    reply.blob = try await self.storage.stage(mediaType: "text/plain; charset=utf-8") {
      text.withLock { text in
        defer { text = nil }
        return text
      }
    }
    return reply
  }

  /// Makes the summary and queues it in one commit, so that what is sent is what the entries said at that moment.
  func share(_ request: ShareCareRequest, _ context: CallContext) async throws(Failure) -> Answer<ShareCareReply> {
    let wanted = try SummaryRequest(
      day: request.day, span: request.span, language: request.language, isShort: request.short)
    guard (1...10).contains(request.channels.count), Set(request.channels).count == request.channels.count else {
      throw .invalid(field: "channels", "name 1 to 10 channels, each once. `kith channels list` lists them.")
    }
    let now = self.now()
    return try await self.storage.commit(ShareCareRequest.self, context) { transaction throws(Failure) in
      var reply = ShareCareReply()
      reply.summary = try transaction.summary(wanted, now: now)
      let zone = try Zone.reading(try transaction.care.settings().timeZone)
      let title = reply.summary.text.prefix { $0 != "\n" }
      var message = OutgoingMessage(
        kind: "care_summary", title: String(title), text: reply.summary.text, date: zone.mailDate(at: now),
        expiresAt: now + OutgoingMessage.sharedLifetime)
      for name in request.channels {
        let channel = try transaction.channels.requireText(name)
        message.text =
          channel.shortSummary && !wanted.isShort
          ? try transaction.summary(wanted.shortened, now: now).text : reply.summary.text
        reply.deliveries += try transaction.deliveries.queue(message, on: channel, now: now)
      }
      if reply.summary.text.utf8.count > CareRules.summaryLimit { reply.summary.text = "" }
      return reply
    }
  }
}

/// What a summary is of, and in which language; nil values follow from the clock and the settings.
private struct SummaryRequest: Sendable {
  let day: Day?
  let span: SummarySpan
  let language: CareLanguage?
  private(set) var isShort: Bool

  /// - Throws: `FIELD_INVALID` naming the field.
  init(day: String, span: String, language: String, isShort: Bool) throws(Failure) {
    try CareRules.word(span, of: SummarySpan.self, field: "span")
    self.isShort = isShort
    self.span = SummarySpan(rawValue: span) ?? .day
    self.day = day.isEmpty ? nil : try CareRules.day(day)
    self.language = language.isEmpty ? nil : try CareRules.language(language)
  }

  /// The same, without the list of memos.
  var shortened: SummaryRequest {
    var shortened = self
    shortened.isShort = true
    return shortened
  }
}

extension SummarySpan {
  /// The days around a day.
  fileprivate func days(around day: Day) -> ClosedRange<Day> {
    switch self {
    case .day: return day...day
    case .week: return day.monday...day.monday.adding(days: 6)
    case .month:
      let (year, month, _) = day.components
      return Day(year: year, month: month, overflowing: 1)...Day(year: year, month: month + 1, overflowing: 0)
    }
  }
}

extension DatabaseView {
  fileprivate func summary(_ wanted: SummaryRequest, now: Int64) throws(Failure) -> CareSummaryReply {
    let settings = try self.care.settings()
    let zone = try Zone.reading(settings.timeZone)
    let day = wanted.day ?? zone.day(at: now)
    let days = wanted.span.days(around: day)
    let (first, last) = (days.lowerBound, days.upperBound)
    let language = wanted.language ?? CareRecorderActor.language(settings)
    let records = try self.entries(from: first, through: last)
    let plan = try self.planDays(from: first, through: last, now: now)
    let measurements = try self.measured(from: first, through: last)
    var reply = CareSummaryReply()
    if wanted.span == .day {
      let summary = CareSummary(
        of: records, on: day, zone: zone, language: language, recipient: settings.recipient,
        honorific: settings.honorific, plan: plan.first ?? PlanDay(), measurements: measurements)
      reply.text = summary.text(isShort: wanted.isShort)
      reply.records = UInt32(clamping: summary.count)
      reply.unreviewed = UInt32(clamping: summary.unreviewed)
    } else {
      let summary = SpanSummary(
        of: days, records, plan: plan, measurements: measurements, zone: zone, language: language,
        recipient: settings.recipient, honorific: settings.honorific)
      reply.text = summary.text
      reply.records = UInt32(clamping: summary.count)
      reply.unreviewed = UInt32(clamping: summary.unreviewed)
    }
    reply.day = day.description
    reply.from = first.description
    reply.until = last.description
    reply.language = language.rawValue
    return reply
  }
}
