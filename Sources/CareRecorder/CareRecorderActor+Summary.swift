internal import Bus
internal import CivilTime
internal import EventLoop
internal import KithMessages
internal import Storage

extension CareRecorderActor {
  func summary(_ request: CareSummaryRequest) async throws(Failure) -> CareSummaryReply {
    let wanted = try SummaryRequest(day: request.day, language: request.language)
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
    let wanted = try SummaryRequest(day: request.day, language: request.language)
    guard (1...10).contains(request.channels.count), Set(request.channels).count == request.channels.count else {
      throw .invalid(field: "channels", "name 1 to 10 channels, each once. `kith channels list` lists them.")
    }
    let now = self.now()
    return try await self.storage.commit(ShareCareRequest.self, context) { transaction throws(Failure) in
      var reply = ShareCareReply()
      reply.summary = try transaction.summary(wanted, now: now)
      let zone = try Zone.reading(try transaction.care.settings().timeZone)
      let title = reply.summary.text.prefix { $0 != "\n" }
      let message = OutgoingMessage(
        kind: "care_summary", title: String(title), text: reply.summary.text, date: zone.mailDate(at: now),
        expiresAt: now + Self.shareLifetime)
      for name in request.channels {
        reply.deliveries += try transaction.deliveries.queue(
          message, on: try transaction.channels.requireText(name), now: now)
      }
      if reply.summary.text.utf8.count > CareRules.summaryLimit { reply.summary.text = "" }
      return reply
    }
  }

  /// How long a queued summary may wait before it is dropped: one day.
  private static let shareLifetime: Int64 = 86_400_000_000_000
}

/// The requested day and language of a summary; nil values follow from the clock and the settings.
private struct SummaryRequest: Sendable {
  let day: Day?
  let language: CareLanguage?

  /// - Throws: `FIELD_INVALID` naming the field.
  init(day: String, language: String) throws(Failure) {
    self.day = day.isEmpty ? nil : try CareRules.day(day)
    self.language = language.isEmpty ? nil : try CareRules.language(language)
  }
}

extension DatabaseView {
  fileprivate func summary(_ wanted: SummaryRequest, now: Int64) throws(Failure) -> CareSummaryReply {
    let settings = try self.care.settings()
    let zone = try Zone.reading(settings.timeZone)
    let day = wanted.day ?? zone.day(at: now)
    let language = wanted.language ?? CareRecorderActor.language(settings)
    let summary = CareSummary(
      of: try self.entries(from: day, through: day), on: day, zone: zone, language: language,
      recipient: settings.recipient, honorific: settings.honorific)
    var reply = CareSummaryReply()
    reply.text = summary.text
    reply.day = day.description
    reply.language = language.rawValue
    reply.records = UInt32(clamping: summary.count)
    reply.unreviewed = UInt32(clamping: summary.unreviewed)
    return reply
  }
}
