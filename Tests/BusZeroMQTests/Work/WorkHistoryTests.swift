import Bus
import Foundation
import KithMessages
import TestKit
import Testing

@testable import BusZeroMQ

/// Hub and workers as values on a network that loses, repeats and delays messages, with crashes of all of them at any
/// step: every job ends once, and an at-most-once job never runs twice.
struct WorkHistoryTests {
  @Test(arguments: testSeeds(short: 20, full: 600)) func everyJobEndsOnceWhateverDies(seed: UInt64) {
    _ = self.live(seed)
  }

  /// Checks that the histories covered these cases.
  @Test func whatMayHappenComesUp() {
    var seen = World.Sights()
    for seed in UInt64(1)...10 { seen.add(self.live(seed)) }
    #expect(seen.repeated > 0 && seen.unknown > 0 && seen.foundAgain > 0 && seen.left > 0 && seen.resent > 0, "\(seen)")
  }

  /// Runs one history and returns the cases that occurred.
  private func live(_ seed: UInt64) -> World.Sights {
    var world = World(seed: seed)
    for _ in 0..<2000 { world.step() }
    world.calm()
    var steps = 0
    while !world.isDone, steps < 20_000 {
      world.step()
      steps += 1
    }
    #expect(world.isDone, "seed \(seed): open after all were calm: \(world.open)")
    #expect(world.runs.count > 20)
    #expect(world.overlaps.isEmpty, "seed \(seed): given up while a worker was at it: \(world.overlaps)")
    for (id, ends) in world.ends {
      // The outcome is unknown until its worker returns.
      #expect(ends.drop { $0 == .unknown }.count <= 1, "seed \(seed): \(id) ended as \(ends)")
      #expect(world.isOnce(id) || !ends.contains(.unknown), "seed \(seed): \(id) ended as \(ends)")
    }
    for (id, runs) in world.runs where world.isOnce(id) {
      #expect(runs <= 1, "seed \(seed): \(id) may run once and ran \(runs) times")
    }
    for (id, batches) in world.batches {
      #expect(batches == (1...UInt32(batches.count)).map { $0 }, "seed \(seed): batches of \(id) are \(batches)")
    }
    return world.sights
  }
}

/// One hub with its store, three workers, and the messages between them.
private struct World {
  /// The cases that occurred.
  struct Sights {
    /// Jobs that were leased more than once.
    var repeated = 0
    /// Jobs of unknown outcome after their worker was lost.
    var unknown = 0
    /// Jobs that waited across a restart of the hub for their callers.
    var foundAgain = 0
    /// Jobs whose callers left them.
    var left = 0
    /// Batches that were sent again.
    var resent = 0

    mutating func add(_ other: Self) {
      self.repeated += other.repeated
      self.unknown += other.unknown
      self.foundAgain += other.foundAgain
      self.left += other.left
      self.resent += other.resent
    }
  }

  private struct Node {
    var machine: WorkerMachine
    var peer: [UInt8]
    var number: Int
    /// Running jobs by lease, with the number of remaining batches.
    var running: [String: (job: Job, batches: UInt32, mayYield: Bool)] = [:]
    /// The last batch that was sent, by lease.
    var sent: [String: UInt32] = [:]
    /// Its process is stopped.
    var isStopped = false
    /// Messages between it and the hub are delayed, but not lost.
    var isCutOff = false
  }

  private var random: SeededGenerator
  private var now = ContinuousClock.now
  private var hub: LeaseTable
  private var store: [String: JobRecord] = [:]
  private var commits: [(record: JobRecord, stored: LeaseTable.Stored)] = []
  private var nodes: [Node] = []
  private var toHub: [(peer: [UInt8], message: WorkMessage)] = []
  private var toWorkers: [(peer: [UInt8], message: WorkMessage)] = []
  private var nextPeer: UInt8 = 1
  private var nextJob = 0
  private var delivered: [(job: String, batch: UInt32)] = []
  /// Jobs of the previous hub, queued or leased, until their callers return.
  private var unclaimed: [JobRecord] = []
  /// Jobs whose callers have left them.
  private var left: Set<String> = []

  private(set) var isCalm = false
  private(set) var ends: [String: [JobState]] = [:]
  private(set) var runs: [String: Int] = [:]
  private(set) var batches: [String: [UInt32]] = [:]
  /// Jobs whose callers were told that the outcome is unknown while a running worker had them.
  private(set) var overlaps: [String] = []
  private(set) var sights = Sights()

  init(seed: UInt64) {
    self.random = SeededGenerator(seed: seed)
    self.hub = LeaseTable()
    for number in 0..<3 { self.nodes.append(self.node(number)) }
    for index in self.nodes.indices { self.perform(self.nodes[index].machine.start(now: self.now), index) }
  }

  var open: [String] { self.store.values.filter { $0.state.isOpen }.map(\.id) }
  var isDone: Bool { self.open.isEmpty && self.commits.isEmpty && self.delivered.isEmpty && self.unclaimed.isEmpty }

  func isOnce(_ id: String) -> Bool { id.hasPrefix("once") }
  private func batchCount(_ id: String) -> UInt32 { id.hasPrefix("batch") ? 4 : 0 }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self.random) < percent }

  private mutating func node(_ number: Int) -> Node {
    self.nextPeer &+= 1
    let identity = WorkerMachine.Identity(
      name: "worker-\(number)", instance: UUIDv7.make().text, capabilities: ["kith.v1.Test/Run"], slots: 2)
    return Node(machine: WorkerMachine(identity, now: self.now), peer: [self.nextPeer, UInt8(number)], number: number)
  }

  /// From now on no message is lost and no process crashes.
  mutating func calm() {
    self.isCalm = true
    self.wakeAll()
  }

  private mutating func wakeAll() {
    for index in self.nodes.indices {
      self.nodes[index].isStopped = false
      self.nodes[index].isCutOff = false
    }
  }

  mutating func step() {
    if !self.isCalm, self.nextJob < 40, self.chance(5) { self.submit() }
    if self.chance(10) { self.comeBack() }
    if !self.isCalm, self.chance(1) { self.leave() }
    self.deliver()
    self.commit()
    self.take()
    self.work()
    if !self.isCalm, self.chance(2) { self.kill() }
    self.now += .milliseconds(Int.random(in: 1...400, using: &self.random))
    self.perform(self.hub.tick(self.now))
    for index in self.nodes.indices where !self.nodes[index].isStopped {
      if self.nodes[index].machine.wakeAt <= self.now {
        self.perform(self.nodes[index].machine.tick(self.now), index)
      }
    }
  }

  private mutating func submit() {
    self.nextJob += 1
    let kind = ["once", "plain", "batch"].randomElement(using: &self.random) ?? "plain"
    let record = JobRecord(
      id: "\(kind)-\(self.nextJob)", key: "", isKept: true, service: "kith.v1.Test/Run", command: [], inputs: [],
      createdAt: 0)
    self.store[record.id] = record
    self.perform(self.hub.add(record, isOnce: self.isOnce(record.id), now: self.now))
  }

  /// The caller of a job that was open when the hub stopped returns, or continues without it.
  private mutating func comeBack() {
    guard !self.unclaimed.isEmpty else { return }
    let record = self.unclaimed.removeFirst()
    let isLeft = self.left.contains(record.id) || (!self.isCalm && self.chance(10))
    switch (record.state, isLeft) {
    case (.queued, true): self.giveUp(record.id)
    case (_, true):
      self.left.insert(record.id)
      self.perform(self.hub.cancel(record.id, "", now: self.now))
    case (.queued, false):
      self.sights.foundAgain += 1
      self.perform(self.hub.add(record, isOnce: self.isOnce(record.id), now: self.now))
    case (_, false): self.perform(self.hub.claim(record.id, now: self.now))
    }
  }

  /// A caller gives up waiting.
  private mutating func leave() {
    guard let id = self.hub.jobs.keys.sorted().randomElement(using: &self.random), self.store[id]?.state != .unknown
    else { return }
    self.left.insert(id)
    self.sights.left += 1
    self.perform(self.hub.cancel(id, "", now: self.now))
  }

  /// Cancels a job that no worker has received.
  private mutating func giveUp(_ id: String) {
    self.store[id]?.state = .cancelled
    self.ends[id, default: []].append(.cancelled)
  }

  // MARK: - Network

  private mutating func deliver() {
    for _ in 0..<4 {
      // Messages of one peer stay in order; the order of peers is random.
      if let peer = self.toHub.map(\.peer).filter({ !self.isCutOff($0) }).randomElement(using: &self.random) {
        guard let index = self.toHub.firstIndex(where: { $0.peer == peer }) else { continue }
        let message = self.toHub.remove(at: index).message
        if self.isCalm || !self.chance(4) { self.receive(message, from: peer) }
        if !self.isCalm, self.chance(4) { self.receive(message, from: peer) }
      }
      if let peer = self.toWorkers.map(\.peer).filter({ !self.isCutOff($0) }).randomElement(using: &self.random) {
        guard let index = self.nodes.firstIndex(where: { $0.peer == peer }) else {
          self.toWorkers.removeAll { $0.peer == peer }
          self.hub.unreachable(peer, now: self.now)
          continue
        }
        guard !self.nodes[index].isStopped, let first = self.toWorkers.firstIndex(where: { $0.peer == peer }) else {
          continue
        }
        let message = self.toWorkers.remove(at: first).message
        if self.isCalm || !self.chance(4) {
          self.perform(self.nodes[index].machine.receive(message, now: self.now), index)
        }
        if !self.isCalm, self.chance(4) {
          self.perform(self.nodes[index].machine.receive(message, now: self.now), index)
        }
      }
    }
  }

  private func isCutOff(_ peer: [UInt8]) -> Bool { self.nodes.contains { $0.isCutOff && $0.peer == peer } }

  private mutating func receive(_ message: WorkMessage, from peer: [UInt8]) {
    let directives =
      switch message {
      case .ready(let ready):
        self.hub.ready(ready, from: peer, principal: "uid:1", services: ["kith.v1.Test"], now: self.now)
      case .heartbeat(let heartbeat): self.hub.heartbeat(heartbeat, from: peer, now: self.now)
      case .partial(let partial, _): self.hub.partial(partial, from: peer, now: self.now)
      case .final(let result, let reply): self.hub.final(result, reply, from: peer, now: self.now)
      case .credit(let credit): self.hub.credit(credit, from: peer, now: self.now)
      case .drain: self.hub.drain(from: peer, now: self.now)
      case .disconnect: self.hub.disconnect(from: peer, now: self.now)
      default: [LeaseTable.Directive]()
      }
    self.perform(directives)
  }

  // MARK: - Hub

  private mutating func perform(_ directives: [LeaseTable.Directive]) {
    for directive in directives {
      switch directive {
      case .send(let peer, let message): self.toWorkers.append((peer, message))
      case .give(let peer, let job): self.toWorkers.append((peer, .job(job, [])))
      case .store(let record, let stored): self.commits.append((record, stored))
      case .deliver(let job, let batch): self.delivered.append((job, batch))
      case .report: break
      case .conclude(let record):
        self.ends[record.id, default: []].append(record.state)
        self.delivered.removeAll { $0.job == record.id }
        if record.state == .unknown, !self.left.contains(record.id) { self.noteUnknown(record.id) }
      }
    }
  }

  private mutating func noteUnknown(_ id: String) {
    self.sights.unknown += 1
    let isAtIt = self.nodes.contains { !$0.isStopped && $0.running.values.contains { $0.job.jobID == id } }
    if isAtIt { self.overlaps.append(id) }
  }

  private mutating func commit() {
    guard !self.commits.isEmpty, self.chance(60) else { return }
    let (record, stored) = self.commits.removeFirst()
    if let before = self.store[record.id], before.state.isOpen || before.state == .unknown {
      self.store[record.id] = record
    }
    self.perform(self.hub.stored(record.id, stored, now: self.now))
  }

  /// The caller stores a batch.
  private mutating func take() {
    guard !self.delivered.isEmpty, self.chance(50) else { return }
    let (job, batch) = self.delivered.removeFirst()
    self.batches[job, default: []].append(batch)
    self.perform(self.hub.taken(job, batch: batch, now: self.now))
  }

  // MARK: - Workers

  private mutating func perform(_ directives: [WorkerMachine.Directive], _ index: Int) {
    for directive in directives {
      switch directive {
      case .send(let message, _):
        if case .partial(let partial, _) = message, partial.batchSeq > 0 {
          if partial.batchSeq <= self.nodes[index].sent[partial.leaseID] ?? 0 { self.sights.resent += 1 }
          self.nodes[index].sent[partial.leaseID] = max(self.nodes[index].sent[partial.leaseID] ?? 0, partial.batchSeq)
        }
        self.toHub.append((self.nodes[index].peer, message))
      case .run(let job, _):
        if job.attempt > 1 { self.sights.repeated += 1 }
        self.runs[job.jobID, default: 0] += 1
        self.nodes[index].running[job.leaseID] = (job, self.batchCount(job.jobID) - job.batches, true)
      case .stop(let lease): self.nodes[index].running[lease] = nil
      case .goOn(let lease): self.nodes[index].running[lease]?.mayYield = true
      case .letGo, .resumeTransfers: break
      case .reconnect:
        self.toHub.removeAll { $0.peer == self.nodes[index].peer }
        self.toWorkers.removeAll { $0.peer == self.nodes[index].peer }
        self.nextPeer &+= 1
        self.nodes[index].peer = [self.nextPeer, UInt8(self.nodes[index].number)]
      case .left: self.replace(index)
      }
    }
  }

  private mutating func work() {
    for index in self.nodes.indices where !self.nodes[index].isStopped {
      guard self.chance(30), let lease = self.nodes[index].running.keys.sorted().first,
        let task = self.nodes[index].running[lease]
      else { continue }
      if task.batches > 0 {
        guard task.mayYield else { continue }
        self.nodes[index].running[lease] = (task.job, task.batches - 1, false)
        self.perform(
          self.nodes[index].machine.batch(lease, [], checkpoint: [UInt8(task.batches)], now: self.now), index)
      } else if !self.isOnce(task.job.jobID) || self.chance(5) {
        // An at-most-once job takes long, like one that waits for a server.
        self.nodes[index].running[lease] = nil
        self.perform(self.nodes[index].machine.ended(lease, WorkResult(), [], now: self.now), index)
      }
    }
  }

  // MARK: - Crashes

  private mutating func kill() {
    let index = Int.random(in: 0..<self.nodes.count, using: &self.random)
    switch Int.random(in: 0..<9, using: &self.random) {
    case 0: self.replace(index)
    case 1: self.perform(self.nodes[index].machine.drain(grace: .seconds(3), now: self.now), index)
    case 2: self.nodes[index].isStopped = true
    case 3, 4: self.wakeAll()
    case 5: self.nodes[index].isCutOff = true
    case 6: self.restartHub()
    default: self.cutConnection(index)
    }
  }

  private mutating func replace(_ index: Int) {
    let old = self.nodes[index]
    self.toHub.removeAll { $0.peer == old.peer }
    self.toWorkers.removeAll { $0.peer == old.peer }
    self.nodes[index] = self.node(old.number)
    self.perform(self.nodes[index].machine.start(now: self.now), index)
  }

  private mutating func cutConnection(_ index: Int) {
    let old = self.nodes[index].peer
    self.toHub.removeAll { $0.peer == old }
    self.toWorkers.removeAll { $0.peer == old }
    self.hub.unreachable(old, now: self.now)
    self.nextPeer &+= 1
    self.nodes[index].peer = [self.nextPeer, UInt8(self.nodes[index].number)]
  }

  /// Uncommitted changes are lost, and so are callers of batches, whose jobs end. Leased jobs wait for their workers, and
  /// queued jobs wait for their callers.
  private mutating func restartHub() {
    self.toHub = []
    self.toWorkers = []
    self.commits = []
    self.delivered = []
    self.unclaimed = []
    self.hub = LeaseTable()
    for record in self.store.values.sorted(by: { $0.id < $1.id }) where record.state.isOpen || record.state == .unknown
    {
      if self.batchCount(record.id) > 0 || (record.state == .queued && self.left.contains(record.id)) {
        self.giveUp(record.id)
      } else if record.state == .queued {
        self.unclaimed.append(record)
      } else {
        self.hub.restore(record, isOnce: self.isOnce(record.id), now: self.now)
        if record.state == .leased { self.unclaimed.append(record) }
      }
    }
  }
}
