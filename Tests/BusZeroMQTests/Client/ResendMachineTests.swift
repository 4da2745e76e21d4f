import Bus
import KithMessages
import TestKit
import Testing

@testable import BusZeroMQ

@Suite("When a command is sent again")
struct ResendMachineTests {
  private let start = ContinuousClock.now

  private func machine(timeout: Duration = .seconds(60), connectLimit: Duration? = nil) -> ResendMachine {
    ResendMachine(self.start, timeout: timeout, connectLimit: connectLimit)
  }

  @Test("After 2, 4, 8, 15, 15 seconds, every second try on a new socket")
  func pauses() {
    var machine = self.machine()
    var now = self.start
    machine.sent(now, jitter: 0)
    for (pause, isNew) in [(2, true), (4, false), (8, true), (15, false), (15, true)] {
      #expect(machine.due(blockedSince: nil) == now + .seconds(pause))
      #expect(machine.tick(now + .seconds(pause) - .milliseconds(1), blockedSince: nil) == nil)
      now += .seconds(pause)
      #expect(machine.tick(now, blockedSince: nil) == .send(onNewSocket: isNew))
      machine.sent(now, jitter: 0)
    }
    #expect(machine.attempts == 6)
  }

  @Test("Chance stretches a pause by a fifth at most")
  func jitter() {
    var machine = self.machine()
    machine.sent(self.start, jitter: 1)
    #expect(machine.due(blockedSince: nil) == self.start + .milliseconds(2400))
  }

  @Test("A command that runs may be silent for five seconds, and begins with short pauses again")
  func silence() {
    var machine = self.machine()
    machine.sent(self.start, jitter: 0)
    machine.sent(self.start + .seconds(2), jitter: 0)
    let heard = self.start + .seconds(3)
    machine.heard(heard)
    #expect(machine.due(blockedSince: nil) == heard + .seconds(5))
    #expect(machine.tick(heard + .seconds(5), blockedSince: nil) == .send(onNewSocket: false))
    machine.sent(heard + .seconds(5), jitter: 0)
    #expect(machine.due(blockedSince: nil) == heard + .seconds(7))
  }

  @Test("The caller's time ends it, whatever is due")
  func deadline() {
    var machine = self.machine(timeout: .seconds(3))
    machine.sent(self.start, jitter: 0)
    machine.sent(self.start + .seconds(2), jitter: 0)
    #expect(machine.due(blockedSince: nil) == self.start + .seconds(3))
    guard case .giveUp(let failure) = machine.tick(self.start + .seconds(3), blockedSince: nil) else {
      Issue.record("not given up")
      return
    }
    #expect(failure.reason == "RUNNING_TOO_LONG")
    #expect(failure.code == .deadlineExceeded)
  }

  @Test("Without a hub it is given up after the limit, or at its own time where there is none")
  func absent() {
    let blocked = self.start + .milliseconds(1)
    let limited = self.machine(connectLimit: .seconds(1))
    #expect(limited.tick(blocked, blockedSince: blocked) == nil)
    #expect(limited.tick(blocked + .seconds(1), blockedSince: blocked) == .giveUp(ResendMachine.hubNotRunning))
    let patient = self.machine(timeout: .seconds(30))
    #expect(patient.due(blockedSince: blocked) == self.start + .seconds(30))
    #expect(patient.tick(self.start + .seconds(30), blockedSince: blocked) == .giveUp(ResendMachine.hubNotRunning))
  }

  @Test("A call made while the hub is away has its own limit")
  func absentSinceLong() {
    var machine = self.machine(connectLimit: .seconds(1))
    machine.looked()
    #expect(machine.due(blockedSince: self.start - .seconds(100)) == self.start + .seconds(1))
  }

  @Test("A call that no hub has had looks once, at once, whether there is one; without a limit it waits")
  func look() {
    var machine = self.machine(connectLimit: .seconds(60))
    let blocked = self.start - .seconds(100)
    #expect(machine.due(blockedSince: blocked) == self.start + ResendMachine.glance)
    #expect(machine.tick(self.start + ResendMachine.glance, blockedSince: blocked) == .look)
    machine.looked()
    #expect(machine.due(blockedSince: blocked) == self.start + .seconds(60))
    var known = self.machine(connectLimit: .seconds(60))
    known.sent(self.start, jitter: 0)
    known.putBack()
    #expect(known.due(blockedSince: self.start) == self.start + .seconds(60))
    #expect(self.machine(timeout: .seconds(9)).due(blockedSince: blocked) == self.start + .seconds(9))
  }

  @Test("A hub that had the command is given the time of a restart")
  func restart() {
    var machine = self.machine(connectLimit: .seconds(1))
    machine.sent(self.start, jitter: 0)
    machine.putBack()
    let blocked = self.start + .seconds(2)
    #expect(machine.due(blockedSince: blocked) == blocked + .seconds(10))
  }

  @Test("Waiting for others is not waiting for a hub")
  func window() {
    let machine = self.machine(timeout: .seconds(9), connectLimit: .seconds(1))
    #expect(machine.due(blockedSince: nil) == self.start + .seconds(9))
    guard case .giveUp(let failure) = machine.tick(self.start + .seconds(9), blockedSince: nil) else {
      Issue.record("not given up")
      return
    }
    #expect(failure.reason == "RUNNING_TOO_LONG")
  }

  @Test("In every order of what happens it ends in time and never comes early", arguments: 0..<50 as Range<UInt64>)
  func walk(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var machine = self.machine(timeout: .seconds(120), connectLimit: seed.isMultiple(of: 2) ? .seconds(2) : nil)
    var now = self.start
    var blockedSince: ContinuousClock.Instant?
    var ended = false
    for _ in 0..<1000 where !ended {
      let due = machine.due(blockedSince: blockedSince)
      #expect(due <= self.start + .seconds(120))
      #expect(machine.tick(due - .nanoseconds(1), blockedSince: blockedSince) == nil)
      now = max(now, Bool.random(using: &random) ? due : min(due, now + .seconds(1)))
      switch machine.tick(now, blockedSince: blockedSince) {
      case .giveUp: ended = true
      case .look: machine.looked()
      case .send where Bool.random(using: &random), nil where machine.isUnsent:
        blockedSince = nil
        machine.sent(now, jitter: .random(in: 0...1, using: &random))
      case .send:
        blockedSince = now
        machine.putBack()
      case nil: if Int.random(in: 0..<10, using: &random) == 0 { machine.heard(now) }
      }
    }
    #expect(ended)
  }
}
