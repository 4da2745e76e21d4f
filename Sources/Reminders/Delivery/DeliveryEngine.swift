internal import Bus
internal import KithMessages
internal import Logging
internal import Secrets
internal import Storage

/// Sends queued messages: one at a time on each channel, in order, all channels in parallel.
///
/// The start of an attempt is committed before it, and its outcome after it. If the process ends between the two, the
/// next process sends the same message again under the same id.
actor DeliveryEngine {
  private let storage: StorageActor
  private let delivery: any Port
  private let secrets: any SecretStore
  private let links: ReminderLinks
  private let now: @Sendable () -> Int64
  private let chance: @Sendable () -> Double
  private let sleep: @Sendable (Int64) async -> Void
  private let logger: Logger
  private var attempts: [String: Task<Void, Never>] = [:]
  private var pause: Task<Void, Never>?
  private var isStopping = false
  private var (isLooking, isLookWanted) = (false, false)

  /// Makes an engine that does nothing before ``look()``.
  ///
  /// - Parameters:
  ///   - delivery: The port to `kith.v1.Delivery`.
  ///   - secrets: The store of the channels' secrets.
  ///   - links: Makes what a message offers to do.
  ///   - chance: Returns numbers from 0 to 1.
  ///   - sleep: Waits for a number of nanoseconds.
  init(
    storage: StorageActor, delivery: any Port, secrets: any SecretStore, links: ReminderLinks, logger: Logger,
    now: @escaping @Sendable () -> Int64,
    chance: @escaping @Sendable () -> Double = { .random(in: 0...1) },
    sleep: @escaping @Sendable (Int64) async -> Void
  ) {
    self.storage = storage
    self.delivery = delivery
    self.secrets = secrets
    self.links = links
    self.logger = logger
    self.now = now
    self.chance = chance
    self.sleep = sleep
  }

  /// Cancels running attempts; they are repeated after the next start.
  func stop() async {
    self.isStopping = true
    self.pause?.cancel()
    for attempt in self.attempts.values { attempt.cancel() }
    for attempt in Array(self.attempts.values) { await attempt.value }
  }

  /// Makes the only attempt of a delivery now, ahead of messages that wait for its channel.
  ///
  /// - Returns: The delivery after the attempt.
  func attemptNow(_ entry: DeliveryEntry) async throws(Failure) -> DeliveryEntry {
    while let running = self.attempts[entry.channel] { await running.value }
    guard !self.isStopping else { throw .cancelled }
    let attempt = Task { await self.attempt(entry.id, on: entry.channel) }
    self.attempts[entry.channel] = attempt
    await attempt.value
    return try await self.storage.read { view throws(Failure) in try view.deliveries.require(entry.id) }
  }

  /// Starts every delivery that is due, and schedules a call at the time of the next. Calls run one at a time: two
  /// would both find an attempt without a task, and the second would restart what the first has started.
  func look() async {
    self.isLookWanted = true
    guard !self.isLooking else { return }
    self.isLooking = true
    while self.isLookWanted, !self.isStopping {
      self.isLookWanted = false
      await self.lookOnce()
    }
    self.isLooking = false
  }

  private func lookOnce() async {
    self.pause?.cancel()
    let heads: [DeliveryEntry]
    do throws(Failure) {
      heads = try await self.heads()
    } catch {
      self.logger.error("deliveries wait for the store", metadata: ["reason": "\(error.reason)"])
      return self.comeBack(in: Self.longPause)
    }
    guard !self.isStopping else { return }
    let now = self.now()
    var next: Int64?
    for head in heads where self.attempts[head.channel] == nil {
      if head.isDue(at: now) {
        self.attempts[head.channel] = Task { await self.attempt(head.id, on: head.channel) }
      } else if let due = head.due {
        next = min(next ?? .max, due.at)
      }
    }
    if let next { self.comeBack(in: min(max(0, next - now), Self.longPause)) }
  }

  /// The first message of each channel. Messages marked as sending that no task owns are sent again: the last process
  /// ended during the attempt, or the store refused to record the outcome.
  private func heads() async throws(Failure) -> [DeliveryEntry] {
    let heads = try await self.storage.read { view throws(Failure) in try view.deliveries.heads() }
    let left = heads.filter { $0.knownState == .sending && self.attempts[$0.channel] == nil }.map(\.id)
    guard !left.isEmpty else { return heads }
    let now = self.now()
    return try await self.storage.write { transaction throws(Failure) in
      for id in left {
        var entry = try transaction.deliveries.require(id)
        guard entry.knownState == .sending else { continue }
        entry.resume(at: now)
        try transaction.replaceOutdated(&entry)
        try transaction.deliveries.put(entry, now: now)
      }
      try transaction.renewMissed(now: now)
      return try transaction.deliveries.heads()
    }
  }

  private func comeBack(in span: Int64) {
    self.pause?.cancel()
    self.pause = Task { [sleep] in
      await sleep(span)
      guard !Task.isCancelled else { return }
      await self.lookAfterPause()
    }
  }

  /// Runs in the pause's own task, so it clears `pause` first: ``look()`` cancels the pause, and that would cancel its
  /// own reads.
  private func lookAfterPause() async {
    self.pause = nil
    await self.look()
  }

  private func attempt(_ id: String, on channel: String) async {
    var isStored = true
    do throws(Failure) {
      try await self.carryOut(id)
    } catch {
      isStored = false
      self.logger.error("a delivery waits for the store", metadata: ["id": "\(id)", "reason": "\(error.reason)"])
    }
    self.attempts[channel] = nil
    guard isStored else { return self.comeBack(in: Self.longPause) }
    await self.look()
  }

  private func carryOut(_ id: String) async throws(Failure) {
    let now = self.now()
    let attempt = try await self.storage.write {
      transaction throws(Failure) -> (DeliverRequest, CallContext)? in
      var entry = try transaction.deliveries.require(id)
      guard entry.isDue(at: now) else { return nil }
      let name = entry.nextAttempt
      if entry.isOutOfDate(at: now), try !transaction.hasEnd(name) {
        entry.lapse()
        try transaction.deliveries.put(entry, now: now)
        return nil
      }
      entry.begin(at: now)
      guard let channel = try transaction.channels.find(entry.channel),
        let notice = try transaction.deliveries.notice(of: id)
      else {
        entry.settle(.failure(Self.channelGone), at: now, chance: 0)
        try transaction.deliveries.put(entry, now: now)
        return nil
      }
      try transaction.deliveries.put(entry, now: now)
      var request = DeliverRequest()
      request.id = id
      request.channel = channel
      request.notice = notice
      request.secretName = ChannelSecret.name(of: channel.name)
      return (request, CallContext(idempotencyKey: name))
    }
    guard let (draft, context) = attempt else { return }
    let request = await self.linked(draft)
    FaultPoint.deliveryBegun.pass()
    let outcome: Result<DeliverReply, Failure>
    do throws(Failure) {
      // The same key until the outcome is stored: if a worker delivers, the restarted hub finds its result.
      outcome = .success(try await self.delivery.ask(request, context))
    } catch {
      // Cancelled: the next request for the same attempt shows whether the message arrived.
      guard !Task.isCancelled else { return }
      guard error.reason != "SHUTTING_DOWN" else { throw error }
      outcome = .failure(error)
    }
    FaultPoint.deliverySent.pass()
    let (end, chance) = (self.now(), self.chance())
    let (entry, hasEnded) = try await self.storage.write { transaction throws(Failure) -> (DeliveryEntry, Bool) in
      var entry = try transaction.deliveries.require(id)
      // Its channel may have been removed meanwhile.
      guard entry.knownState == .sending else { return (entry, false) }
      entry.settle(outcome, at: end, chance: chance)
      try transaction.replaceOutdated(&entry)
      try transaction.deliveries.put(entry, now: end)
      try transaction.renewMissed(now: end)
      // Later reminders would fail as well, until the device subscribes again.
      guard case .failure(let failure) = outcome, failure.reason == "PUSH_ENDED",
        try transaction.channels.find(entry.channel)?.push.endpoint == request.channel.push.endpoint
      else { return (entry, false) }
      _ = try transaction.deliveries.discardWaiting(on: entry.channel, now: end)
      try transaction.channels.remove(entry.channel)
      return (entry, true)
    }
    if hasEnded { try? await self.secrets.forget(ChannelSecret.name(of: entry.channel)) }
    FaultPoint.deliveryStored.pass()
    self.logger.info(
      "delivery",
      metadata: [
        "id": "\(id)", "channel": "\(entry.channel)", "state": "\(entry.state)", "reason": "\(entry.error.reason)",
      ])
  }

  /// A message about a reminder with what can be done about it, where its channel shows buttons. Without them it is sent all the same.
  private func linked(_ draft: DeliverRequest) async -> DeliverRequest {
    guard case .ntfy? = draft.channel.kind else { return draft }
    let id = draft.id
    var request = draft
    do throws(Failure) {
      let about = try await self.storage.read { view throws(Failure) -> (Reminder, ReminderWords)? in
        let name = try view.deliveries.require(id).reminderID
        guard !name.isEmpty, let reminder = try view.reminders.get(name) else { return nil }
        return (reminder, try ReminderWords("", view))
      }
      guard let (reminder, words) = about else { return draft }
      try await self.links.add(to: &request.notice, about: reminder, words)
    } catch {
      self.logger.warning("a message has no links", metadata: ["id": "\(id)", "reason": "\(error.reason)"])
      return draft
    }
    return request
  }

  private static let channelGone = Failure(
    .notFound, "CHANNEL_GONE", "The channel of this message no longer exists.")
  /// One minute: the clock may be set during the pause.
  private static let longPause: Int64 = 60_000_000_000
}

extension Transaction {
  /// Whether a worker has finished an attempt that the last process started: then requesting it again sends nothing. A
  /// running attempt may be lost with its worker, and would then be given to another one.
  fileprivate func hasEnd(_ attempt: String) throws(Failure) -> Bool {
    let job = try self.jobs.kept(under: JobRecord.key(DeliverRequest.method, named: attempt))
    return job.map { [.done, .failed, .dead, .unknown].contains($0.state) } ?? false
  }
}
