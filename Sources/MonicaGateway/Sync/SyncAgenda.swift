internal import Bus

/// Decides which pass runs, which one follows, and who waits for them.
///
/// A caller joins the running pass if that does everything requested and has read nothing yet, so that it cannot have
/// missed a change; otherwise the caller waits for the following pass. The first reading of an account is joined also
/// while it reads, since the following pass would read all of it once more: it reads again the lists that it had begun.
/// Passes do not overlap: what a list said before a change was sent must not be stored after it.
struct SyncAgenda: Sendable {
  /// A pass: it sends due changes, then reads.
  struct Pass: Sendable, Equatable {
    let id: UUIDv7
    /// What to read; nil for nothing.
    var reading: PullPlan.Options?
    /// The callers that wait for its end.
    var waiters: Set<UUIDv7> = []
    /// Whether it runs even without callers.
    var isOwed = false
    /// The command that started it; empty if none did.
    var cause = ""
  }

  /// The running pass.
  private(set) var current: Pass?
  /// The following pass.
  private(set) var next: Pass?
  private var isClosed = false
  /// Whether the running pass is the first reading of the account, and callers may join while it reads.
  private(set) var isFirstReading = false

  /// Requests a pass.
  ///
  /// - Parameters:
  ///   - waiter: The caller that waits for its end; nil if none does.
  ///   - reading: What to read; nil for nothing.
  mutating func ask(_ waiter: UUIDv7?, reading: PullPlan.Options?, cause: String = "") {
    func add(to pass: inout Pass) {
      if let waiter { pass.waiters.insert(waiter) } else { pass.isOwed = true }
    }
    if var current, self.admits(waiter, to: current, reading) {
      add(to: &current)
      self.current = current
      return
    }
    var following = self.next ?? Pass(id: UUIDv7.make(), cause: cause)
    following.reading = Self.join(following.reading, reading)
    add(to: &following)
    self.next = following
  }

  /// A caller stops waiting.
  ///
  /// - Returns: True if the running pass should be cancelled, because it runs for no one.
  mutating func leave(_ waiter: UUIDv7) -> Bool {
    self.next?.waiters.remove(waiter)
    if let next, next.waiters.isEmpty, !next.isOwed { self.next = nil }
    guard self.current?.waiters.remove(waiter) != nil, let current else { return false }
    return current.waiters.isEmpty && !current.isOwed
  }

  /// Starts the following pass.
  mutating func begin() -> Pass? {
    guard self.current == nil, let next else { return nil }
    self.current = next
    self.next = nil
    self.isClosed = false
    self.isFirstReading = false
    return next
  }

  /// Lets no more callers join the running pass: it reads now, and may miss later changes.
  mutating func close() { self.isClosed = true }

  /// The running pass, which has read nothing yet, is the first reading of the account: it reads every list completely,
  /// so it serves the callers that wait for the following one too.
  mutating func openFirstReading() {
    self.isFirstReading = true
    guard let next, !next.waiters.isEmpty, next.reading?.isFull == false else { return }
    self.current?.waiters.formUnion(next.waiters)
    if next.isOwed { self.current?.isOwed = true }
    self.next = nil
  }

  /// Lets no more callers join the first reading: it reads lists again for those who did, or has read everything.
  mutating func closeFirstReading() { self.isFirstReading = false }

  /// The running pass has ended.
  ///
  /// - Returns: The callers that waited for it.
  mutating func end() -> Set<UUIDv7> {
    defer { self.current = nil }
    return self.current?.waiters ?? []
  }

  private func admits(_ waiter: UUIDv7?, to current: Pass, _ wanted: PullPlan.Options?) -> Bool {
    if self.isFirstReading, waiter != nil, let wanted, !wanted.isFull { return true }
    return !self.isClosed && Self.covers(current.reading, wanted)
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
