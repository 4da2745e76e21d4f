public import Bus
internal import CivilTime
internal import EventLoop
internal import KithMessages
public import Logging
public import Storage

/// Reminds: once a day to record care, and to call people.
///
/// What is due is an event and a row that stays until somebody deals with it. Whoever shows notifications is asked too.
public actor ReminderActor {
  let storage: StorageActor
  let now: @Sendable () -> Int64
  let systemZone: @Sendable () -> Zone
  let nameOfPerson: @Sendable (String) async throws(Failure) -> String
  private let notifier: DesktopNotifier?
  private let logger: Logger
  private let sleep: @Sendable (Int64) async -> Void
  private var work: Task<Void, Never>?
  private var pause: Task<Void, Never>?

  /// Makes an actor.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - notifier: Shows notifications; nil = nobody does.
  ///   - nameOfPerson: The name of a person by id. Throws `NOT_FOUND/RECORD_UNKNOWN`.
  ///   - now: Gives the time of day in nanoseconds since 1970.
  ///   - sleep: Waits for so many nanoseconds.
  public init(
    storage: StorageActor, notifier: DesktopNotifier?, logger: Logger,
    nameOfPerson: @escaping @Sendable (String) async throws(Failure) -> String,
    now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds,
    sleep: @escaping @Sendable (Int64) async -> Void = { try? await Task.sleep(for: .nanoseconds($0)) }
  ) {
    self.storage = storage
    self.notifier = notifier
    self.logger = logger
    self.nameOfPerson = nameOfPerson
    self.now = now
    self.systemZone = Zone.system
    self.sleep = sleep
  }

  /// Deals with what came due while this machine was off, and goes on from there.
  public func start() {
    guard self.work == nil else { return }
    self.work = Task { await self.run() }
  }

  /// Ends the waiting.
  public func stop() async {
    self.work?.cancel()
    self.pause?.cancel()
    await self.work?.value
  }

  /// Looks at the clock now: something was set.
  func wake() { self.pause?.cancel() }

  /// The clock on the wall may jump, and the machine may sleep: so the wait is short, whatever comes next.
  private func run() async {
    while !Task.isCancelled {
      var wait = Self.longestWait
      do throws(Failure) {
        try await self.tick()
        if let next = try await self.next() { wait = min(wait, max(0, next - self.now())) }
      } catch {
        self.logger.error("reminders wait for the store", metadata: ["error": "\(error)"])
      }
      let pause = Task { [sleep, wait] in await sleep(wait) }
      self.pause = pause
      await withTaskCancellationHandler {
        await pause.value
      } onCancel: {
        pause.cancel()
      }
    }
  }

  /// Deals with everything whose time has come.
  ///
  /// - Throws: A failure of the store.
  func tick() async throws(Failure) {
    let (now, zone) = (self.now(), self.systemZone())
    let come = try await self.storage.write { transaction throws(Failure) in
      try transaction.dealWithDailyReminder(now: now, systemZone: zone) + transaction.dealWithRipeReminders(now: now)
    }
    for reminder in come {
      self.logger.info("reminder", metadata: ["id": "\(reminder.id)", "kind": "\(reminder.kind)"])
      await self.notifier?.show(reminder)
    }
  }

  /// Whoever has recorded care since the reminder came needs it no more. What was corrected or deleted since does not count.
  ///
  /// - Throws: A failure of the store.
  public func acknowledgeRecording() async throws(Failure) {
    let now = self.now()
    let isAnswered = try await self.storage.read { view throws(Failure) in
      guard let reminder = try view.reminders.openDaily().last, let entry = try view.care.lastMade() else {
        return false
      }
      return !entry.hasDeletedAt
        && entry.createdAt.nanosecondsSince1970 >= reminder.due.nanosecondsSince1970
    }
    guard isAnswered else { return }
    try await self.storage.write { transaction throws(Failure) in
      try transaction.endDailyReminders(as: "done", now: now)
      var daily = try transaction.reminders.daily()
      daily.lastOutcome = "acknowledged"
      try transaction.reminders.setDaily(daily)
    }
  }

  private func next() async throws(Failure) -> Int64? {
    let zone = self.systemZone()
    return try await self.storage.read { view throws(Failure) in
      let daily = try view.reminders.daily()
      return [daily.schedule?.next(in: daily.zone ?? zone), try view.reminders.next()].compactMap(\.self).min()
    }
  }

  var deliveryWord: String { self.notifier == nil ? "events" : "desktop" }

  private static let longestWait: Int64 = 30_000_000_000
}
