internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage

extension ShareCallsRequest {
  /// Makes the report and queues it, so that what is sent is what was recorded at that moment.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for channels, language, time zone or filter; `NOT_FOUND/RECORD_UNKNOWN` for a channel or
  ///   the person; `FAILED_PRECONDITION/TOO_LONG_FOR_CHANNEL`.
  func queue(in transaction: Transaction, now: Int64) throws(Failure) -> ShareCallsReply {
    guard (1...10).contains(self.channels.count), Set(self.channels).count == self.channels.count else {
      throw .invalid(field: "channels", "name 1 to 10 channels, each once. `kith channels list` lists them.")
    }
    guard ["", "en", "ja"].contains(self.language) else { throw .invalid(field: "language", "must be en or ja.") }
    let zone = try Zone.reading(self.timeZone)
    let report = CallText(
      stats: try transaction.callStatistics(self.filter, in: zone), calls: try self.calls(in: transaction), zone: zone,
      isJapanese: self.language == "ja")
    let message = OutgoingMessage(
      kind: "call_report", title: report.title, text: report.text, date: zone.mailDate(at: now),
      expiresAt: now + OutgoingMessage.sharedLifetime)
    var reply = ShareCallsReply()
    reply.text = report.text
    for name in self.channels {
      reply.deliveries += try transaction.deliveries.queue(
        message, on: try transaction.channels.requireText(name), now: now)
    }
    return reply
  }

  /// The calls, newest first.
  private func calls(in transaction: Transaction) throws(Failure) -> [Call] {
    var query = try self.filter.query
    query.limit = 500
    let page = try transaction.records.page(Call.self, query)
    guard page.nextCursor.isEmpty else {
      throw .invalid(field: "filter", "asks for more than 500 calls, which no channel takes. Give a shorter range.")
    }
    return page.records
  }
}

/// A report of calls as plain text: counts, and a line for each call.
struct CallText {
  let stats: CallStatsReply
  /// Newest first.
  let calls: [Call]
  let zone: Zone
  let isJapanese: Bool

  var title: String {
    let days = [self.calls.last, self.calls.first].compactMap { call in
      call.map { self.zone.day(at: $0.calledAt.nanosecondsSince1970).description }
    }
    guard let first = days.first, let last = days.last else { return self.isJapanese ? "通話の記録" : "Calls" }
    let range = first == last ? first : self.isJapanese ? "\(first)〜\(last)" : "\(first) to \(last)"
    return self.isJapanese ? "通話の記録 \(range)" : "Calls \(range)"
  }

  var text: String {
    let minutes = self.stats.minutes
    let counts =
      self.isJapanese
      ? "通話 \(self.stats.calls) 件、合計 \(minutes) 分"
      : "\(self.stats.calls) \(self.stats.calls == 1 ? "call" : "calls"), \(minutes) minutes in total"
    return ([self.title, counts, ""] + self.calls.map(self.line)).joined(separator: "\n") + "\n"
  }

  private func line(_ call: Call) -> String {
    let (day, time) = self.zone.local(at: call.calledAt.nanosecondsSince1970)
    let took =
      call.durationMinutes == 0 ? "" : self.isJapanese ? "\(call.durationMinutes) 分" : "\(call.durationMinutes) min"
    let note = call.note.split(whereSeparator: \.isNewline).joined(separator: " ")
    let facts = [call.personName, took, note].filter { !$0.isEmpty }
    return "\(day) \(time)  \(facts.joined(separator: self.isJapanese ? "、" : ", "))"
  }
}
