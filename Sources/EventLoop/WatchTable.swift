/// Identifies a registration of a source; never reused.
struct WatchID: Hashable, Sendable {
  let slot: Int
  let generation: UInt64
}

/// The watched sources of a loop with their interests and handlers.
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

  /// Removes all sources. Later removals and changes do nothing.
  mutating func removeAll() {
    slots.removeAll()
    free.removeAll()
    isStale = true
  }

  /// The sources with an interest, for the poller. Return them with `store` after the wait.
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

  /// Keeps the array for the next wait, unless the sources have changed.
  mutating func store(_ items: [PollItem]) {
    if !isStale { cached = items }
  }

  /// The handler of a registration, and the part of `ready` that it is interested in.
  func handler(of item: PollItem) -> (Handler, Readiness)? {
    guard item.watch.slot < slots.count, let entry = slots[item.watch.slot], entry.id == item.watch else { return nil }
    let ready = item.ready.intersection(entry.interest.union(.failed))
    return ready.isEmpty || entry.interest.isEmpty ? nil : (entry.handler, ready)
  }
}

/// Watches a source on an event loop while this value exists.
///
/// Store it in the actor that owns the source; it must be destroyed on the loop. See `LoopActor`.
///
/// ```swift
/// let watch = self.watch(socket.source, for: .readable) { $0.handle($1) }
/// watch.setInterest([.readable, .writable])  // until the waiting messages are sent
/// ```
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

  /// Changes the interest. An empty interest pauses the watch; the high-water mark then holds the peer back.
  public func setInterest(_ interest: Readiness) {
    loop.onLoop { $0.watches.setInterest(interest, of: id) }
  }
}
