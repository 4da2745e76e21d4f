public import Bus
public import EventLoop
internal import KithMessages
public import Logging

/// Starts the passes that nobody asked for: regular ones, and those after a file-change notice.
///
/// When a source is due is the rule of ``SyncSchedule``; this holds one timer for the next of them.
public actor SyncScheduler: LoopActor {
  public nonisolated let loop: LoopExecutor
  private let contacts: ContactsSyncActor
  private let interval: Duration?
  private let watches: Bool
  private let logger: Logger
  private let origin = ContinuousClock.now
  private var schedules: [String: SyncSchedule] = [:]
  private var running: Set<String> = []
  private var watcher: FolderWatcher?
  private var timer: LoopTimer?
  private var isStopped = false

  /// Makes a scheduler that does nothing before ``start()``.
  ///
  /// - Parameters:
  ///   - interval: Between regular passes of a source; nil = none.
  ///   - watches: Whether file-change notices start passes.
  public init(
    _ contacts: ContactsSyncActor, loop: LoopExecutor, interval: Duration?, watches: Bool, logger: Logger
  ) {
    self.contacts = contacts
    self.loop = loop
    self.interval = interval
    self.watches = watches
    self.logger = logger
  }

  /// Begins, with the sources there are; sources that are added or removed later are followed.
  ///
  /// - Throws: A failure of the store.
  public func start() async throws(Failure) {
    if self.watches {
      self.watcher = FolderWatcher(loop: self.loop, logger: self.logger) { [weak self] source in
        self?.post { $0.notice(source) }
      }
    }
    let sources = try await self.contacts.observeSources { [weak self] sources in self?.post { $0.follow(sources) } }
    self.follow(sources)
  }

  /// Starts no more passes; those that run go on.
  public func stop() async {
    self.isStopped = true
    if let timer = self.timer { self.cancel(timer) }
    self.timer = nil
    await self.watcher?.stop()
  }

  private var now: Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - self.origin).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  private func follow(_ sources: [Source]) {
    let names = Set(sources.map(\.name))
    self.schedules = self.schedules.filter { names.contains($0.key) }
    let interval = self.interval.map { $0.components.seconds * 1_000_000_000 }
    for name in names where self.schedules[name] == nil {
      self.schedules[name] = SyncSchedule(interval: interval, startsNow: false, now: self.now)
    }
    // Both live on the same loop.
    self.watcher?.assumeIsolated { $0.setSources(sources) }
    self.plan()
  }

  private func notice(_ source: String) {
    self.schedules[source]?.notice(now: self.now)
    self.plan()
  }

  /// Starts what is due, and sets the timer to what is due next.
  private func plan() {
    if let timer = self.timer { self.cancel(timer) }
    self.timer = nil
    guard !self.isStopped else { return }
    let now = self.now
    var next: Int64?
    for (name, schedule) in self.schedules where !self.running.contains(name) {
      guard let due = schedule.due else { continue }
      if due <= now { self.run(name) } else { next = min(next ?? due, due) }
    }
    guard let next else { return }
    self.timer = self.schedule(at: self.origin + .nanoseconds(next)) { $0.plan() }
  }

  private func run(_ name: String) {
    self.schedules[name]?.begin()
    self.running.insert(name)
    Task {
      let succeeded = await self.contacts.syncInBackground(name)
      self.running.remove(name)
      self.schedules[name]?.end(succeeded: succeeded, now: self.now)
      self.plan()
    }
  }
}
