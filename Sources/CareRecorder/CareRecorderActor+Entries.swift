internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage

extension CareRecorderActor {
  func record(_ request: RecordCareRequest, _ context: CallContext) async throws(Failure) -> Answer<CareReply> {
    let now = self.now()
    return try await self.storage.commit(RecordCareRequest.self, context) { transaction throws(Failure) in
      try transaction.once(request.clientID) { () throws(Failure) in
        let time = request.hasOccurredAt ? request.occurredAt.nanosecondsSince1970 : now
        var record = try CareRecord(at: time, by: request.recorder, now: now)
        record.category = try CareRules.category(request.category).rawValue
        try CareRules.text(request.memo, field: "memo")
        record.memo = request.memo
        record.knownState = record.memo.isEmpty ? .needsMemo : .written
        if record.recorder.isEmpty { record.recorder = try transaction.care.recorder(for: context.principal) }
        try transaction.care.insert(record)
        return record
      }
    }
  }

  /// Corrects an entry and keeps the earlier text. A person who corrects a transcript has reviewed it; a text that a
  /// person wrote needs no review. A memo replaces sound that could not be transcribed.
  func update(_ request: UpdateCareRequest, _ context: CallContext) async throws(Failure) -> Answer<CareReply> {
    let now = self.now()
    let change = try CareCorrection(request, now: now)
    let answer = try await self.storage.commit(UpdateCareRequest.self, context) { transaction throws(Failure) in
      let old = try transaction.care.require(request.record.id)
      if request.hasIfUpdatedAt, request.ifUpdatedAt != old.updatedAt {
        throw .changedMeanwhile("This entry", at: old.updatedAt, now: change.texts(in: old))
      }
      var record = change.applied(to: old)
      guard record != old else { return Self.reply(old) }
      record.updatedAt = .init(nanosecondsSince1970: now)
      if record.isWrittenByHand {
        record.settle()
        if var audio = try transaction.careAudio.of(record.id), audio.state == .waiting {
          audio.state = .deleting
          try transaction.careAudio.put(audio)
        }
      }
      try transaction.care.replace(record, keeping: change.version(of: old, as: record, now: now))
      return Self.reply(record)
    }
    self.endAttempt(for: answer.reply.record)
    try await self.removeWhatMayGo(of: request.record.id)
    return answer
  }

  func confirm(_ request: ConfirmCareRequest, _ context: CallContext) async throws(Failure) -> Answer<CareReply> {
    let now = self.now()
    let category = request.category.isEmpty ? nil : try CareRules.category(request.category)
    return try await self.storage.commit(ConfirmCareRequest.self, context) { transaction throws(Failure) in
      let old = try transaction.care.require(request.id)
      var record = old
      guard record.knownReview != .nothing else {
        throw Failure(.failedPrecondition, "NOTHING_TO_REVIEW", "This entry has no transcript that waits for review.")
      }
      if let category { record.category = category.rawValue }
      record.suggestedCategory = ""
      record.knownReview = .done
      record.updatedAt = .init(nanosecondsSince1970: now)
      let isCorrected = record.category != old.category
      try transaction.care.replace(
        record, keeping: isCorrected ? CareVersion(of: old, replacedBy: "", now: now) : nil)
      return Self.reply(record)
    }
  }

  static func setDeleted(_ id: String, _ isDeleted: Bool, _ transaction: Transaction, now: Int64) throws(Failure)
    -> CareReply
  {
    var record = try transaction.care.require(id)
    guard record.hasDeletedAt != isDeleted else { return Self.reply(record) }
    if isDeleted { record.deletedAt = .init(nanosecondsSince1970: now) } else { record.clearDeletedAt() }
    record.updatedAt = .init(nanosecondsSince1970: now)
    try transaction.care.replace(record)
    return Self.reply(record)
  }

  func list(_ request: ListCareRequest) async throws(Failure) -> ListCareReply {
    let day = request.day.isEmpty ? nil : try CareRules.day(request.day)
    let first = request.fromDay.isEmpty ? day : try CareRules.day(request.fromDay, field: "from_day")
    let last = request.toDay.isEmpty ? day : try CareRules.day(request.toDay, field: "to_day")
    if let first, let last, last < first {
      throw .invalid(field: "to_day", "is before the first day.")
    }
    try CareRules.word(request.review, of: CareReview.self, field: "review")
    try CareRules.word(request.state, of: CareState.self, field: "state")
    var query = CareQuery()
    if !request.category.isEmpty { query.category = try CareRules.category(request.category).rawValue }
    query.review = request.review
    query.state = request.state
    query.isDeleted = request.includeDeleted
    query.cursor = request.cursor
    query.limit = request.limit
    query.isAscending = first != nil || last != nil
    if day != nil, request.limit == 0 { query.limit = 500 }
    var reply = try await self.storage.read { [query] view throws(Failure) in
      var query = query
      if let first { query.from = try view.span(of: first, through: first).0 }
      if let last { query.to = try view.span(of: last, through: last).1 }
      return try view.care.page(query)
    }
    for index in reply.records.indices { self.showProgress(in: &reply.records[index]) }
    return reply
  }

  static func language(_ settings: CareSettings) -> CareLanguage {
    CareLanguage(named: settings.language) ?? CareLanguage(named: RuntimeLocations.variable("LANG") ?? "") ?? .english
  }
}

extension CareRecord {
  /// Makes an entry.
  ///
  /// - Parameters:
  ///   - time: When it happened, in nanoseconds since 1970, as `now`.
  ///   - recorder: Who recorded it; empty if unknown.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  init(at time: Int64, by recorder: String, now: Int64) throws(Failure) {
    self.init()
    try CareRules.name(recorder, field: "recorder")
    try CareRules.time(time, now: now)
    self.id = UUIDv7.make().text
    self.createdAt = .init(nanosecondsSince1970: now)
    self.updatedAt = self.createdAt
    self.occurredAt = .init(nanosecondsSince1970: time)
    self.recorder = recorder
    self.knownReview = .nothing
  }

  /// Whether a person has written the text before the transcription ended, or a memo instead of it.
  ///
  /// A memo that is written while the transcription is still to come adds to the words of the recording, which must not be lost: only a
  /// transcript ends the transcription.
  var isWrittenByHand: Bool {
    switch self.knownState {
    case .pendingTranscription: !self.transcript.isEmpty
    case .needsMemo: !self.transcript.isEmpty || !self.memo.isEmpty
    case .written, .recording, .transcribed, nil: false
    }
  }

  /// Records that the sound is missing or will not be transcribed: the entry needs a memo, unless a person has written
  /// one already.
  mutating func giveUpSound(reason: String) {
    self.knownState = .needsMemo
    self.reason = reason
    self.hasAudio_p = false
    if self.isWrittenByHand { self.settle() }
  }

  /// Records that the written text replaces the sound, which may be deleted.
  mutating func settle() {
    self.knownState = .written
    self.reason = ""
    self.hasAudio_p = false
    self.clearNextAttemptAt()
  }
}

extension Transaction {
  /// Makes an entry once for each client id; later calls return the stored entry.
  func once(_ clientID: String, _ make: () throws(Failure) -> CareRecord) throws(Failure) -> CareReply {
    try self.creations.once(clientID, of: "entry", id: { $0.record.id }) { id throws(Failure) in
      try self.care.get(id).map { CareRecorderActor.reply($0) }
    } make: { () throws(Failure) in
      CareRecorderActor.reply(try make())
    }
  }
}

extension DatabaseView {
  /// The span from the first instant of a day to the end of another one, in the time zone of the settings.
  func span(of first: Day, through last: Day) throws(Failure) -> (Int64, Int64) {
    let zone = try Zone.reading(try self.care.settings().timeZone)
    return (zone.start(of: first), zone.start(of: last.adding(days: 1)))
  }

  /// All entries of a span of days, in order.
  func entries(from first: Day, through last: Day) throws(Failure) -> [CareRecord] {
    var query = CareQuery()
    (query.from, query.to) = try self.span(of: first, through: last)
    query.isAscending = true
    query.limit = 500
    var records: [CareRecord] = []
    repeat {
      let page = try self.care.page(query)
      records += page.records
      query.cursor = page.nextCursor
    } while !query.cursor.isEmpty
    return records
  }
}
