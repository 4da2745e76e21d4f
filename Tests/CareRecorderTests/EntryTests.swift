import Bus
import EventLoop
import Foundation
import KithMessages
import Storage
import Testing

@testable import CareRecorder

@Suite(.timeLimit(.minutes(5))) struct EntryTests {
  static func memo(_ text: String, category: String = "meal", at time: Int64? = nil) -> RecordCareRequest {
    var request = RecordCareRequest()
    request.category = category
    request.memo = text
    if let time { request.occurredAt = .init(nanosecondsSince1970: time) }
    return request
  }

  @Test func `a day is listed and summarised in the zone of the settings`() async throws {
    let care = try TestCare()
    // 2026-11-21 00:00 in Tokyo.
    let midnight = care.clock.withLock { $0 }
    try await care.run { actor, storage in
      var configure = ConfigureCareRequest()
      configure.settings.timeZone = "Asia/Tokyo"
      configure.settings.language = "ja"
      configure.settings.recorder = "長女"
      try await storage.write { [configure] transaction throws(Failure) in
        try transaction.care.configure(
          try CareRules.settings(CareSettings(), changed: configure.settings, fields: []))
      }
      _ = try await actor.record(Self.memo("昨日", at: midnight - 1), CallContext())
      _ = try await actor.record(Self.memo("今日", at: midnight), CallContext())
      var list = ListCareRequest()
      list.day = "2026-11-20"
      #expect(try await actor.list(list).records.map(\.memo) == ["昨日"])
      list.day = "2026-11-21"
      #expect(try await actor.list(list).records.map(\.memo) == ["今日"])
      let summary = try await actor.summary(CareSummaryRequest())
      #expect(summary.day == "2026-11-21")
      #expect(summary.records == 1)
      #expect(summary.text.hasPrefix("【介護記録】2026年11月21日(土)\n記録者: 長女\n"))
    }
  }

  @Test func `a summary that is too large for a message is a blob, and nothing of it is left out`() async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      for number in 0..<10 {
        let memo = "\(number)" + String(repeating: "食", count: 4999)
        _ = try await actor.record(Self.memo(memo), CallContext())
      }
      let summary = try await actor.summary(CareSummaryRequest())
      #expect(summary.records == 10 && summary.text.isEmpty && summary.blob.mediaType.hasPrefix("text/plain"))
      var text: [UInt8] = []
      while text.count < Int(summary.blob.size) {
        var get = BlobGetRequest()
        get.sha256 = summary.blob.sha256
        get.offset = UInt64(text.count)
        text += try await storage.readBlob(get, by: .viewer).1
      }
      #expect(String(decoding: text, as: UTF8.self).count { $0 == "食" } == 2 * 49_990)
      var share = ShareCareRequest()
      share.channels = ["desktop"]
      let failure = await #expect(throws: Failure.self) { try await actor.share(share, CallContext()) }
      #expect(failure?.reason == "TOO_LONG_FOR_CHANNEL")
    }
  }

  @Test func `an entry that is sent again after weeks is recorded once, typed or spoken`() async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      var memo = Self.memo("porridge")
      memo.clientID = "phone-1"
      let first = try await actor.record(memo, CallContext()).reply.record
      care.clock.withLock { $0 += 20 * 86_400_000_000_000 }
      #expect(try await actor.record(memo, CallContext()).reply.record == first)
      var voice = StartVoiceRequest()
      voice.clientID = "phone-2"
      let spoken = try await actor.startVoice(voice, CallContext()).reply.record
      #expect(try await actor.startVoice(voice, CallContext()).reply.record.id == spoken.id)
      #expect(try await actor.list(ListCareRequest()).records.count == 2)
      // A past time may be in the future of a clock that was set back.
      (memo.occurredAt, voice.occurredAt) = (first.occurredAt, spoken.occurredAt)
      care.setClock(by: -40 * 86_400_000_000_000)
      #expect(try await actor.record(memo, CallContext()).reply.record == first)
      #expect(try await actor.startVoice(voice, CallContext()).reply.record.id == spoken.id)
      voice.clearOccurredAt()
      voice.clientID = ""
      #expect(try await actor.startVoice(voice, CallContext()).reply.record.id != spoken.id)
    }
  }

  @Test func `a correction of what another phone corrected is refused, and says what the entry says now`() async throws
  {
    let care = try TestCare()
    try await care.run { actor, storage in
      let shown = try await actor.record(Self.memo("one tablet"), CallContext()).reply.record
      var (mine, theirs) = (UpdateCareRequest(), UpdateCareRequest())
      theirs.record.id = shown.id
      theirs.record.memo = "two tablets"
      theirs.ifUpdatedAt = shown.updatedAt
      mine = theirs
      mine.record.memo = "three tablets"
      _ = try await actor.update(theirs, CallContext())
      let failure = await #expect(throws: Failure.self) { try await actor.update(mine, CallContext()) }
      #expect(failure?.reason == "CHANGED_MEANWHILE" && failure?.status.details["memo"] == "two tablets")
      let now = try await actor.list(ListCareRequest()).records[0]
      #expect(now.memo == "two tablets")
      mine.ifUpdatedAt = now.updatedAt
      #expect(try await actor.update(mine, CallContext()).reply.record.memo == "three tablets")
    }
  }

  @Test func `a correction is traceable`() async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      let id = try await actor.record(Self.memo("one tablet"), CallContext()).reply.record.id
      var update = UpdateCareRequest()
      update.record.id = id
      update.record.memo = "two tablets"
      update.record.category = "medication"
      update.correctedBy = "Ann"
      let corrected = try await actor.update(update, CallContext()).reply.record
      #expect(corrected.memo == "two tablets")
      #expect(corrected.category == "medication")
      // An update without a change is not a correction.
      _ = try await actor.update(update, CallContext())
      let versions = try await storage.read { view throws(Failure) in
        try view.care.get(id, withVersions: true)?.versions ?? []
      }
      #expect(versions.map(\.memo) == ["one tablet"])
      #expect(versions.map(\.replacedBy) == ["Ann"])
    }
  }

  @Test func `a correction of a name keeps the earlier one`() async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      var request = Self.memo("two tablets")
      request.recorder = "Taro"
      let id = try await actor.record(request, CallContext()).reply.record.id
      request.memo = ""
      let bare = try await actor.record(request, CallContext()).reply.record.id
      for (id, memo) in [(id, ""), (bare, "with water")] {
        var update = UpdateCareRequest()
        (update.record.id, update.record.recorder, update.record.memo) = (id, "Hanako", memo)
        #expect(try await actor.update(update, CallContext()).reply.record.recorder == "Hanako")
        let versions = try await storage.read { view throws(Failure) in
          try view.care.get(id, withVersions: true)?.versions ?? []
        }
        #expect(versions.map(\.recorder) == ["Taro"])
      }
    }
  }

  @Test func `who adds the first text of an entry is kept`() async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      var request = RecordCareRequest()
      request.category = "medication"
      let id = try await actor.record(request, CallContext()).reply.record.id
      var update = UpdateCareRequest()
      update.record.id = id
      (update.record.memo, update.correctedBy) = ("two tablets", "Ann")
      _ = try await actor.update(update, CallContext())
      let whole = try await storage.read { view throws(Failure) in try view.care.get(id, withVersions: true) }
      #expect(whole?.versions.map(\.replacedBy) == ["Ann"])
    }
  }

  @Test func `a memo that is written while a recording is transcribed adds to its words`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.success("two tablets"), .success(" ")] }
    let gate = care.hold()
    try await care.run { actor, storage in
      func write(_ memo: String, to id: String) async throws -> CareRecord {
        var update = UpdateCareRequest()
        update.record.id = id
        update.record.memo = memo
        return try await actor.update(update, CallContext()).reply.record
      }
      let id = try await actor.speak([1], category: "medication").id
      for await _ in gate.began.stream {}
      #expect(try await write("with water", to: id).state == "pending_transcription")
      gate.mayEnd.continuation.finish()
      let record = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      #expect(record.transcript == "two tablets" && record.memo == "with water" && record.review == "needed")
      let whole = try await storage.read { view throws(Failure) in try view.care.get(id, withVersions: true) }
      #expect(whole?.versions == [], "nothing was replaced")
    }
  }

  @Test func `what was changed when it was confirmed is kept too`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.success("two tablets")] }
    try await care.run { actor, storage in
      let id = try await actor.speak([1], category: "meal").id
      _ = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      var confirm = ConfirmCareRequest()
      confirm.id = id
      confirm.category = "medication"
      _ = try await actor.confirm(confirm, CallContext())
      _ = try await actor.confirm(confirm, CallContext())
      let versions = try await storage.read { view throws(Failure) in
        try view.care.get(id, withVersions: true)?.versions ?? []
      }
      #expect(versions.map(\.category) == ["meal"])
    }
  }

  @Test func `an export has one row an entry, whatever was written`() async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      for memo in ["two\nlines", "\"quoted\", and more", "=1+1", "plain"] {
        _ = try await actor.record(Self.memo(memo), CallContext())
      }
      var request = ExportCareRequest()
      request.format = "csv"
      let blob = try await CareExport(request, storage: storage, now: 0).stage()
      var get = BlobGetRequest()
      get.sha256 = blob.sha256
      let bytes = try await storage.readBlob(get, by: .viewer).1
      let text = String(decoding: bytes.drop { $0 > 0x7F }, as: UTF8.self)
      // A line end outside of quotation marks ends a row.
      var rows = [""]
      for character in text {
        let isQuoted = !rows[rows.count - 1].count { $0 == "\"" }.isMultiple(of: 2)
        if character.isNewline, !isQuoted { rows.append("") } else { rows[rows.count - 1].append(character) }
      }
      #expect(rows.count == 6 && rows.last == "")
      #expect(rows[0].hasPrefix("\"id\",\"occurred_at\",\"category\""))
      #expect(rows[1].contains("\"two\nlines\"") && rows[2].contains("\"\"\"quoted\"\", and more\""))
      #expect(rows[3].contains("\"'=1+1\"") && rows[4].contains("\"plain\""))
      #expect(rows[1].contains("\"2026-11-20T15:00:00Z\""))
    }
  }

  @Test func `a list takes no word for a state that is none`() async throws {
    let care = try TestCare()
    try await care.run { actor, _ in
      for (review, state, field) in [("neded", "", "review"), ("", "waiting", "state")] {
        var list = ListCareRequest()
        list.review = review
        list.state = state
        let failure = await #expect(throws: Failure.self) { try await actor.list(list) }
        #expect(failure?.status.details.keys.first == field)
      }
      for day in ["0001-01-01", "9999-12-31"] {
        var list = ListCareRequest()
        list.day = day
        let records = try await actor.list(list).records
        #expect(records.isEmpty)
      }
    }
  }

  @Test func `what is wrong is named, and nothing is stored`() async throws {
    let care = try TestCare()
    let now = care.clock.withLock { $0 }
    try await care.run { actor, storage in
      let wrong: [(RecordCareRequest, String)] = [
        (Self.memo("x", category: "lunch"), "category"), (Self.memo("x", category: ""), "category"),
        (Self.memo(String(repeating: "x", count: 5001)), "memo"),
        (Self.memo("x", at: now + 7_200_000_000_000), "occurred_at"), (Self.memo("x", at: -1), "occurred_at"),
      ]
      for (request, field) in wrong {
        let failure = await #expect(throws: Failure.self) { try await actor.record(request, CallContext()) }
        #expect(failure?.status.details.keys.first == field)
      }
      let stored = try await storage.read { view throws(Failure) in try view.care.page(CareQuery()).records }
      #expect(stored == [])
    }
  }

  @Test func `who confirms a transcript may say what it is about`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.success("two tablets")] }
    try await care.run { actor, storage in
      let id = try await actor.speak([1], category: "").id
      let heard = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      #expect(heard.category == "free_memo")
      #expect(heard.suggestedCategory == "medication")
      var confirm = ConfirmCareRequest()
      confirm.id = id
      confirm.category = "medication"
      let record = try await actor.confirm(confirm, CallContext()).reply.record
      #expect(record.review == "done")
      #expect(record.category == "medication")
      #expect(record.suggestedCategory == "")
    }
  }
}
