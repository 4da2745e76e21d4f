internal import Bus

/// Which pass runs and which follows, and who waits for them.
///
/// Somebody who asks for a pass joins the one that runs when it does all that is asked for and has read nothing yet, so that it
/// cannot have missed anything; else a pass that follows. Passes do not overlap: what a list said before a change was sent
/// must not be stored after it.
struct SyncAgenda: Sendable {
  /// A pass: it sends what is due, and then reads.
  struct Pass: Sendable, Equatable {
    let id: UUIDv7
    /// What is read; nil = nothing.
    var reading: PullPlan.Options?
    /// Those who wait for its end.
    var waiters: Set<UUIDv7> = []
    /// Whether it also runs for nobody.
    var isOwed = false
    /// The command that it was begun for; empty = none.
    var cause = ""
  }

  /// The pass that runs.
  private(set) var current: Pass?
  /// The pass that follows.
  private(set) var next: Pass?
  private var isClosed = false

  /// Asks for a pass.
  ///
  /// - Parameters:
  ///   - waiter: Who waits for its end; nil = nobody.
  ///   - reading: What is to be read; nil = nothing.
  mutating func ask(_ waiter: UUIDv7?, reading: PullPlan.Options?, cause: String = "") {
    func add(to pass: inout Pass) {
      if let waiter { pass.waiters.insert(waiter) } else { pass.isOwed = true }
    }
    if !self.isClosed, var current, Self.covers(current.reading, reading) {
      add(to: &current)
      self.current = current
      return
    }
    var following = self.next ?? Pass(id: UUIDv7.make(), cause: cause)
    following.reading = Self.join(following.reading, reading)
    add(to: &following)
    self.next = following
  }

  /// Somebody waits no more.
  ///
  /// - Returns: Whether the pass that runs is to be given up, because it runs for nobody.
  mutating func leave(_ waiter: UUIDv7) -> Bool {
    self.next?.waiters.remove(waiter)
    if let next, next.waiters.isEmpty, !next.isOwed { self.next = nil }
    guard self.current?.waiters.remove(waiter) != nil, let current else { return false }
    return current.waiters.isEmpty && !current.isOwed
  }

  /// Begins the pass that follows.
  mutating func begin() -> Pass? {
    guard self.current == nil, let next else { return nil }
    self.current = next
    self.next = nil
    self.isClosed = false
    return next
  }

  /// Nobody joins the pass that runs any more: it reads now, and may miss what changes from here on.
  mutating func close() { self.isClosed = true }

  /// The pass that runs has ended.
  ///
  /// - Returns: Those who waited for it.
  mutating func end() -> Set<UUIDv7> {
    defer { self.current = nil }
    return self.current?.waiters ?? []
  }

  private static func covers(_ has: PullPlan.Options?, _ wanted: PullPlan.Options?) -> Bool {
    guard let wanted else { return true }
    return has?.covers(wanted) ?? false
  }

  private static func join(_ one: PullPlan.Options?, _ other: PullPlan.Options?) -> PullPlan.Options? {
    guard let one, let other else { return one ?? other }
    return PullPlan.Options(
      isFull: one.isFull || other.isFull, isCommanded: one.isCommanded || other.isCommanded)
  }
}
