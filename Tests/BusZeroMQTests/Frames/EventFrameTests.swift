import Bus
import BusZeroMQ
import KithMessages
import SwiftProtobuf
import Testing

@Suite("Event frames")
struct EventFrameTests {
  private func event() -> LoggedEvent {
    var event = LoggedEvent()
    event.header.stream = "sync"
    event.header.epoch = "e"
    event.header.seq = 7
    event.header.key = "contacts:home"
    event.event.sync.state = .completed
    return event
  }

  @Test("An event and a HEAD survive the way over the wire", arguments: [Encoding.pb, .json])
  func roundTrip(encoding: Encoding) throws {
    var head = Head()
    head.hubInstance = "h"
    head.heads = [.with { $0.stream = "sync" }]
    for frame in [EventFrame.event(self.event()), .head(head)] {
      guard case .accepted(let read) = EventFrame.decode(try frame.encoded(encoding)) else {
        Issue.record("not accepted")
        return
      }
      #expect(read == frame)
    }
  }

  @Test("The layout is topic, tag, kind, type of content, header, body")
  func layout() throws {
    let frames = try EventFrame.event(self.event()).encoded(.json)
    #expect(frames[0..<4].map { String(decoding: $0, as: UTF8.self) } == ["j/sync/", "KTHE01", "\u{1}", "json"])
    #expect(try EventFrame.head(Head()).encoded(.pb)[0...2] == [Array("p/!head/".utf8), Array("KTHE01".utf8), [2]])
  }

  @Test("What cannot be an event is dropped or named")
  func faults() throws {
    func cause(_ change: (inout [[UInt8]]) -> Void) throws -> FrameRejection.Cause? {
      var frames = try EventFrame.event(self.event()).encoded(.pb)
      change(&frames)
      if case .rejected(let rejection) = EventFrame.decode(frames) { return rejection.cause }
      return nil
    }
    #expect(try cause { $0.removeLast() } == .malformed)
    #expect(try cause { $0[1] = Array("KTHE09".utf8) } == .wrongMajor)
    #expect(try cause { $0[2] = [7] } == .malformed)
    #expect(try cause { $0[3] = [] } == .malformed)
    #expect(try cause { $0[5] = [0xFF] } == .malformed)
    #expect(try cause { $0[5] = .init(repeating: 0, count: WireLimits.body + 1) } == .oversize)
    guard case .foreign = EventFrame.decode([[], Array("KTHC01".utf8)]) else {
      Issue.record("not foreign")
      return
    }
  }

  @Test(
    "A topic is one stream in one encoding",
    arguments: [
      ("j/sync/", Topic.stream("sync", .json)), ("p/!head/", .head(.pb)), ("j/", nil), ("x/sync/", nil),
      ("j/sync", nil),
      ("j/a/b/", nil), ("", nil), ("j//", nil),
    ] as [(String, Topic?)])
  func topics(text: String, topic: Topic?) {
    #expect(Topic(Array(text.utf8)) == topic)
    if let topic { #expect(topic.bytes == Array(text.utf8)) }
  }
}
