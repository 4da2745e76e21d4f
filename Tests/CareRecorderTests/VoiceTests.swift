import Bus
import Digest
import EventLoop
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import CareRecorder

@Suite(.timeLimit(.minutes(5))) struct VoiceTests {
  @Test func `words are stored, and then the sound goes`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.success("two tablets after breakfast")] }
    try await care.run { actor, storage in
      let stopped = try await actor.speak([1, 2, 3])
      #expect(stopped.state == "pending_transcription")
      let record = try await care.wait(for: stopped.id, in: storage) { $0.state == "transcribed" }
      #expect(record.transcript == "two tablets after breakfast")
      #expect(record.review == "needed")
      #expect(record.category == "meal")
      #expect(record.suggestedCategory == "medication")
      #expect(record.engine == "test")
      #expect(record.durationSeconds == 2)
      #expect(!record.hasAudio_p && record.audioBytes == 3)
      #expect(care.asked.withLock { $0.map(\.bytes) } == [[1, 2, 3]])
      await actor.stop()
      #expect(care.sounds == [])
    }
  }

  @Test func `a piece that is sent twice counts once, and one that is missing is said`() async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      let id = try await actor.startVoice(StartVoiceRequest(), CallContext()).reply.record.id
      func append(_ bytes: [UInt8], at offset: UInt64) async throws -> UInt64 {
        var request = AppendVoiceRequest()
        request.id = id
        request.offset = offset
        return try await actor.appendVoice(request, CallContext(attachments: [bytes])).reply.nextOffset
      }
      #expect(try await append([1, 2], at: 0) == 2)
      #expect(try await append([1, 2], at: 0) == 2)
      #expect(try await append([3], at: 2) == 3)
      let gap = await #expect(throws: Failure.self) { try await append([9], at: 7) }
      #expect(gap?.reason == "OFFSET_GAP")
      var stop = StopVoiceRequest()
      stop.id = id
      _ = try await actor.stopVoice(stop, CallContext())
      _ = try await actor.stopVoice(stop, CallContext())
      _ = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      #expect(care.asked.withLock { $0.map(\.bytes) } == [[1, 2, 3]])
      let late = await #expect(throws: Failure.self) { try await append([4], at: 3) }
      #expect(late?.reason == "NOT_RECORDING")
    }
  }

  @Test func `what fails for a while is tried again`() async throws {
    let care = try TestCare()
    let busy = Failure(.unavailable, "ENGINE_BUSY", "busy")
    care.answers.withLock { $0 = [.failure(busy), .failure(busy), .success("at last")] }
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      let record = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      #expect(record.transcript == "at last")
      #expect(record.attempts == 3)
    }
  }

  @Test func `what cannot be transcribed waits for a memo and keeps its sound`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.failure(Failure(.failedPrecondition, "NO_ENGINE", "none"))] }
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      let record = try await care.wait(for: id, in: storage) { $0.state == "needs_memo" }
      #expect(record.reason == "no_engine")
      #expect(record.hasAudio_p)
      #expect(care.sounds == [id])
      var update = UpdateCareRequest()
      update.record.id = id
      update.record.memo = "written"
      let completed = try await actor.update(update, CallContext()).reply.record
      #expect(completed.state == "written")
      #expect(!completed.hasAudio_p)
      #expect(care.sounds == [])
    }
  }

  @Test func `four failures in a row wait for a person, who may ask again`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = Array(repeating: .failure(Failure(.unavailable, "ENGINE_BUSY", "busy")), count: 4) }
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      let record = try await care.wait(for: id, in: storage) { $0.state == "needs_memo" }
      #expect(record.attempts == 4)
      var again = TranscribeAgainRequest()
      again.id = id
      again.language = "ja-JP"
      _ = try await actor.transcribeAgain(again, CallContext())
      let transcribed = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      #expect(transcribed.language == "ja-JP")
      #expect(care.asked.withLock { $0.last?.request.language } == "ja-JP")
    }
  }

  @Test func `what nobody is there to try is tried when they are back, a night later`() async throws {
    let care = try TestCare()
    let away = [
      Failure(.unavailable, "NO_WORKER", "none"), Failure(.resourceExhausted, "NO_CREDIT", "busy"),
      Failure(.unavailable, "ENGINE_UNREACHABLE", "away"),
    ]
    care.answers.withLock { $0 = (0..<600).map { .failure(away[$0 % away.count]) } + [.success("in the morning")] }
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      let waiting = try await care.wait(for: id, in: storage) { $0.reason == "engine_unreachable" }
      #expect(waiting.state == "pending_transcription" && waiting.hasNextAttemptAt && waiting.attempts == 0)
      care.letTimePass(10 * 3_600_000_000_000)
      let record = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      #expect(record.transcript == "in the morning" && record.attempts == 1)
    }
  }

  @Test func `a job that rests does so whatever is edited and however long it takes`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.failure(Failure(.aborted, "JOB_DEAD", "five workers"))] }
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      let resting = try await care.wait(for: id, in: storage) { $0.reason == "job_dead" }
      #expect(resting.state == "needs_memo" && resting.hasAudio_p && !resting.hasNextAttemptAt)
      var update = UpdateCareRequest()
      update.record.id = id
      update.record.category = "medication"
      _ = try await actor.update(update, CallContext())
      // Outcomes of jobs are forgotten after a day.
      care.letTimePass(70 * 3_600_000_000_000)
      try await storage.write { transaction throws(Failure) in
        while try transaction.jobs.expire(before: .max, limit: 0) {}
      }
      // Otherwise a recording that has just begun is over.
      care.horizon.withLock { $0 = TestCare.start + 20 * 60_000_000_000 }
      // The oldest is transcribed first.
      let other = try await actor.speak([2]).id
      _ = try await care.wait(for: other, in: storage) { $0.state == "transcribed" }
      #expect(care.asked.withLock { $0.map(\.bytes) } == [[1], [2]])
      await actor.stop()
      #expect(care.sounds == [id])
    }
  }

  @Test(arguments: [false, true]) func `a job that rests is found again when a person has it tried again`(isLate: Bool)
    async throws
  {
    let care = try TestCare()
    care.answers.withLock { $0 = [.failure(Failure(.aborted, "JOB_DEAD", "five workers")), .success("after all")] }
    @Sendable func retry(_ storage: StorageActor) async throws {
      try await storage.write { transaction throws(Failure) in
        let jobs = try transaction.jobs.page(ListJobsRequest()).jobs
        var job = try transaction.jobs.require(jobs[0].jobID)
        try transaction.jobs.retry(&job, now: 1)
      }
    }
    let id = try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      _ = try await care.wait(for: id, in: storage) { $0.reason == "job_dead" }
      if isLate { await actor.stop() }
      try await retry(storage)
      if !isLate { _ = try await care.wait(for: id, in: storage) { $0.state == "transcribed" } }
      return id
    }
    // The process that handles it may be the next one.
    try await care.run { actor, storage in
      try await actor.start()
      let record = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      #expect(record.transcript == "after all")
      let jobs = try await storage.read { view throws(Failure) in try view.jobs.page(ListJobsRequest()).jobs }
      #expect(jobs.map(\.state) == ["done"])
    }
  }

  @Test func `an edit during an attempt does not begin another one at the next start`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.success("once")] }
    let gate = care.hold()
    let id = try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      for await _ in gate.began.stream {}
      var update = UpdateCareRequest()
      update.record.id = id
      update.record.category = "medication"
      _ = try await actor.update(update, CallContext())
      // The process ends, but the worker continues.
      await actor.stop()
      return id
    }
    try await care.run { actor, storage in
      try await actor.start()
      let record = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      #expect(record.transcript == "once" && care.asked.withLock { $0.count } == 1)
    }
  }

  /// A person may have changed their mind before the attempt has ended.
  @Test(arguments: [["ja-JP"], ["en-US"], [""], ["ja-JP", "en-US"]])
  func `who asks again during an attempt gets the words of the language that was said last`(languages: [String])
    async throws
  {
    let care = try TestCare()
    // An attempt is cancelled for another language, which is not a failure.
    let isEnded = languages.contains("ja-JP")
    let last = languages.last == "ja-JP" ? "ja-JP" : "en-US"
    care.answers.withLock { $0 = [.success("knee juice"), .success("words in \(last)")] }
    let gate = care.hold()
    try await care.run { actor, storage in
      let id = try await actor.speak([1], language: "en-US").id
      for await _ in gate.began.stream {}
      var again = TranscribeAgainRequest()
      again.id = id
      for language in languages {
        again.language = language
        #expect(try await actor.transcribeAgain(again, CallContext()).reply.record.state == "pending_transcription")
      }
      gate.mayEnd.continuation.finish()
      let record = try await care.wait(for: id, in: storage) { $0.state != "pending_transcription" }
      #expect(record.state == "transcribed" && record.reason == "" && record.language == last)
      #expect(record.transcript == (isEnded ? "words in \(last)" : "knee juice"))
      #expect(care.asked.withLock { $0.count } == (isEnded ? 2 : 1))
    }
  }

  @Test func `what a person writes down stays, whatever is heard later`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = Array(repeating: .failure(Failure(.unavailable, "NO_WORKER", "none")), count: 100) }
    try await care.run { actor, storage in
      func write(_ text: String, of id: String) async throws -> CareRecord {
        var update = UpdateCareRequest()
        update.record.id = id
        update.record.transcript = text
        return try await actor.update(update, CallContext()).reply.record
      }
      let waiting = try await actor.speak([1]).id
      let horizon = care.horizon.withLock { $0 }
      _ = try await care.wait(for: waiting, in: storage) { $0.nextAttemptAt.nanosecondsSince1970 > horizon }
      let tries = care.asked.withLock { $0.count }
      care.answers.withLock { $0 = [.success("two cabinets"), .success("next")] }
      var record = try await write("two tablets", of: waiting)
      #expect(record.state == "written" && record.reason == "" && !record.hasAudio_p && !record.hasNextAttemptAt)
      #expect(care.sounds == [])

      let gate = care.hold()
      let tried = try await actor.speak([2]).id
      for await _ in gate.began.stream {}
      // The attempt ends when a person has written the words: it is cancelled.
      #expect(try await write("at eight", of: tried).state == "written")

      let recorded = try await actor.startVoice(StartVoiceRequest(), CallContext()).reply.record.id
      #expect(try await write("one more", of: recorded).state == "recording")
      var append = AppendVoiceRequest()
      append.id = recorded
      _ = try await actor.appendVoice(append, CallContext(attachments: [[3]]))
      var stop = StopVoiceRequest()
      stop.id = recorded
      record = try await actor.stopVoice(stop, CallContext()).reply.record
      #expect(record.state == "written" && !record.hasAudio_p)
      // The next recording is transcribed: nothing blocks it.
      let next = try await actor.speak([4]).id
      _ = try await care.wait(for: next, in: storage) { $0.state == "transcribed" }

      await actor.stop()
      for (id, words) in [(waiting, "two tablets"), (tried, "at eight"), (recorded, "one more")] {
        let kept = try await storage.read { view throws(Failure) in try view.care.require(id) }
        #expect(kept.transcript == words)
      }
      #expect(care.asked.withLock { $0.dropFirst(tries).map(\.bytes) } == [[2], [4]])
      #expect(care.sounds == [])
    }
  }

  @Test func `an entry says that no worker is there, and no longer when one came`() async throws {
    let care = try TestCare()
    let gate = care.hold()
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      for await _ in gate.began.stream {}
      await storage.announce("kith.v1.Delivery", isServed: false)
      await storage.announce("kith.v1.Transcriber", isServed: false)
      let waiting = try await care.wait(for: id, in: storage) { $0.reason == "no_worker" }
      #expect(waiting.state == "pending_transcription" && !waiting.hasNextAttemptAt && waiting.attempts == 0)
      // A recording that arrives meanwhile waits for the same reason.
      #expect(try await actor.speak([2]).reason == "no_worker")
      await storage.announce("kith.v1.Transcriber", isServed: true)
      _ = try await care.wait(for: id, in: storage) { $0.reason.isEmpty }
      gate.mayEnd.continuation.finish()
      let record = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      #expect(record.reason == "")
    }
  }

  @Test func `what the engine said is kept with the reason, fit for others to read`() async throws {
    let care = try TestCare()
    let said = "it ended with 1: cannot load /home/ann/model.bin with token=abc: wrong version"
    care.answers.withLock { $0 = [.failure(Failure(.internal, "ENGINE_FAILED", "x", details: ["why": said]))] }
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      let record = try await care.wait(for: id, in: storage) { $0.state == "needs_memo" }
      #expect(record.reason == "engine_failed: it ended with 1: cannot load … with … wrong version")
    }
  }

  @Test(
    arguments: [
      ("plain words", "plain words"), ("Authorization: Bearer abc failed", "Authorization: … failed"),
      ("key: 4711 x", "key: … x"), ("C:\\models\\a b", "… b"), ("\u{1B}[31mred\nline", "[31mred line"),
      ("https://user:word@host gone", "… gone"), ("a0123456789012345678901234567890 b", "… b"),
    ]) func `no path and no secret of an engine's words is kept`(said: String, kept: String)
  {
    #expect(EngineWords.fit(said) == kept)
    #expect(EngineWords.fit(String(repeating: "word ", count: 100)).unicodeScalars.count == 160)
  }

  @Test func `kept sound is given to a client, whole, also when it is removed meanwhile`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.failure(Failure(.failedPrecondition, "NO_ENGINE", "none"))] }
    try await care.run { actor, storage in
      let sound = Array("RIFF".utf8) + [UInt8](repeating: 7, count: 300_000)
      let recorded = try await actor.startVoice(StartVoiceRequest(), CallContext()).reply.record.id
      var failure = await #expect(throws: Failure.self) { try await actor.sound(of: recorded) }
      #expect(failure?.reason == "NO_SOUND" && failure?.message.contains("Stop it first") == true)
      let id = try await actor.speak(sound).id
      _ = try await care.wait(for: id, in: storage) { $0.state == "needs_memo" }
      let blob = try await actor.sound(of: id)
      #expect(blob.size == UInt64(sound.count) && blob.mediaType == "audio/wav")
      #expect(blob.sha256 == Hex.encode(SHA256.digest(sound)))
      let now = care.reading.steady
      var get = BlobGetRequest()
      get.sha256 = blob.sha256
      let first = try await storage.readBlob(get, by: .viewer, at: now)
      #expect(first.0.size == blob.size && first.1.count == 256 << 10)
      // A memo deletes the sound: its file is gone, and a client that is reading it gets the rest.
      var update = UpdateCareRequest()
      update.record.id = id
      update.record.memo = "written"
      _ = try await actor.update(update, CallContext())
      #expect(!care.sounds.contains(id))
      get.offset = UInt64(first.1.count)
      let rest = try await storage.readBlob(get, by: .viewer, at: now + 50_000_000_000)
      #expect(first.1 + rest.1 == sound)
      get.offset = 0
      failure = await #expect(throws: Failure.self) {
        try await storage.readBlob(get, by: .viewer, at: now + 111_000_000_000)
      }
      #expect(failure?.reason == "RECORD_UNKNOWN")
      failure = await #expect(throws: Failure.self) { try await actor.sound(of: id) }
      #expect(failure?.reason == "NO_SOUND")
    }
  }

  @Test func `silence leaves an entry that a memo completes`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.success(" \n")] }
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      let record = try await care.wait(for: id, in: storage) { $0.state == "needs_memo" }
      #expect(record.reason == "no_speech")
      #expect(record.transcript == "")
    }
  }

  @Test func `a long transcript is kept whole, and what nobody can have said is not believed`() async throws {
    let care = try TestCare()
    let speech = String(repeating: "gave one tablet ", count: 600)
    care.answers.withLock { $0 = [.success(speech), .success(String(repeating: "x", count: 30_000))] }
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      let record = try await care.wait(for: id, in: storage) { $0.state == "transcribed" }
      #expect(record.transcript == speech)
      let other = try await actor.speak([2]).id
      let waiting = try await care.wait(for: other, in: storage) { $0.state == "needs_memo" }
      #expect(waiting.reason == "transcript_too_long" && waiting.hasAudio_p)
      await actor.stop()
      #expect(care.sounds == [other])
    }
  }
}
