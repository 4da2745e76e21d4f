internal import Bus
internal import Daemon
internal import EventLoop
internal import FoundationEssentials
internal import KithClient
internal import KithMessages
internal import Logging
internal import MQTT
internal import SwiftProtobuf

/// A household at a broker: shows the hub's state, and sends what is pressed to the hub.
///
/// The hub's answer counts, and not the press: what is shown changes when the hub has stored it. While the hub does not answer, the
/// device is offline, so that Home Assistant offers no button that would do nothing.
actor House {
  /// How often the hub is asked whether it is there.
  private static let interval = Duration.seconds(2)
  /// How long a press waits for a hub that has just gone, before it is given up.
  private static let patience = Duration.seconds(30)
  /// How long after an entry it may be taken back.
  static let regret = Duration.seconds(600)
  /// How old an event may be: one of before an interruption would be a phantom.
  private static let fresh: Int64 = 300

  let client: KithClient
  private let broker: Broker
  let topics: HouseTopics
  private let page: String
  let tellsDetails: Bool
  private let logger: Logger
  private let (wishes, wish) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  private var language: CareLanguage?
  // nil before the first look: what was never read is not shown.
  private var state: HouseState?
  /// How many commands were carried out: what was read meanwhile may be of before.
  private var commands = 0
  private var shown: String?
  private var isUp = false
  private var isConnected = false
  private var filter = PressFilter()
  /// What "undo" takes back.
  var lastRecord: Record?

  /// Something that was recorded from here.
  struct Record: Sendable {
    let id: String
    /// Of the care plan; else an entry of care.
    var isDose = false
    let at: ContinuousClock.Instant
  }

  /// Takes the connections to the hub and to the broker.
  ///
  /// - Parameters:
  ///   - page: The address of the family's page; empty = none.
  ///   - tellsDetails: Whether reminders are sent with their titles, which every client of the broker can read.
  init(
    _ client: KithClient, _ broker: Broker, _ topics: HouseTopics, page: String, tellsDetails: Bool, logger: Logger
  ) {
    self.client = client
    self.broker = broker
    self.topics = topics
    self.page = page
    self.tellsDetails = tellsDetails
    self.logger = logger
  }

  /// Runs until the task is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await self.watchHub() }
      tasks.addTask { await self.followEvents() }
      tasks.addTask { await self.followBroker() }
      tasks.addTask { await self.keepShown() }
      tasks.addTask { await self.warnOfSilence() }
    }
  }

  // MARK: - The hub

  private func watchHub() async {
    var isTold = false
    while !Task.isCancelled {
      do throws(Failure) {
        let own = try await self.client.ask(WhoamiRequest(), CallContext(timeout: Self.interval))
        let mayRecord = [.recorder, .admin].contains(own.knownRole)
        if !mayRecord, !isTold {
          self.logger.error(
            "the hub does not let this program record; give it the role recorder", metadata: ["role": "\(own.role)"])
        }
        isTold = !mayRecord
        self.note(isUp: mayRecord)
      } catch {
        if self.isUp {
          self.logger.warning("the hub does not answer", metadata: ["reason": "\(error.reason)"])
        }
        self.note(isUp: false)
      }
      try? await Task.sleep(for: Self.interval)
    }
  }

  private func note(isUp: Bool) {
    guard self.isUp != isUp else { return }
    self.isUp = isUp
    self.showAvailability()
    self.wish.yield()
  }

  private func followEvents() async {
    while !Task.isCancelled {
      do throws(Failure) {
        for try await element in try self.client.events(["system", "sync", "care", "reminders"]) {
          if case .event(let logged) = element { await self.take(logged) }
          self.wish.yield()
        }
      } catch {
        self.logger.debug("events are interrupted", metadata: ["reason": "\(error.reason)"])
      }
      try? await Task.sleep(for: .milliseconds(500))
    }
  }

  private func take(_ logged: LoggedEvent) async {
    guard case .reminder(let reminder)? = logged.event.payload,
      let news = reminder.knownState.flatMap(ReminderNews.init),
      WallClock.nanoseconds() / 1_000_000_000 - logged.header.time.seconds < Self.fresh
    else { return }
    var told = ["event_type": news.rawValue]
    if self.tellsDetails, let title = await self.title(of: reminder.reminderID) { told["title"] = title }
    self.publish(news: told, to: self.topics.reminder)
  }

  /// Tells what happens now, and what a broker does not keep.
  func publish(news: [String: String], to topic: String) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard self.isConnected, let json = try? encoder.encode(news) else { return }
    self.broker.publish(Broker.Message(topic, String(decoding: json, as: UTF8.self)), isNews: true)
  }

  private func title(of id: String) async -> String? {
    let reminders = try? await self.client.ask(ReminderStatusRequest())
    return reminders?.due.first { $0.id == id }?.title
  }

  // MARK: - What is shown

  /// Reads the hub's state whenever something changed, and once a minute, because a day ends without an event.
  private func keepShown() async {
    async let minutes: Void = self.wishEachMinute()
    for await _ in self.wishes {
      if Task.isCancelled { break }
      guard self.isUp, self.isConnected else { continue }
      do throws(Failure) {
        try await self.read()
        self.show()
      } catch {
        self.logger.debug("the state was not read", metadata: ["reason": "\(error.reason)"])
      }
      // Several events of one command are shown once.
      try? await Task.sleep(for: .milliseconds(50))
    }
    await minutes
  }

  private func wishEachMinute() async {
    while !Task.isCancelled {
      self.wish.yield()
      try? await Task.sleep(for: .seconds(60))
    }
    self.wish.finish()
  }

  private func read() async throws(Failure) {
    let before = self.commands
    var state = HouseState()
    let backups = try await self.client.askIfServed(ListBackupsRequest()) ?? BackupState()
    state.take(try await self.client.ask(StatusRequest()), backups, now: .now())
    state.take(try await self.client.ask(ReminderStatusRequest()))
    var today = CareSummaryRequest()
    today.short = true
    state.today = Int(try await self.client.ask(today).records)
    for category in CareCategory.allCases {
      var newest = ListCareRequest()
      newest.knownCategory = category
      newest.limit = 1
      if let record = try await self.client.ask(newest).records.first { state.take(record) }
    }
    state.plan = try await self.readPlan()
    let language = CareLanguage(named: try await self.client.ask(CareSettingsRequest()).language) ?? .english
    guard before == self.commands else {
      self.wish.yield()
      return
    }
    let isFirst = self.state == nil
    let isOther = language != self.language || state.plan?.entities != self.state?.plan?.entities
    self.state = state
    if isOther {
      self.language = language
      self.showDevice()
    }
    if isFirst { self.showAvailability() }
  }

  /// Publishes everything: to a broker that may have lost it, and to a Home Assistant that has just started.
  private func showAll() {
    self.shown = nil
    self.showDevice()
    self.show()
    self.showAvailability()
    self.wish.yield()
  }

  private func showDevice() {
    guard self.isConnected, let language = self.language else { return }
    let device = HouseDevice(
      topics: self.topics, language: language, version: SoftwareVersion.current, page: self.page,
      plan: self.state?.plan)
    self.broker.publish(Broker.Message(self.topics.device, device.json, isRetained: true))
  }

  private func showAvailability() {
    guard self.isConnected else { return }
    let isOnline = self.isUp && self.state != nil
    self.broker.publish(
      isOnline ? Broker.Message(self.topics.availability, "online", isRetained: true) : self.topics.offline)
  }

  private func show() {
    guard self.isConnected, let json = self.state?.json, json != self.shown else { return }
    self.shown = json
    self.broker.publish(Broker.Message(self.topics.state, json, isRetained: true))
  }

  // MARK: - The broker

  private func followBroker() async {
    for await event in self.broker.events {
      switch event {
      case .connected:
        self.isConnected = true
        self.logger.info("connected to the broker")
        self.broker.subscribe(self.topics.commands)
        for topic in self.topics.births { self.broker.subscribe(topic) }
        self.showAll()
      case .refused(let why): self.logger.warning("the broker refused the connection", metadata: ["why": "\(why)"])
      case .disconnected:
        if self.isConnected { self.logger.warning("the connection to the broker is lost; it is made again") }
        self.isConnected = false
      case .received(let message): await self.receive(message)
      }
    }
  }

  /// Tells once of a broker that cannot be reached: who set it up looks into the log.
  private func warnOfSilence() async {
    try? await Task.sleep(for: .seconds(10))
    guard !Task.isCancelled, !self.isConnected else { return }
    self.logger.warning(
      "the broker does not answer; compare address, port and certificates. It is tried again and again")
  }

  private func receive(_ message: Broker.Message) async {
    let pressedAt = WallClock.nanoseconds()
    if self.topics.births.contains(message.topic) {
      if message.payload == Array("online".utf8) { self.showAll() }
      return
    }
    // A retained command is an old one, which somebody left at the broker.
    guard !message.isRetained, let name = self.topics.name(ofCommand: message.topic),
      let press = Press(message.payload), let command = HouseCommand(name: name, press)
    else { return self.logger.warning("a message was ignored", metadata: ["topic": "\(message.topic.prefix(200))"]) }
    guard self.filter.take(name, press, at: .now) else {
      return self.logger.info("a second press right after the first was ignored", metadata: ["command": "\(name)"])
    }
    self.logger.info("a press", metadata: ["command": "\(name)"])
    do throws(Failure) {
      try await self.insist(command, key: press.key(name, arrival: UUIDv7.make().text), pressedAt: pressedAt)
    } catch {
      self.filter.release(name)
      self.logger.error(
        "a command was not carried out", metadata: ["command": "\(name)", "why": "\(error.message)"])
    }
    self.commands += 1
    // What was pressed may show something that is not so, such as a switch.
    self.shown = nil
    try? await self.read()
    self.show()
  }

  /// Runs a command; again while the hub is away, which may be a restart.
  ///
  /// - Parameter pressedAt: When, in nanoseconds since 1970.
  private func insist(_ command: HouseCommand, key: String, pressedAt: Int64) async throws(Failure) {
    let end = ContinuousClock.now + Self.patience
    if command.isNewest { self.lastRecord = nil }
    var due = command.isAboutReminders ? nil : [DueReminder]()
    while true {
      do throws(Failure) {
        let reminders = if let due { due } else { try await self.dueReminders() }
        due = reminders
        return try await self.run(command, about: reminders, key: key, pressedAt: pressedAt)
      } catch {
        guard error.code == .unavailable, .now < end, !Task.isCancelled else { throw error }
        try? await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  /// What is due when a button is pressed. While the hub is away, it is what was shown last: nobody has pressed for what comes due
  /// meanwhile.
  private func dueReminders() async throws(Failure) -> [DueReminder] {
    do throws(Failure) {
      return try await self.client.ask(ReminderStatusRequest(), CallContext(timeout: Self.interval)).due
        .map(DueReminder.init)
    } catch {
      guard let state, [.unavailable, .deadlineExceeded].contains(error.code) else { throw error }
      return state.reminders
    }
  }

  /// Runs a command once. What the hub has recorded before is no news, unless it did so since the press: then its first answer was lost.
  ///
  /// - Parameter pressedAt: When, in nanoseconds since 1970.
  private func run(
    _ command: HouseCommand, about due: [DueReminder], key: String, pressedAt: Int64
  ) async throws(Failure) {
    let context = CallContext(idempotencyKey: key, timeout: Self.patience)
    switch command {
    case .record(let category, let memo):
      var request = RecordCareRequest()
      request.category = category.rawValue
      request.memo = memo
      let answer = try await self.client.call(request, context)
      let record = answer.reply.record
      if !answer.isReplayed || record.createdAt.nanosecondsSince1970 >= pressedAt {
        self.lastRecord = Record(id: record.id, at: .now)
      }
    case .give(let key): try await self.give(key, context, pressedAt: pressedAt)
    case .undo:
      guard let last = self.lastRecord, .now - last.at < Self.regret else { return }
      if last.isDose {
        _ = try await self.client.call(UndoDoseRequest.with { $0.id = last.id }, context)
      } else {
        _ = try await self.client.call(DeleteCareRequest.with { $0.id = last.id }, context)
      }
      self.lastRecord = nil
    case .daily(let enabled):
      _ = try await self.client.setDaily(enabled, context)
    case .done, .snooze, .skip:
      for reminder in due where command.answers(reminder) {
        // Each reminder is a command of its own, with a key of its own.
        try await self.answer(reminder.id, command, context.with(part: reminder.id))
      }
    }
  }

  private func answer(_ id: String, _ command: HouseCommand, _ context: CallContext) async throws(Failure) {
    switch command {
    case .done: _ = try await self.client.call(DoneReminderRequest.with { $0.id = id }, context)
    case .skip: _ = try await self.client.call(SkipReminderRequest.with { $0.id = id }, context)
    case .snooze:
      do throws(Failure) {
        _ = try await self.client.call(SnoozeReminderRequest.with { $0.id = id }, context)
      } catch {
        // Somebody else has answered it meanwhile.
        guard error.reason == "NOT_DUE" else { throw error }
      }
    default: break
    }
  }
}
