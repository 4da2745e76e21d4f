internal import Bus
internal import Foundation
internal import KithMessages
internal import SwiftProtobuf

/// Waits for the transcript of a spoken entry, and prints what delays it.
struct TranscriptWait: Sendable {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// Returns the entry when its transcription has succeeded or failed, or as it is after `limit` or Ctrl-C.
  func entry(_ id: String, _ changes: EventSequence, for limit: Duration) async throws -> CareReply {
    let following = Task { try await self.follow(id, changes) }
    let signals = Interrupt.catching { following.cancel() }
    defer { signals.end() }
    let timer = Task {
      try await Task.sleep(for: limit)
      following.cancel()
    }
    defer { timer.cancel() }
    do {
      return try await following.value
    } catch  where following.isCancelled {
      return try await self.session.ask(.with { $0.id = id } as GetCareRequest)
    }
  }

  private func follow(_ id: String, _ changes: EventSequence) async throws -> CareReply {
    let request = GetCareRequest.with { $0.id = id }
    var reply = try await self.session.ask(request)
    var elements = changes.makeAsyncIterator()
    var said = ""
    let began = ContinuousClock.now
    let isDrawn = self.session.console.isTerminal && !self.session.isJSON
    defer { if isDrawn { self.session.console.redraw("") } }
    while reply.record.isUnderWay {
      let words = reply.record.remark(self.session)
      let drawing = isDrawn ? Task { await self.draw(words, since: began) } : nil
      defer { drawing?.cancel() }
      // Without a terminal, each cause of a delay is printed once.
      if !isDrawn, !self.session.isJSON, !reply.record.reason.isEmpty, words != said {
        said = words
        self.session.console.printError("kith: \(words)")
      }
      guard let element = try await elements.next() else { break }
      if case .event(let event) = element, !event.event.changed.ids.contains(id) { continue }
      reply = try await self.session.ask(request)
    }
    return reply
  }

  /// Draws the state and the time waited so far, until the task is cancelled.
  private func draw(_ words: String, since began: ContinuousClock.Instant) async {
    while !Task.isCancelled {
      let clock = RecordingMeter.clock(Int((ContinuousClock.now - began) / .seconds(1)))
      let end = self.session.language("Ctrl-C: do not wait", "Ctrl-C で待つのをやめる")
      self.session.console.redraw(Printable.shortened("\(clock)  \(words)  (\(end))", to: 79))
      try? await Task.sleep(for: .seconds(1))
    }
  }
}

extension CareRecord {
  /// Whether its transcription is still in progress.
  var isUnderWay: Bool { [.recording, .pendingTranscription].contains(self.knownState) }

  /// Whether it has text: it was transcribed, or a person wrote it.
  var isInWords: Bool { ["transcribed", "written"].contains(self.state) }

  /// What to do about a spoken entry without text.
  func hint(_ session: Session) -> String {
    let say = session.language
    let remark = self.remark(session)
    if self.isUnderWay {
      return say(
        "Not transcribed yet (\(remark)). The recording is kept and will be transcribed: kith care show \(session.ids[self.id])",
        "まだ文字になっていません (\(remark))。録音は保存され、あとで文字起こしされます: kith care show \(session.ids[self.id])")
    }
    guard self.hasAudio_p else {
      return say(
        "Nothing was transcribed. Write a memo: kith care edit \(session.ids[self.id]) --memo TEXT",
        "文字起こしできませんでした。メモを書いてください: kith care edit \(session.ids[self.id]) --memo TEXT")
    }
    return say(
      """
      Nothing was transcribed. Listen to it: kith care play \(session.ids[self.id])
      Then write a memo: kith care edit \(session.ids[self.id]) --memo TEXT; or try again: kith care retry \(session.ids[self.id])
      """,
      """
      文字起こしできませんでした。録音を聞くには: kith care play \(session.ids[self.id])
      メモを書くには: kith care edit \(session.ids[self.id]) --memo TEXT、もう一度試すには: kith care retry \(session.ids[self.id])
      """)
  }
}
