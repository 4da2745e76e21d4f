internal import Bus
public import EventLoop
public import KithMessages
internal import Logging
internal import Storage

/// Starts passes when they are due: at the start, on the schedule, and when files change.
///
/// It runs on an event loop, where it waits for the kernel's notices and for timers without waking up in between.
public actor SourceKeeper: LoopActor {
  /// When passes are started.
  public struct Plan: Sendable {
    /// Whether every source has a pass at the start.
    public var startsNow: Bool
    /// The time between passes; nil for passes only at the start, on command and on a notice.
    public var interval: Duration?
    /// Whether a changed file starts a pass.
    public var watchesFiles: Bool

    /// Makes a plan.
    public init(startsNow: Bool, interval: Duration?, watchesFiles: Bool) {
      self.startsNow = startsNow
      self.interval = interval
      self.watchesFiles = watchesFiles
    }
  }

  private struct Kept {
    let path: WatchedPath?
    var schedule: SyncSchedule
    /// Watches of its folder and its subfolders.
    var watch: Int32?
    var inner: Set<Int32> = []
    var isRunning = false

    func has(_ watch: Int32) -> Bool { self.watch == watch || self.inner.contains(watch) }
  }

  /// The wait before kithd retries to watch a folder.
  private static let rewatchAfter = Duration.seconds(60)

  /// The loop on which it waits for notices and timers.
  public nonisolated let loop: LoopExecutor
  private let contacts: ContactsSyncActor
  private let plan: Plan
  private let origin = ContinuousClock.now

  private var sources: [String: Kept] = [:]
  private var notices: FileNotices?
  private var noticesWatch: Watch?
  private var timer: LoopTimer?
  private var rewatchTimer: LoopTimer?
  /// Sources whose folder is being opened; a source that is removed meanwhile is taken out.
  private var arriving: Set<String> = []

  // Not inlined into other modules: the optimizer of Swift 6.3.1 fails there ("circular reference") on actors whose stored
  // watches cannot be copied.
  /// Makes a keeper that does nothing before ``start()``.
  @_semantics("optimize.no.crossmodule")
  public init(contacts: ContactsSyncActor, plan: Plan, loop: LoopExecutor) {
    self.contacts = contacts
    self.plan = plan
    self.loop = loop
  }

  isolated deinit {}

  /// Starts with the stored sources.
  public func start() async {
    if self.plan.watchesFiles { self.notices = FileNotices() }
    if let descriptor = self.notices?.descriptor {
      self.noticesWatch = self.watch(.descriptor(descriptor), for: .readable) { keeper, _ in keeper.readNotices() }
    }
    for location in await self.contacts.locations() { self.add(location, startsNow: self.plan.startsNow) }
    self.arm()
  }

  /// Stops starting passes.
  public func stop() {
    self.arriving = []
    self.noticesWatch = nil
    self.notices = nil
    self.sources = [:]
    self.arm()
    if let rewatchTimer { self.cancel(rewatchTimer) }
    self.rewatchTimer = nil
  }

  /// Handles committed events: added and removed sources.
  public nonisolated func handle(events: [LoggedEvent]) {
    let seen = events.filter { $0.header.stream == "sync" && $0.header.key.hasPrefix(PassState.keyPrefix) }.map {
      (
        name: String($0.header.key.dropFirst(PassState.keyPrefix.count)), isGone: $0.header.tombstone,
        isHelped: $0.event.sync.state == .idle || $0.event.sync.state == .completed
      )
    }
    guard !seen.isEmpty else { return }
    self.post { keeper in
      for source in seen {
        keeper.handle(source: source.name, isGone: source.isGone)
        if source.isHelped { keeper.help(source.name) }
      }
    }
  }

  // MARK: - Sources

  private func handle(source name: String, isGone: Bool) {
    if isGone {
      self.arriving.remove(name)
      let kept = self.sources.removeValue(forKey: name)
      for watch in [kept?.watch].compactMap(\.self) + (kept?.inner ?? []) { self.end(watch) }
      self.arm()
    } else if self.sources[name] == nil {
      Task { await self.takeUp(name) }
    }
  }

  /// Opens the folder of a source, and starts to watch it.
  func takeUp(_ name: String) async {
    guard self.arriving.insert(name).inserted else { return }
    let location = await self.contacts.locations().first { $0.name == name }
    // If it was not found, or the store could not be read, its next event starts this again.
    guard self.arriving.remove(name) != nil, let location else { return }
    self.add(location, startsNow: false)
    self.arm()
  }

  /// Clears the back-off: a requested pass succeeded, or the source got another password.
  private func help(_ name: String) {
    self.sources[name]?.schedule.helped(now: self.now)
    self.arm()
  }

  private func add(_ location: SourceLocation, startsNow: Bool) {
    guard self.sources[location.name] == nil else { return }
    let interval = self.plan.interval.map { $0.components.seconds * 1_000_000_000 }
    self.sources[location.name] = Kept(
      path: WatchedPath(location), schedule: SyncSchedule(interval: interval, startsNow: startsNow, now: self.now))
    self.watchFolder(of: location.name)
  }

  // MARK: - Notices

  private func watchFolder(of name: String) {
    guard self.plan.watchesFiles, let path = self.sources[name]?.path else { return }
    if self.sources[name]?.watch == nil { self.sources[name]?.watch = self.notices?.watch(path.folder) }
    if self.sources[name]?.watch != nil {
      // A folder that is watched already keeps its watch.
      for folder in path.inner {
        if let watch = self.notices?.watch(path.folder, inner: folder) { self.sources[name]?.inner.insert(watch) }
      }
    }
    guard self.sources[name]?.watch == nil, self.rewatchTimer == nil else { return }
    self.rewatchTimer = self.schedule(at: .now + Self.rewatchAfter) { keeper in
      keeper.rewatchTimer = nil
      for (name, kept) in keeper.sources where kept.watch == nil && kept.path != nil {
        keeper.watchFolder(of: name)
        if keeper.sources[name]?.watch != nil { keeper.notice(name) }
      }
      keeper.arm()
    }
  }

  /// Ends a watch, unless another source is in the same folder.
  private func end(_ watch: Int32) {
    if !self.sources.values.contains(where: { $0.has(watch) }) { self.notices?.end(watch) }
  }

  private func readNotices() {
    for notice in self.notices?.read() ?? [] {
      switch notice {
      case .changed(let watch, let name):
        for (source, kept) in self.sources where kept.has(watch) && kept.path?.concerns(name) == true {
          self.notice(source)
        }
      case .folderChanged(let watch, let name):
        for (source, kept) in self.sources where kept.watch == watch && kept.path?.concerns(folder: name) == true {
          self.watchFolder(of: source)
          self.notice(source)
        }
      case .gone(let watch):
        for (source, kept) in self.sources where kept.has(watch) {
          if kept.watch == watch {
            self.sources[source]?.watch = nil
            self.sources[source]?.inner = []
            for inner in kept.inner { self.end(inner) }
          } else {
            self.sources[source]?.inner.remove(watch)
          }
          self.notices?.end(watch)
          self.watchFolder(of: source)
          self.notice(source)
        }
      case .overflow:
        for source in self.sources.keys { self.notice(source) }
      }
    }
    self.arm()
  }

  private func notice(_ name: String) { self.sources[name]?.schedule.notice(now: self.now) }

  // MARK: - Time

  /// Nanoseconds of the monotonic clock since the keeper was made.
  private var now: Int64 {
    let (seconds, attoseconds) = self.origin.duration(to: .now).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  private func arm() {
    if let timer { self.cancel(timer) }
    self.timer = nil
    guard let due = self.sources.values.filter({ !$0.isRunning }).compactMap(\.schedule.due).min() else { return }
    self.timer = self.schedule(at: self.origin + .nanoseconds(due)) { keeper in
      keeper.timer = nil
      keeper.runDue()
    }
  }

  private func runDue() {
    for (name, kept) in self.sources where !kept.isRunning && (kept.schedule.due ?? .max) <= self.now {
      self.sources[name]?.isRunning = true
      self.sources[name]?.schedule.begin()
      // A folder that reappeared is watched before it is listed: later changes give a notice.
      self.watchFolder(of: name)
      Task {
        let outcome = await self.contacts.syncInBackground(name)
        self.sources[name]?.isRunning = false
        self.sources[name]?.schedule.end(outcome, jitter: .random(in: 0...1), now: self.now)
        self.arm()
      }
    }
    self.arm()
  }
}
