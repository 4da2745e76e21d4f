public import Bus
internal import CivilTime
public import EventLoop
public import KithMessages
public import Logging
public import Secrets
public import Storage

/// Reminds: once a day to record care, to call people, and of what is kept with them. Keeps the channels that messages go over.
///
/// What is due is an event and a row that stays until somebody deals with it. In the same commit it is queued for the channels
/// that the settings name; ``DeliveryEngine`` brings it there.
public actor ReminderActor {
  let storage: StorageActor
  let secrets: any SecretStore
  let engine: DeliveryEngine
  let now: @Sendable () -> Int64
  let systemZone: @Sendable () -> Zone
  let nameOfPerson: @Sendable (String) async throws(Failure) -> String
  /// The channels that every reminder goes over.
  let always: [String]
  private let alarm: WallAlarm?
  private let logger: Logger
  private var work: Task<Void, Never>?
  private var isWanted = false
  /// Names of channels that are being added, removed or given a secret: a secret and its channel change one after the other.
  var busyChannels: Set<String> = []
  private var isStopping = false
  /// Whether what is kept with people may have changed since it was last looked at.
  private var isPeopleStale = true

  /// Makes an actor that does nothing before ``start()``.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - delivery: The way to `kith.v1.Delivery`.
  ///   - secrets: Where the secrets of channels are kept.
  ///   - alarm: Wakes it when something is due; nil = whoever made it calls ``tick()``.
  ///   - showsOnDesktop: Whether every reminder is shown on the desktop of whoever runs the daemon.
  ///   - nameOfPerson: The name of a person by id. Throws `NOT_FOUND/RECORD_UNKNOWN`.
  ///   - now: Gives the time of day in nanoseconds since 1970.
  ///   - sleep: Waits for so many nanoseconds, between attempts to deliver.
  public init(
    storage: StorageActor, delivery: any Port, secrets: any SecretStore, alarm: WallAlarm?, showsOnDesktop: Bool,
    logger: Logger, nameOfPerson: @escaping @Sendable (String) async throws(Failure) -> String,
    now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds,
    sleep: @escaping @Sendable (Int64) async -> Void = { try? await Task.sleep(for: .nanoseconds($0)) }
  ) {
    self.storage = storage
    self.secrets = secrets
    self.alarm = alarm
    self.always = showsOnDesktop ? [ChannelTable<ReadView>.desktop] : []
    self.logger = logger
    self.nameOfPerson = nameOfPerson
    self.now = now
    self.systemZone = Zone.system
    self.engine = DeliveryEngine(storage: storage, delivery: delivery, logger: logger, now: now, sleep: sleep)
  }

  /// Deals with what came due while this machine was off, sends what was queued, and goes on from there.
  public func start() async {
    await self.engine.look()
    await self.alarm?.connect { [weak self] in
      guard let self else { return }
      Task { await self.wake() }
    }
    self.wake()
  }

  /// Ends the waiting, and what is being sent: it goes on at the next start.
  public func stop() async {
    self.isStopping = true
    self.alarm?.set(nil)
    await self.work?.value
    await self.engine.stop()
  }

  /// Handles committed events: recorded care ends the due reminder, and queued messages are sent.
  public nonisolated func handle(events: [LoggedEvent]) {
    let isCare = events.contains { $0.header.stream == EventStream.care.name }
    let isQueued = events.contains { $0.event.delivery.state == "pending" }
    let isPeople = events.contains {
      $0.header.stream == EventStream.people.name && $0.event.changed.kind == RecordKind.reminder.name
    }
    // A reminder that stays due is no loss.
    if isCare { Task { try? await self.acknowledgeRecording() } }
    if isQueued { Task { await self.engine.look() } }
    if isPeople { Task { await self.lookAtPeople() } }
  }

  /// Looks at what is kept with people once more.
  func lookAtPeople() {
    self.isPeopleStale = true
    self.wake()
  }

  /// Looks at the clock now: its time has come, it was set, or a setting was changed.
  func wake() {
    self.isWanted = true
    guard self.work == nil, !self.isStopping else { return }
    self.work = Task { await self.run() }
  }

  private func run() async {
    while self.isWanted, !self.isStopping {
      self.isWanted = false
      var next: Int64?
      do throws(Failure) {
        try await self.tick()
        next = try await self.next()
      } catch {
        self.logger.error("reminders wait for the store", metadata: ["error": "\(error)"])
      }
      // The kernel tells of a clock that was set, but not of a machine that has moved to another zone.
      self.alarm?.set(min(next ?? .max, self.now() + Self.longestWait))
    }
    self.work = nil
  }

  /// Deals with everything whose time has come.
  ///
  /// - Throws: A failure of the store.
  func tick() async throws(Failure) {
    let (now, systemZone, always) = (self.now(), self.systemZone(), self.always)
    let isPeopleStale = self.isPeopleStale
    self.isPeopleStale = false
    let come: [Reminder]
    do throws(Failure) {
      come = try await self.storage.write { transaction throws(Failure) in
        let zone = try transaction.reminders.daily().zone ?? systemZone
        var come = try transaction.dealWithDailyReminder(now: now, systemZone: systemZone)
        come += try transaction.dealWithRipeReminders(now: now)
        let isNewDay = try transaction.reminders.lastDayOfPersonReminders() != zone.day(at: now).description
        if isPeopleStale || isNewDay { come += try transaction.dealWithPersonReminders(now: now, zone: zone) }
        _ = try transaction.queueDeliveries(of: come, always: always, now: now, zone: zone)
        return come
      }
    } catch {
      self.isPeopleStale = true
      throw error
    }
    for reminder in come {
      self.logger.info("reminder", metadata: ["id": "\(reminder.id)", "kind": "\(reminder.kind)"])
    }
  }

  /// Whoever has recorded care since the reminder came needs it no more. What was corrected or deleted since does not count.
  ///
  /// - Throws: A failure of the store.
  public func acknowledgeRecording() async throws(Failure) {
    let now = self.now()
    try await self.storage.write { transaction throws(Failure) in
      guard let reminder = try transaction.reminders.openDaily().last, let entry = try transaction.care.lastMade(),
        !entry.hasDeletedAt, entry.createdAt.nanosecondsSince1970 >= reminder.due.nanosecondsSince1970
      else { return }
      try transaction.endDailyReminders(as: "done", now: now)
      var daily = try transaction.reminders.daily()
      daily.lastOutcome = "acknowledged"
      try transaction.reminders.setDaily(daily)
    }
  }

  private func next() async throws(Failure) -> Int64? {
    let (systemZone, now) = (self.systemZone(), self.now())
    return try await self.storage.read { view throws(Failure) in
      let daily = try view.reminders.daily()
      let zone = daily.zone ?? systemZone
      let settings = try view.reminders.settings()
      let today = zone.day(at: now)
      // Of today when that is still to come, else of tomorrow.
      let people =
        settings.noPersonReminders
        ? nil
        : [today, today.adding(days: 1)].compactMap { zone.instant(of: $0, at: settings.timeOfPersonReminders) }
          .first { $0 > now }
      return [daily.schedule?.next(in: zone), try view.reminders.next(), people].compactMap(\.self).min()
    }
  }

  /// A minute.
  private static let longestWait: Int64 = 60_000_000_000
}
