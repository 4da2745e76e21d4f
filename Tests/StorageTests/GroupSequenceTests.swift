import Bus
import KithMessages
import TestKit
import Testing

@testable import Storage

@Suite struct GroupSequenceTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `numbers of kept members are dense over random groups`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var heads = EventStream.allCases.map { _ in UInt64(0) }
    var model: [String: [UInt64]] = [:]
    for _ in 0..<50 {
      var sequence = GroupSequence(heads: heads)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        sequence.beginMember()
        var taken: [(String, UInt64)] = []
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          let stream = EventStream.allCases.randomElement(using: &random) ?? .system
          var event = LoggedEvent()
          event.header.stream = stream.name
          event.header.seq = sequence.take(stream)
          sequence.record(event)
          taken.append((stream.name, event.header.seq))
        }
        if Bool.random(using: &random) {
          sequence.undoMember()
          #expect(sequence.movedByMember.isEmpty)
        } else {
          for (name, seq) in taken { model[name, default: []].append(seq) }
        }
      }
      #expect(sequence.movedByGroup == EventStream.allCases.filter { heads[$0.rawValue] != sequence[$0] })
      heads = sequence.heads
    }
    for stream in EventStream.allCases {
      #expect(model[stream.name, default: []] == Array(1..<(heads[stream.rawValue] + 1)))
    }
  }

  @Test func `events of an undone member are not published`() {
    var sequence = GroupSequence(heads: EventStream.allCases.map { _ in 7 })
    sequence.beginMember()
    var event = LoggedEvent()
    event.header.seq = sequence.take(.sync)
    sequence.record(event)
    sequence.beginMember()
    sequence.record(LoggedEvent())
    sequence.undoMember()
    #expect(sequence.events == [event])
    #expect(sequence[.sync] == 8)
  }

  @Test func `the queue starts the writer once and keeps order`() {
    var queue = WriteQueue()
    let write = { (cause: String) in
      PendingWrite(cause: cause) { _ in
        {}
      } fail: { _ in
      }
    }
    guard case .queuedFirst = queue.add(write("a")), case .queued = queue.add(write("b")) else {
      Issue.record("the first write starts the writer, the second does not")
      return
    }
    let group = queue.takeGroup(atMost: 10)
    #expect(group.map(\.cause) == ["a", "b"])
    guard case .queued = queue.add(write("c")) else {
      Issue.record("a draining writer is not started again")
      return
    }
    queue.putBack(group[1...])
    #expect(queue.takeGroup(atMost: 10).map(\.cause) == ["b", "c"])
    #expect(queue.takeGroup(atMost: 10).isEmpty)
    #expect(queue.isIdle)
    queue.close()
    guard case .refused(let failure) = queue.add(write("d")) else {
      Issue.record("a closed queue takes nothing")
      return
    }
    #expect(failure.reason == "SHUTTING_DOWN")
  }
}
