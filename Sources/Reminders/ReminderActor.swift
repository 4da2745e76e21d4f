public import Bus
internal import CivilTime
public import EventLoop
public import KithMessages
public import Logging
public import Secrets
public import Storage

/// Reminds people: to record care once a day, of what the care plan says, to call someone, and of dates kept with a person. Manages the
/// channels for messages.
///
/// A due reminder is an event, and a row that stays until a person handles it. The same commit queues it for the
/// channels in the settings; ``DeliveryEngine`` sends it.
public actor ReminderActor {
  let storage: StorageActor
  let secrets: any SecretStore
  let engine: DeliveryEngine
  let links: ReminderLinks
  let now: @Sendable () -> Int64
  let systemZone: @Sendable () -> Zone
  let nameOfPerson: @Sendable (String) async throws(Failure) -> String
  /// The channels for every reminder, besides those of browsers.
  let always: [String]
  /// Hosts of push services that the configuration allows.
  let pushServices: Set<String>
  private let alarm: WallAlarm?
  private let logger: Logger
  private var work: Task<Void, Never>?
  private var isWanted = false
  /// Names of channels that are being added, removed or given a secret: a secret and its channel are stored one after
  /// the other.
  var busyChannels: Set<String> = []
  private var isStopping = false
  /// Whether reminders of people may have changed since the last check.
  private var isPeopleStale = true
  /// When there is something to say of the care plan next.
  private var nextOfPlan: Int64?

  /// Makes an actor that does nothing before ``start()``.
  ///
  /// - Parameters:
  ///   - storage: The store.
  ///   - delivery: The port to `kith.v1.Delivery`.
  ///   - secrets: The store of the channels' secrets.
  ///   - alarm: Calls the actor when a reminder is due; nil if the owner calls ``tick()``.
  ///   - pushServices: Hosts of push services besides those of the known browsers.
  ///   - showsOnDesktop: True to show every reminder on the desktop of the user who runs the daemon.
  ///   - door: Returns the address of kith-web for people; empty = unknown.
  ///   - nameOfPerson: Returns the name of a person by id. Throws `NOT_FOUND/RECORD_UNKNOWN`.
  ///   - now: Returns the time of day in nanoseconds since 1970.
  ///   - sleep: Waits for a number of nanoseconds between delivery attempts.
  public init(
    storage: StorageActor, delivery: any Port, secrets: any SecretStore, alarm: WallAlarm?, showsOnDesktop: Bool,
    pushServices: Set<String> = [], logger: Logger, door: @escaping @Sendable () async -> String = { "" },
    nameOfPerson: @escaping @Sendable (String) async throws(Failure) -> String,
    now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds,
    sleep: @escaping @Sendable (Int64) async -> Void = { try? await Task.sleep(for: .nanoseconds($0)) }
  ) {
    self.storage = storage
    self.secrets = secrets
    self.alarm = alarm
    self.always = showsOnDesktop ? [ChannelTable<ReadView>.desktop] : []
    self.pushServices = pushServices
    self.logger = logger
    self.nameOfPerson = nameOfPerson
    self.now = now
    self.systemZone = Zone.system
    self.links = ReminderLinks(secrets, door: door)
    self.engine = DeliveryEngine(
      storage: storage, delivery: delivery, secrets: secrets, links: self.links, logger: logger, now: now, sleep: sleep)
  }

  /// Handles reminders that became due while this machine was off, sends queued messages, and waits for the next.
  public func start() async {
    // What somebody answered or recorded before the process ended needs no message.
    try? await self.acknowledgeRecording()
    self.wake()
    await self.work?.value
    await self.engine.look()
    await self.alarm?.connect { [weak self] in
      guard let self else { return }
      Task { await self.wake() }
    }
    self.wake()
  }

  /// Stops waiting, and cancels running deliveries; they continue after the next start.
  public func stop() async {
    self.isStopping = true
    self.alarm?.set(nil)
    await self.work?.value
    await self.engine.stop()
  }

  /// Handles committed events: recorded care ends the due reminder, what was given of the plan ends its own, and queued messages are sent.
  public nonisolated func handle(events: [LoggedEvent]) {
    let isCare = events.contains { $0.header.stream == EventStream.care.name }
    let isQueued = events.contains { $0.event.delivery.knownState == .pending }
    let isPeople = events.contains {
      $0.header.stream == EventStream.people.name && $0.event.changed.kind == RecordKind.reminder.name
    }
    // If this fails, the reminder stays due, which does no harm.
    if isCare { Task { try? await self.acknowledgeRecording() } }
    if isQueued { Task { await self.engine.look() } }
    if isPeople { Task { await self.lookAtPeople() } }
    if events.contains(where: \.isOfPlan) { Task { await self.wake() } }
  }

  /// Checks the reminders of people again.
  func lookAtPeople() {
    self.isPeopleStale = true
    self.wake()
  }

  /// Checks now what is due: a reminder's time has come, the clock was set, or a setting has changed.
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
        next = [try await self.next(), self.nextOfPlan].compactMap(\.self).min()
      } catch {
        self.logger.error("reminders wait for the store", metadata: ["error": "\(error)"])
      }
      // The kernel reports a clock that was set, but not a machine that moved to another time zone.
      self.alarm?.set(min(next ?? .max, self.now() + Self.longestWait))
    }
    self.work = nil
  }

  /// Handles everything that is due.
  ///
  /// - Throws: A failure of the store.
  func tick() async throws(Failure) {
    let (now, systemZone, always) = (self.now(), self.systemZone(), self.always)
    let isPeopleStale = self.isPeopleStale
    self.isPeopleStale = false
    let come: [Reminder]
    do throws(Failure) {
      (come, self.nextOfPlan) = try await self.storage.write { transaction throws(Failure) in
        let zone = try transaction.reminders.daily().zone ?? systemZone
        var come = try transaction.dealWithDailyReminder(now: now, systemZone: systemZone)
        come += try transaction.dealWithRipeReminders(now: now)
        let plan = try transaction.dealWithPlan(now: now, always: always)
        come += plan.come
        let isNewDay = try transaction.reminders.lastDayOfPersonReminders() != zone.day(at: now).description
        if isPeopleStale || isNewDay { come += try transaction.dealWithPersonReminders(now: now, zone: zone) }
        try transaction.queueDeliveries(of: come, always: always, now: now, zone: zone)
        return (come, plan.next)
      }
    } catch {
      self.isPeopleStale = true
      throw error
    }
    for reminder in come {
      self.logger.info("reminder", metadata: ["id": "\(reminder.id)", "kind": "\(reminder.kind)"])
    }
  }

  /// Ends the due reminder if care was recorded since it came. Entries that were only corrected or deleted since do not
  /// count.
  ///
  /// - Throws: A failure of the store.
  public func acknowledgeRecording() async throws(Failure) {
    let now = self.now()
    try await self.storage.write { transaction throws(Failure) in
      guard let reminder = try transaction.reminders.openDaily().last, let entry = try transaction.care.lastMade(),
        !entry.hasDeletedAt, entry.createdAt.nanosecondsSince1970 >= reminder.due.nanosecondsSince1970
      else { return }
      try transaction.endDailyReminders(as: .done, now: now)
      var daily = try transaction.reminders.daily()
      daily.knownLastOutcome = .acknowledged
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
      // Today's time if it is still to come, else tomorrow's.
      let people =
        settings.noPersonReminders
        ? nil
        : [today, today.adding(days: 1)].compactMap { zone.instant(of: $0, at: settings.timeOfPersonReminders) }
          .first { $0 > now }
      return [daily.schedule?.next(in: zone), try view.reminders.next(), people].compactMap(\.self).min()
    }
  }

  /// One minute.
  private static let longestWait: Int64 = 60_000_000_000
}

extension LoggedEvent {
  /// Whether the care plan, or what was recorded of it, has changed.
  fileprivate var isOfPlan: Bool {
    self.header.stream == EventStream.care.name && ["plan", "dose"].contains(self.event.changed.kind)
  }
}
