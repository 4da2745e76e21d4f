internal import Bus
internal import BusZeroMQ
internal import KithMessages
internal import Logging
internal import Storage
internal import SwiftProtobuf
internal import ZeroMQ

/// The methods of `kith.v1.Keys`: which machines may connect, and with which role.
///
/// The store has the keys. ``AccessPolicy`` has a copy, renewed after each commit that changes them.
actor KeysActor {
  private static let day: Int64 = 86_400 * 1_000_000_000
  private static let defaultOverlap = 7 * KeysActor.day
  /// How long a pending key is kept while there is room for others, and when there is none.
  private static let waiting = (usual: KeysActor.day, full: Int64(600) * 1_000_000_000)
  /// How often a key's last connection is stored.
  private static let seenEvery = Duration.seconds(60)
  private static let turn = Duration.seconds(30)

  private let storage: StorageActor
  private let access: AccessPolicy
  private let tcp: TCPAccess
  private let logger: Logger
  private let attempts: AsyncStream<AccessPolicy.AccessAttempt>
  private var seenAt: [CurveKey: ContinuousClock.Instant] = [:]
  private var work: [Task<Void, Never>] = []
  private var sleeper: Task<Void?, Never>?
  private var changes = 0
  private var renewals = NewestReading()
  /// Whether a key was revoked and connections were not cut yet.
  private var owesCut = false

  /// Creates the actor; no key is known before ``start(serving:)``.
  init(storage: StorageActor, access: AccessPolicy, tcp: TCPAccess, logger: Logger) {
    self.storage = storage
    self.access = access
    self.tcp = tcp
    self.logger = logger
    let (attempts, continuation) = AsyncStream<AccessPolicy.AccessAttempt>.makeStream(
      bufferingPolicy: .bufferingNewest(256))
    self.attempts = attempts
    access.onAccessAttempt { continuation.yield($0) }
  }

  /// Applies the stored keys, opens the tcp ports of planes if configured, and keeps both up to date until ``stop()``.
  func start(serving planes: [any NetworkPlane]) async throws(Failure) {
    try await self.renew()
    if self.tcp.isWanted { try await self.tcp.settle(WallClock.nanoseconds()) }
    await self.tcp.open(planes)
    guard self.tcp.isWanted else { return }
    self.work = [
      Task { for await attempt in self.attempts { await self.note(attempt) } },
      Task { await self.keepTime() },
    ]
  }

  /// Ends what ``start(serving:)`` began. The planes close the ports.
  func stop() {
    for task in self.work { task.cancel() }
    self.work = []
  }

  nonisolated var routes: [Route] {
    [
      Route(KeysListRequest.self) { _, _ throws(Failure) in try await self.list() },
      Route(ServerKeyRequest.self) { _, _ throws(Failure) in await self.tcp.status },
      Route(answering: KeysInitRequest.self) { _, context throws(Failure) in
        try await self.tcp.makeKeys()
        let status = await self.tcp.status
        return try await self.storage.commit(KeysInitRequest.self, context) { _ throws(Failure) in status }
      },
      Route(answering: KeyApproveRequest.self) { request, context throws(Failure) in
        try await self.approve(request, context)
      },
      Route(answering: KeyRevokeRequest.self) { request, context throws(Failure) in
        try await self.revoke(request, context)
      },
      Route(answering: KeyRotateServerRequest.self) { request, context throws(Failure) in
        try await self.rotate(request, context)
      },
    ]
  }

  // MARK: - Commands

  private func list() async throws(Failure) -> KeysListReply {
    var reply = KeysListReply()
    let now = WallClock.nanoseconds()
    for var key in try await self.storage.read({ view throws(Failure) in try view.keys.all() }) {
      if key.state == "approved", key.hasExpires, key.expires.nanosecondsSince1970 <= now { key.state = "expired" }
      if key.state == "pending" { reply.pending.append(key) } else { reply.keys.append(key) }
    }
    reply.serverPublicKeyZ85 = await self.tcp.status.publicKeyZ85
    return reply
  }

  private func approve(_ request: KeyApproveRequest, _ context: CallContext) async throws(Failure) -> Answer<KeyInfo> {
    let approval = try KeyApproval(request)
    let before = try await self.storage.read { view throws(Failure) in
      try view.keys.find(fingerprint: approval.fingerprint)
    }
    let answer = try await self.storage.commit(KeyApproveRequest.self, context) { transaction throws(Failure) in
      if let other = try transaction.keys.approved(approval.name), other.fingerprint != approval.fingerprint {
        throw Failure(
          .alreadyExists, "RECORD_EXISTS",
          "The key \(other.fingerprint) has the name '\(approval.name)'. Revoke it first, or choose another name.",
          details: ["name": "is in use"])
      }
      let known = try transaction.keys.find(fingerprint: approval.fingerprint)
      let key = try approval.applied(to: known, now: WallClock.nanoseconds())
      try transaction.keys.put(key, notice: "key.approved")
      return key
    }
    try await self.renew()
    // Its subscriptions and leases were granted under its earlier name, role or services.
    if let before, before.state == "approved",
      before.role != answer.reply.role || before.name != answer.reply.name
        || before.services != answer.reply.services
    {
      await self.cut(for: context, answer.isReplayed)
    }
    return answer
  }

  private func revoke(_ request: KeyRevokeRequest, _ context: CallContext) async throws(Failure) -> Answer<KeyInfo> {
    guard request.name.isEmpty != request.fingerprint.isEmpty else {
      throw .invalid(field: "name", "or fingerprint has to be given, and not both.")
    }
    let answer = try await self.storage.commit(KeyRevokeRequest.self, context) { transaction throws(Failure) in
      let found =
        request.name.isEmpty
        ? try transaction.keys.find(fingerprint: request.fingerprint) : try transaction.keys.approved(request.name)
      guard var key = found else {
        let which = request.name.isEmpty ? request.fingerprint : request.name
        throw .unknownRecord(which, "There is no key '\(which.prefix(64))'. `kith keys list` lists them.")
      }
      guard key.state != "revoked" else { return key }
      key.state = "revoked"
      try transaction.keys.put(key, notice: "key.revoked")
      return key
    }
    self.owesCut = true
    try await self.renew()
    self.owesCut = false
    await self.cut(for: context, answer.isReplayed)
    return answer
  }

  private func rotate(
    _ request: KeyRotateServerRequest, _ context: CallContext
  ) async throws(Failure) -> Answer<ServerKey> {
    var overlap = Self.defaultOverlap
    if request.hasOverlap {
      guard (0...366 * 86_400).contains(request.overlap.seconds) else {
        throw .invalid(field: "overlap", "has to be between nothing and a year.")
      }
      overlap = request.overlap.seconds * 1_000_000_000
    }
    try await self.tcp.rotate(until: WallClock.nanoseconds() + overlap)
    self.wake()
    let status = await self.tcp.status
    let answer = try await self.storage.commit(KeyRotateServerRequest.self, context) { transaction throws(Failure) in
      var event = Event()
      event.system.kind = "key.server"
      event.system.text = status.nextPublicKeyZ85.isEmpty ? status.fingerprint : "next"
      try transaction.emit(event, on: EventStream.system.name)
      return status
    }
    await self.cut(for: context, answer.isReplayed)
    return answer
  }

  /// Cuts all tcp connections. If the caller uses tcp, or a device whose door may, its reply goes out first.
  private func cut(for context: CallContext, _ isReplayed: Bool) async {
    // The connection that lost the first reply is closed already.
    guard !isReplayed else { return }
    guard !context.principal.isLocal else { return await self.tcp.cut() }
    Task { [tcp] in
      try? await Task.sleep(for: .milliseconds(50))
      await tcp.cut()
    }
  }

  // MARK: - Upkeep

  /// Applies the stored keys to handshakes.
  private func renew() async throws(Failure) {
    try await self.renew { () async throws(Failure) in
      try await self.storage.read { view throws(Failure) in try view.keys.all() }
    }
  }

  /// Applies the keys that a reading finds, unless a later reading was applied first: it is newer, and may know that a
  /// key was revoked.
  func renew(_ read: () async throws(Failure) -> [KeyInfo]) async throws(Failure) {
    let reading = self.renewals.begin()
    let keys = try await read()
    guard self.renewals.take(reading) else { return }
    var states: [CurveKey: KeyRing.KeyState] = [:]
    for key in keys {
      guard let publicKey = CurveKey(z85: key.publicKeyZ85) else { continue }
      switch key.state {
      case "approved":
        guard let role = Role(rawValue: key.role) else { continue }
        states[publicKey] = .approved(
          KeyGrant(
            name: key.name, role: role, services: Set(key.services),
            expiresAt: key.hasExpires ? key.expires.nanosecondsSince1970 : nil))
      case "pending": states[publicKey] = .pending
      default: states[publicKey] = .revoked
      }
    }
    self.access.setKeys(states)
    self.wake()
  }

  /// Stores that a key connected; a new one is stored as pending.
  private func note(_ attempt: AccessPolicy.AccessAttempt) async {
    let now = ContinuousClock.now
    if let seen = self.seenAt[attempt.key], seen + Self.seenEvery > now { return }
    self.seenAt = self.seenAt.filter { $0.value + Self.seenEvery > now }
    self.seenAt[attempt.key] = now
    let (publicKey, fingerprint) = (attempt.key.z85, KeyFingerprint.of(attempt.key.bytes))
    do throws(Failure) {
      try await self.storage.write { transaction throws(Failure) in
        let known = try transaction.keys.find(publicKey: publicKey)
        let pending = try transaction.keys.pendingCount()
        guard known != nil || pending < KeyRing.pendingLimit else { return }
        var key = known ?? KeyInfo()
        if known == nil {
          key.publicKeyZ85 = publicKey
          key.fingerprint = fingerprint
          key.state = "pending"
          key.created = .now()
        }
        key.lastSeen = .now()
        key.lastAddress = attempt.address
        try transaction.keys.put(key, notice: known == nil ? "key.pending" : nil)
      }
    } catch {
      self.logger.warning("the connection of a key was not stored", metadata: ["reason": "\(error.reason)"])
      self.seenAt[attempt.key] = nil
    }
  }

  /// Cuts connections of expired keys, ends overlaps of server keys, and deletes abandoned pending keys.
  private func keepTime() async {
    var since = WallClock.nanoseconds()
    while !Task.isCancelled {
      await self.sleepUntilNext(since)
      let now = WallClock.nanoseconds()
      do throws(Failure) {
        let keys = try await self.storage.read { view throws(Failure) in try view.keys.all() }
        try await self.deleteAbandoned(keys.filter { $0.state == "pending" }, now)
        // The clock may have been set back meanwhile.
        let isOver = { (moment: Int64) in since <= moment && moment < now }
        let hasExpired = keys.contains { $0.hasExpires && isOver($0.expires.nanosecondsSince1970) }
        // Also makes up for a renewal that failed after a commit.
        try await self.renew()
        if hasExpired || self.owesCut { await self.tcp.cut() }
        self.owesCut = false
        try await self.tcp.settle(now)
        since = now
      } catch {
        guard !Task.isCancelled else { return }
        self.logger.warning("upkeep of the keys failed and will be retried", metadata: ["reason": "\(error.reason)"])
        try? await Task.sleep(for: .seconds(5))
      }
    }
  }

  /// Sleeps until a key expires or an overlap ends, but not for long; ``wake()`` ends the sleep.
  private func sleepUntilNext(_ now: Int64) async {
    let seen = self.changes
    let wait = min(Self.turn, await self.untilNext(now))
    // A change meanwhile may have an earlier end.
    guard seen == self.changes else { return }
    let sleeper = Task { try? await Task.sleep(for: wait) }
    self.sleeper = sleeper
    _ = await withTaskCancellationHandler {
      await sleeper.value
    } onCancel: {
      sleeper.cancel()
    }
  }

  private func wake() {
    self.changes += 1
    self.sleeper?.cancel()
  }

  /// The time until a key expires or an overlap ends.
  private func untilNext(_ now: Int64) async -> Duration {
    let keys = (try? await self.storage.read { view throws(Failure) in try view.keys.all() }) ?? []
    let ends = keys.filter(\.hasExpires).map(\.expires.nanosecondsSince1970) + [await self.tcp.overlapEnds ?? .max]
    guard let next = ends.filter({ $0 >= now }).min() else { return Self.turn }
    return .nanoseconds(max(0, next - WallClock.nanoseconds())) + .milliseconds(1)
  }

  private func deleteAbandoned(_ pending: [KeyInfo], _ now: Int64) async throws(Failure) {
    let limit = pending.count < KeyRing.pendingLimit ? Self.waiting.usual : Self.waiting.full
    guard pending.contains(where: { $0.lastSeen.nanosecondsSince1970 < now - limit }) else { return }
    try await self.storage.write { transaction throws(Failure) in
      try transaction.keys.dropPending(notSeenSince: now - limit)
    }
  }
}
