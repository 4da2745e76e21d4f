/// Names one registration of a source; never used again for another.
struct WatchID: Hashable, Sendable {
  let slot: Int
  let generation: UInt64
}

/// The sources of a loop, each with its interest and handler.
struct WatchTable<Handler> {
  private struct Entry {
    let id: WatchID
    let source: PollSource
    var interest: Readiness
    let handler: Handler
  }

  private var slots: [Entry?] = []
  private var free: [Int] = []
  private var nextGeneration: UInt64 = 0
  private var isStale = false
  private var cached: [PollItem] = []

  mutating func add(_ source: PollSource, for interest: Readiness, _ handler: Handler) -> WatchID {
    let slot = free.popLast() ?? slots.count
    if slot == slots.count { slots.append(nil) }
    let id = WatchID(slot: slot, generation: nextGeneration)
    nextGeneration += 1
    slots[slot] = Entry(id: id, source: source, interest: interest, handler: handler)
    isStale = true
    return id
  }

  mutating func setInterest(_ interest: Readiness, of id: WatchID) {
    guard id.slot < slots.count, slots[id.slot]?.id == id, slots[id.slot]?.interest != interest else { return }
    slots[id.slot]?.interest = interest
    isStale = true
  }

  mutating func remove(_ id: WatchID) {
    guard id.slot < slots.count, slots[id.slot]?.id == id else { return }
    slots[id.slot] = nil
    free.append(id.slot)
    isStale = true
  }

  /// Forgets every source; a removal or a change that comes later finds nothing.
  mutating func removeAll() {
    slots.removeAll()
    free.removeAll()
    isStale = true
  }

  /// The sources that want something, as the poller takes them. Give them back with `store` after the wait.
  mutating func takeItems() -> [PollItem] {
    if isStale {
      cached.removeAll(keepingCapacity: true)
      for case let entry? in slots where !entry.interest.isEmpty {
        cached.append(PollItem(source: entry.source, interest: entry.interest, watch: entry.id))
      }
      isStale = false
    }
    defer { cached = [] }
    return cached
  }

  /// Keeps the array for the next wait, unless the sources have changed meanwhile.
  mutating func store(_ items: [PollItem]) {
    if !isStale { cached = items }
  }

  /// The handler of a registration and what it still wants to hear of `ready`.
  func handler(of item: PollItem) -> (Handler, Readiness)? {
    guard item.watch.slot < slots.count, let entry = slots[item.watch.slot], entry.id == item.watch else { return nil }
    let ready = item.ready.intersection(entry.interest.union(.failed))
    return ready.isEmpty || entry.interest.isEmpty ? nil : (entry.handler, ready)
  }
}

/// A source watched by a loop, for as long as this value exists.
///
/// It is stored by the actor that owns the source and is dropped on the loop: see `LoopActor`.
public struct Watch: ~Copyable {
  private let loop: LoopExecutor
  private let id: WatchID

  init(loop: LoopExecutor, id: WatchID) {
    self.loop = loop
    self.id = id
  }

  deinit {
    loop.onLoop { $0.watches.remove(id) }
  }

  /// Changes what is waited for. An empty interest pauses the watch: a peer is then held back by its high-water mark.
  public func setInterest(_ interest: Readiness) {
    loop.onLoop { $0.watches.setInterest(interest, of: id) }
  }
}
