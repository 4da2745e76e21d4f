import Bus
import EventLoop
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import CareRecorder

@Suite(.timeLimit(.minutes(5))) struct VoiceSweepTests {
  @Test func `a recording without sound, and one that is discarded, wait for a memo`() async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      for isDiscarded in [false, true] {
        var stop = StopVoiceRequest()
        stop.id = try await actor.startVoice(StartVoiceRequest(), CallContext()).reply.record.id
        stop.discard = isDiscarded
        let record = try await actor.stopVoice(stop, CallContext()).reply.record
        #expect(record.state == "needs_memo")
        #expect(record.reason == (isDiscarded ? "discarded" : "no_sound"))
        #expect(record.hasAudioBytes && record.audioBytes == 0)
      }
      #expect(care.sounds == [])
      #expect(try await storage.read { view throws(Failure) in try view.careAudio.all() } == [])
    }
  }

  @Test func `what was interrupted is taken up at the next start`() async throws {
    let care = try TestCare()
    let ids = try await care.run { actor, storage in
      var ids: [String] = []
      // The last recording was killed between the creation of its file and the first byte.
      for bytes in [[5, 6], nil, []] as [[UInt8]?] {
        let id = try await actor.startVoice(StartVoiceRequest(), CallContext()).reply.record.id
        ids.append(id)
        guard let bytes else { continue }
        var append = AppendVoiceRequest()
        append.id = id
        _ = try await actor.appendVoice(append, CallContext(attachments: [bytes]))
      }
      #expect(care.sounds.count == 2)
      return ids
    }
    try await care.run { actor, storage in
      try await actor.start()
      let spoken = try await care.wait(for: ids[0], in: storage) { $0.state == "transcribed" }
      #expect(spoken.category == "free_memo" && spoken.audioBytes == 2)
      for id in ids[1...] {
        let silent = try await care.wait(for: id, in: storage) { $0.state == "needs_memo" }
        #expect(silent.reason == "interrupted" && silent.hasAudioBytes && silent.audioBytes == 0)
      }
      await actor.stop()
      #expect(care.sounds == [])
      #expect(try await storage.read { view throws(Failure) in try view.careAudio.all() } == [])
    }
  }

  @Test func `a recording that nobody ends is over after half an hour`() async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      var ids: [String] = []
      for bytes in [[5, 6], []] as [[UInt8]] {
        ids.append(try await actor.startVoice(StartVoiceRequest(), CallContext()).reply.record.id)
        guard !bytes.isEmpty else { continue }
        var append = AppendVoiceRequest()
        append.id = ids[0]
        _ = try await actor.appendVoice(append, CallContext(attachments: [bytes]))
      }
      care.letTimePass(30 * 60_000_000_000)
      _ = try await care.wait(for: ids[0], in: storage) { $0.state == "transcribed" }
      let silent = try await care.wait(for: ids[1], in: storage) { $0.state == "needs_memo" }
      #expect(silent.reason == "interrupted" && !silent.hasAudio_p)
      #expect(care.asked.withLock { $0.map(\.bytes) } == [[5, 6]])
    }
  }

  @Test func `a recording whose first sound comes late is not taken for one without`() async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      let id = try await actor.startVoice(StartVoiceRequest(), CallContext()).reply.record.id
      let begun = try await storage.read { view throws(Failure) in try view.careAudio.of(id) }
      care.clock.withLock { $0 += 29 * 60_000_000_000 }
      var append = AppendVoiceRequest()
      append.id = id
      _ = try await actor.appendVoice(append, CallContext(attachments: [[5, 6]]))
      let heard = try await storage.read { view throws(Failure) in try view.careAudio.of(id) }
      #expect(try #require(heard).since.wall > (try #require(begun).since.wall))
      append.offset = 2
      _ = try await actor.appendVoice(append, CallContext(attachments: [[7]]))
      #expect(try await storage.read { view throws(Failure) in try view.careAudio.of(id) } == heard)
    }
  }

  @Test(arguments: ["interrupted", "no_sound"])
  func `what somebody wrote during a recording without sound settles it`(_ end: String) async throws {
    let care = try TestCare()
    try await care.run { actor, storage in
      var change = UpdateCareRequest()
      change.record.id = try await actor.startVoice(StartVoiceRequest(), CallContext()).reply.record.id
      change.record.memo = "half of the rice"
      let written = try await actor.update(change, CallContext()).reply.record
      #expect(written.state == "recording")
      if end == "no_sound" {
        var stop = StopVoiceRequest()
        stop.id = change.record.id
        _ = try await actor.stopVoice(stop, CallContext())
      } else {
        try await actor.start()
      }
      let record = try await care.wait(for: change.record.id, in: storage) { $0.state != "recording" }
      #expect(record.state == "written" && record.reason == "" && !record.hasAudio_p)
      #expect(record.memo == "half of the rice")
    }
  }

  @Test func `sound goes when its time is over, also when nothing else happens`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.success("")] }
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      _ = try await care.wait(for: id, in: storage) { $0.state == "needs_memo" }
      care.letTimePass(73 * 3_600_000_000_000)
      let record = try await care.wait(for: id, in: storage) { !$0.hasAudio_p }
      #expect(record.reason == "sound_expired")
      await actor.stop()
      #expect(care.sounds == [])
    }
  }

  @Test func `a clock that is set ahead, and back, makes no sound older and no recording longer`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.success("")] }
    let hour: Int64 = 3_600_000_000_000
    try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      _ = try await care.wait(for: id, in: storage) { $0.state == "needs_memo" }
      let recorded = try await actor.startVoice(StartVoiceRequest(), CallContext()).reply.record.id
      care.setClock(by: 9000 * hour)
      // A recording that begins before the change is noticed.
      let later = try await actor.startVoice(StartVoiceRequest(), CallContext()).reply.record.id
      try await actor.sweep()
      care.setClock(by: -8000 * hour)
      try await actor.sweep()
      var append = AppendVoiceRequest()
      for recording in [recorded, later] {
        append.id = recording
        _ = try await actor.appendVoice(append, CallContext(attachments: [[2]]))
      }
      #expect(try await storage.read { view throws(Failure) in try view.care.require(id) }.hasAudio_p)
      // By the monotonic clock, its deadline is after 72 hours.
      care.clock.withLock { $0 += 71 * hour }
      try await actor.sweep()
      #expect(care.sounds.contains(id))
      care.clock.withLock { $0 += hour }
      try await actor.sweep()
      #expect(try await care.wait(for: id, in: storage) { !$0.hasAudio_p }.reason == "sound_expired")
    }
  }

  @Test func `no sound goes for its age before a machine that was just started can have heard the time`() async throws {
    let care = try TestCare()
    care.answers.withLock { $0 = [.success("")] }
    let id = try await care.run { actor, storage in
      let id = try await actor.speak([1]).id
      _ = try await care.wait(for: id, in: storage) { $0.state == "needs_memo" }
      return id
    }
    // No wait ends before the test says so: only the test moves time.
    care.horizon.withLock { $0 = 0 }
    // The machine's clock is wrong by a year after its start, and correct two minutes later.
    care.boot.withLock { $0 = (0 - (care.clock.withLock { $0 } - TestCare.start), "second") }
    care.setClock(by: 8760 * 3_600_000_000_000)
    try await care.run { actor, storage in
      try await actor.start()
      try await actor.sweep()
      care.clock.withLock { $0 += 120_000_000_000 }
      try await actor.sweep()
      care.setClock(by: -8760 * 3_600_000_000_000)
      try await actor.sweep()
      #expect(try await storage.read { view throws(Failure) in try view.care.require(id) }.hasAudio_p)
      // As far as anything shows, the machine was off for that long.
      care.boot.withLock { $0.name = "third" }
      care.clock.withLock { $0 += 73 * 3_600_000_000_000 }
      try await actor.sweep()
      #expect(try await care.wait(for: id, in: storage) { !$0.hasAudio_p }.reason == "sound_expired")
    }
  }
}
