internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension CallFilter {
  /// The filter as a query of the store.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  var query: RecordQuery {
    get throws(Failure) {
      var query = RecordQuery()
      if !self.personID.isEmpty { query.person = self.personID }
      try query.restrict(to: self)
      if !self.emotion.isEmpty { query.emotion = self.emotion }
      if !self.tag.isEmpty { query.tag = self.tag }
      if !self.syncState.isEmpty { query.syncState = try RecordState(asked: self.syncState, field: "sync_state") }
      return query
    }
  }
}

extension RecordState {
  /// The state with the name in a request.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  init(asked name: String, field: String) throws(Failure) {
    guard let state = RecordState(named: name) else {
      let names = RecordState.allCases.map(\.name).joined(separator: ", ")
      throw .invalid(field: field, "must be one of \(names), or empty.")
    }
    self = state
  }
}

extension SearchCallsRequest {
  /// The calls that contain every word, each with an excerpt of its note.
  func answer(in view: ReadView) throws(Failure) -> SearchCallsReply {
    var query = try self.filter.query
    query.limit = self.limit
    let found = try view.records.search(self.text, kinds: [.call], query)
    var reply = SearchCallsReply()
    reply.more = found.more
    var room = Self.room
    for call in found.records.compactMap({ Call($0) }) {
      let hit = CallHit(call, SearchExcerpt(of: call.note, for: self.text))
      room -= try Encoding.pb.encode(hit).count + 8
      guard room >= 0 || reply.hits.isEmpty else {
        reply.more = true
        break
      }
      reply.hits.append(hit)
    }
    return reply
  }

  /// The most bytes of hits in one reply, as protobuf.
  private static let room = 80 * 1024
}

extension CallHit {
  fileprivate init(_ call: Call, _ excerpt: SearchExcerpt) {
    self.init()
    self.call = call
    self.excerpt = excerpt.text
    self.marks = excerpt.marks.map { range in
      var mark = TextMark()
      mark.start = UInt32(range.lowerBound)
      mark.length = UInt32(range.count)
      return mark
    }
  }
}

extension SuggestCallsRequest {
  /// The people who are due for a call, without archived and deceased people.
  func answer(in view: ReadView, now: Int64) throws(Failure) -> SuggestCallsReply {
    let limit = PageLimit.records(self.limit, usual: 10, most: 100)
    var rhythm = CallRhythm(in: Zone.system(), now: now)
    try view.records.callFacts { rhythm.count($0) }
    let all = rhythm.due
    let names = try view.records.people(all.map(\.person))
    var reply = SuggestCallsReply()
    for due in all where reply.suggestions.count < limit {
      guard let name = names[due.person], let person = try view.records.get(Person.self, name.id),
        !person.isDead, !person.isArchived, !person.isMe, !person.hasDeletedAt
      else { continue }
      var suggestion = CallSuggestion()
      suggestion.personID = name.id
      suggestion.personName = name.name
      suggestion.lastCalledAt = .init(nanosecondsSince1970: due.lastCalledAt)
      suggestion.usualDays = UInt32(clamping: due.usualDays)
      suggestion.overdueDays = UInt32(clamping: due.overdueDays)
      reply.suggestions.append(suggestion)
    }
    return reply
  }
}

extension DatabaseView {
  /// The statistics of the calls that match a filter.
  func callStatistics(_ filter: CallFilter, in zone: Zone) throws(Failure) -> CallStatsReply {
    var statistics = CallStatistics(in: zone)
    try self.records.callFacts(filter.query) { statistics.count($0) }
    return statistics.result(try self.records.people(statistics.mostCalled))
  }
}
