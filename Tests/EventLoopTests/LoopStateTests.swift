import Testing

@testable import EventLoop

struct LoopStateTests {
  @Test("a loop goes from open through closing and drained to exited, running whatever it finds")
  func life() {
    var state = LoopState()
    #expect(state.next(hasJobs: false) == .wait)
    #expect(state.next(hasJobs: true) == .run)
    let closings = [state.close(), state.close()]
    #expect(closings == [true, false])
    #expect(state.next(hasJobs: true) == .run)
    #expect(state.next(hasJobs: false) == .releaseSources)
    #expect(state.phase == .drained)
    #expect(state.next(hasJobs: true) == .run)
    #expect(state.acceptsJobs)
    #expect(state.next(hasJobs: false) == .exit)
    #expect(!state.acceptsJobs)
    let closesAgain = state.close()
    #expect(!closesAgain)
  }

  @Test("only a sleeping loop is woken, and once")
  func wakeups() {
    var inbox = LoopInbox()
    var batch: [LoopInbox.Entry] = []
    #expect(inbox.append(.closure {}) == .accepted)
    #expect(inbox.take(&batch) == .run)
    batch.removeAll()
    #expect(inbox.append(.closure {}) == .accepted)
    let sleepsWithJobs = inbox.sleep()
    #expect(!sleepsWithJobs)
    #expect(inbox.take(&batch) == .run)
    batch.removeAll()
    let sleeps = inbox.sleep()
    #expect(sleeps)
    #expect(inbox.append(.closure {}) == .acceptedAndAsleep)
    #expect(inbox.append(.closure {}) == .accepted)
    #expect(inbox.wakeups == 1)
  }

  @Test("a loop that has exited refuses jobs")
  func refusal() {
    var inbox = LoopInbox()
    var batch: [LoopInbox.Entry] = []
    _ = inbox.close()
    #expect(inbox.take(&batch) == .releaseSources)
    let sleeps = inbox.sleep()
    #expect(!sleeps)
    #expect(inbox.take(&batch) == .exit)
    #expect(inbox.append(.closure {}) == .refused)
  }
}

@Suite struct WatchTableTests {
  @Test func whatComesAfterTheEndFindsNothing() {
    var table = WatchTable<Int>()
    let id = table.add(.descriptor(3), for: .readable, 1)
    table.removeAll()
    table.setInterest([.readable, .writable], of: id)
    table.remove(id)
    #expect(table.takeItems().isEmpty)
  }
}
