internal import Bus
internal import BusZeroMQ
internal import EventLoop
internal import KithMessages
internal import Logging
internal import Secrets
internal import Storage
internal import SwiftProtobuf

/// The methods of `kith.v1.Devices`: which devices may connect through a door, and with which role.
///
/// The store has the devices. ``AccessPolicy`` has a copy, renewed after each commit that changes them and before its answer.
actor DevicesActor {
  /// The most devices that may connect.
  static let limit = 64
  private static let longest: Int64 = 100 * 366 * 86_400
  /// How often a device's last command is stored.
  private static let seenEvery = Duration.seconds(60)

  private let storage: StorageActor
  private let access: AccessPolicy
  private let inFlight: InFlightCommands
  private let secrets: any SecretStore
  private let url: String
  private let logger: Logger
  private let commands: AsyncStream<Principal>
  private var invitations = Invitations()
  private var doors = Doors()
  private var renewals = NewestReading()
  private var work: Task<Void, Never>?

  /// Creates the actor; no device is known before ``start()``.
  ///
  /// - Parameters:
  ///   - secrets: The store of the keys by which browsers are reminded.
  ///   - url: The address of the door for people, from the configuration; empty = what the door announces.
  init(
    storage: StorageActor, access: AccessPolicy, inFlight: InFlightCommands, secrets: any SecretStore, url: String,
    logger: Logger
  ) {
    self.storage = storage
    self.access = access
    self.inFlight = inFlight
    self.secrets = secrets
    self.url = url
    self.logger = logger
    let (commands, continuation) = AsyncStream<Principal>.makeStream(bufferingPolicy: .bufferingNewest(256))
    self.commands = commands
    // A device that is busy would fill the stream: each is told once a minute.
    let told = Lock<[String: ContinuousClock.Instant]>([:])
    access.onDeviceCommand { device in
      let now = ContinuousClock.now
      let isDue = told.withLock { told in
        if let last = told[device.name], last + Self.seenEvery > now { return false }
        told[device.name] = now
        return true
      }
      if isDue { continuation.yield(device) }
    }
  }

  /// Applies the stored devices, and notes when each is seen until ``stop()``.
  func start() async throws(Failure) {
    try await self.renew()
    self.work = Task { for await device in self.commands { await self.note(device) } }
  }

  /// Ends what ``start()`` began.
  func stop() { self.work?.cancel() }

  nonisolated var routes: [Route] {
    [
      Route(DevicesListRequest.self) { _, _ throws(Failure) in try await self.list() },
      Route(InviteDeviceRequest.self) { request, context throws(Failure) in try await self.invite(request, context) },
      Route(answering: PairDeviceRequest.self) { request, context throws(Failure) in
        try await self.pair(request, context)
      },
      Route(answering: AddDeviceRequest.self) { request, context throws(Failure) in
        try await self.add(request, context)
      },
      Route(answering: RevokeDeviceRequest.self) { request, context throws(Failure) in
        try await self.revoke(request.name, context)
      },
      Route(answering: LeaveRequest.self) { _, context throws(Failure) in
        guard let name = context.principal.deviceName else {
          throw Failure(
            .failedPrecondition, "NOT_A_DEVICE", "Only a device can sign out. A key is revoked by an admin.")
        }
        return try await self.end(name, LeaveRequest.self, context)
      },
      Route(Door.self) { request, context throws(Failure) in try await self.note(request, context) },
    ]
  }

  /// The doors that announced themselves, by their address.
  var status: [Door] { self.doors.all }

  /// The address of kith-web for people: the configured one, else that of the door that was heard last; empty if there is none.
  var address: String { self.url.isEmpty ? self.doors.newest?.url ?? "" : self.url }

  private func note(_ door: Door, _ context: CallContext) throws(Failure) -> AnnounceReply {
    try self.doors.note(door, from: context.principal, now: WallClock.nanoseconds())
    return AnnounceReply()
  }

  // MARK: - Commands

  private func list() async throws(Failure) -> DevicesListReply {
    let now = WallClock.nanoseconds()
    var reply = DevicesListReply()
    reply.devices = try await self.storage.read { view throws(Failure) in try view.devices.all() }.map { stored in
      var device = stored.device
      if device.state == "active", !device.isActive(at: now) { device.state = "expired" }
      return device
    }
    reply.invitations = self.invitations.usable(now: now).map { open in
      var invitation = Invitation(open)
      invitation.code = ""
      return invitation
    }
    return reply
  }

  private func invite(_ request: InviteDeviceRequest, _ context: CallContext) async throws(Failure) -> Invitation {
    let name = try GivenName.check(request.name, field: "name")
    let role = try Self.role(request.role, usual: .recorder)
    let validFor = try Self.seconds(request.hasValidFor ? request.validFor : nil)
    let now = WallClock.nanoseconds()
    try await self.storage.read { view throws(Failure) in try Self.requireRoom(for: name, in: view, now: now) }
    let open = Invitations.Open(
      name: name, role: role, validFor: validFor, by: context.principal.name, expiresAt: now + Invitations.lifetime)
    var code = Self.code()
    while try !self.invitations.add(open, code: code, now: now) { code = Self.code() }
    var invitation = Invitation(open)
    invitation.code = code
    let address = self.address
    if !address.isEmpty { invitation.url = "\(address)/pair#\(code)" }
    return invitation
  }

  private func pair(_ request: PairDeviceRequest, _ context: CallContext) async throws(Failure) -> Answer<Device> {
    let token = try Self.digest(request.tokenSha256)
    let known = try await self.storage.read { view throws(Failure) in try view.devices.find(token: token.bytes) }
    let now = WallClock.nanoseconds()
    if let known, known.device.isActive(at: now) {
      if request.unencrypted { try self.requireViewer(known.device.role, code: request.code) }
      // It has joined, and lost the answer: perhaps with a hub that has forgotten the code since.
      return try await self.storage.commit(PairDeviceRequest.self, context) { _ throws(Failure) in known.device }
    }
    let open = try self.invitations.find(
      request.code, token: token, from: context.principal, now: now, instant: .now)
    if request.unencrypted { try self.requireViewer(open.role.rawValue, code: request.code) }
    guard known == nil else { throw Self.tokenTaken }
    var device = Device()
    device.name = open.name
    device.role = open.role.rawValue
    device.created = .init(nanosecondsSince1970: now)
    device.addedBy = open.by
    if let validFor = open.validFor { device.expires = .init(seconds: now / 1_000_000_000 + validFor) }
    // Before the commit: two devices that show one code at the same time have different tokens.
    self.invitations.use(request.code, by: token)
    return try await self.store(device, token, PairDeviceRequest.self, context, notice: "device.paired")
  }

  private func add(_ request: AddDeviceRequest, _ context: CallContext) async throws(Failure) -> Answer<Device> {
    let now = WallClock.nanoseconds()
    var device = Device()
    device.name = try GivenName.check(request.name, field: "name")
    device.role = try Self.role(request.role, usual: .viewer).rawValue
    device.created = .init(nanosecondsSince1970: now)
    device.addedBy = context.principal.name
    if let validFor = try Self.seconds(request.hasValidFor ? request.validFor : nil) {
      device.expires = .init(seconds: now / 1_000_000_000 + validFor)
    }
    return try await self.store(
      device, try Self.digest(request.tokenSha256), AddDeviceRequest.self, context, notice: "device.added")
  }

  private func store<C: Command>(
    _ device: Device, _ token: TokenDigest, _ type: C.Type, _ context: CallContext, notice: String
  ) async throws(Failure) -> Answer<Device> where C.Reply == Device {
    let now = WallClock.nanoseconds()
    let answer = try await self.storage.commit(type, context) { transaction throws(Failure) in
      try transaction.devices.expire(now: now)
      if let known = try transaction.devices.find(token: token.bytes) {
        // A command whose answer was lost, sent again under another key.
        guard known.device.state == "active", known.device.name == device.name else {
          throw Self.tokenTaken
        }
        return known.device
      }
      try Self.requireRoom(for: device.name, in: transaction, now: now)
      var device = device
      device.state = "active"
      try transaction.devices.put(StoredDevice(device, token: token.bytes), notice: notice)
      return device
    }
    FaultPoint.deviceStored.pass()
    try await self.renew()
    return answer
  }

  /// Revokes a device, and ends a code that waits for one of this name.
  private func revoke(_ name: String, _ context: CallContext) async throws(Failure) -> Answer<Device> {
    let waiting = self.invitations.end(named: name)
    do throws(Failure) {
      return try await self.end(name, RevokeDeviceRequest.self, context)
    } catch {
      guard error.code == .notFound, let waiting else { throw error }
      return try await self.storage.commit(RevokeDeviceRequest.self, context) { _ throws(Failure) in
        var device = Device()
        device.name = waiting.name
        device.role = waiting.role.rawValue
        device.state = "revoked"
        device.addedBy = waiting.by
        return device
      }
    }
  }

  private func end<C: Command>(
    _ name: String, _ type: C.Type, _ context: CallContext
  ) async throws(Failure) -> Answer<Device> where C.Reply == Device {
    let browsers = try await self.storage.read { view throws(Failure) in
      try view.channels.all().filter { $0.isBrowser && $0.push.device == name }
    }
    let answer = try await self.storage.commit(type, context) { transaction throws(Failure) in
      guard var stored = try transaction.devices.active(name) else {
        throw .unknownRecord(name, "There is no device '\(name.prefix(64))'. `kith web devices` lists them.")
      }
      stored.device.state = "revoked"
      try transaction.devices.put(stored, notice: "device.revoked")
      let now = WallClock.nanoseconds()
      for channel in try transaction.channels.all() where channel.isBrowser && channel.push.device == name {
        _ = try transaction.deliveries.discardWaiting(on: channel.name, now: now)
        try transaction.channels.remove(channel.name)
      }
      return stored.device
    }
    FaultPoint.deviceStored.pass()
    try await self.renew()
    // A device that has joined under this name since has secrets of its own.
    guard !answer.isReplayed else { return answer }
    self.inFlight.cancelAll(of: "device:\(answer.reply.name)")
    for channel in browsers { try? await self.secrets.forget(ChannelSecret.name(of: channel.name)) }
    return answer
  }

  /// Refuses a device that is no viewer where others may have read its code, and ends the code: they could use it first.
  private func requireViewer(_ role: String, code: String) throws(Failure) {
    guard role != Role.viewer.rawValue else { return }
    self.invitations.end(code)
    throw Failure(
      .permissionDenied, "ENCRYPTION_NEEDED",
      """
      Over this connection, which is not encrypted, a device can only join as a viewer, and its code is not valid any more. Invite it \
      again with --role viewer, or set up encryption: kith web setup
      """)
  }

  private static func requireRoom(for name: String, in view: some DatabaseView, now: Int64) throws(Failure) {
    let active = try view.devices.all().map(\.device).filter { $0.isActive(at: now) }
    guard !active.contains(where: { $0.name == name }) else {
      throw Failure(
        .alreadyExists, "RECORD_EXISTS",
        "A device has the name '\(name)' already. Revoke it first (kith web revoke \(name)), or choose another name.",
        details: ["name": "is in use"])
    }
    guard active.count < Self.limit else {
      throw Failure(
        .resourceExhausted, "TOO_MANY_DEVICES",
        "\(Self.limit) devices are paired already. Revoke one that is not used any more: kith web devices")
    }
  }

  // MARK: - Upkeep

  /// Applies the stored devices to commands.
  private func renew() async throws(Failure) {
    let reading = self.renewals.begin()
    let devices = try await self.storage.read { view throws(Failure) in try view.devices.all() }
    guard self.renewals.take(reading) else { return }
    var grants: [TokenDigest: DeviceGrant] = [:]
    for stored in devices where stored.device.state == "active" {
      guard let token = TokenDigest(bytes: stored.token), let role = Role(rawValue: stored.device.role) else {
        continue
      }
      grants[token] = DeviceGrant(
        name: stored.device.name, role: role,
        expiresAt: stored.device.hasExpires ? stored.device.expires.nanosecondsSince1970 : nil)
    }
    self.access.setDevices(grants)
  }

  /// Stores that a device sent a command.
  private func note(_ principal: Principal) async {
    guard let name = principal.deviceName else { return }
    do throws(Failure) {
      try await self.storage.write { transaction throws(Failure) in
        guard var stored = try transaction.devices.active(name) else { return }
        stored.device.lastSeen = .now()
        try transaction.devices.put(stored)
      }
    } catch {
      self.logger.warning("the last command of a device was not stored", metadata: ["reason": "\(error.reason)"])
    }
  }

  // MARK: - Fields

  private static func role(_ text: String, usual: Role) throws(Failure) -> Role {
    guard !text.isEmpty else { return usual }
    guard let role = Role(rawValue: text.lowercased()), [.viewer, .recorder, .admin].contains(role) else {
      throw .invalid(field: "role", "has to be viewer, recorder or admin.")
    }
    return role
  }

  private static let tokenTaken = Failure.invalid(
    field: "token_sha256", "belongs to a device already. Choose a new random token.")

  private static func seconds(_ duration: Google_Protobuf_Duration?) throws(Failure) -> Int64? {
    guard let duration else { return nil }
    guard (1...Self.longest).contains(duration.seconds) else {
      throw .invalid(field: "valid_for", "has to be at least a second, and at most a hundred years.")
    }
    return duration.seconds
  }

  private static func digest(_ hex: String) throws(Failure) -> TokenDigest {
    guard let digest = TokenDigest(hex: hex) else {
      throw .invalid(field: "token_sha256", "has to be 64 lower-case hex digits: the SHA-256 of the token.")
    }
    return digest
  }

  /// Eight random digits.
  private static func code() -> String {
    var generator = SystemRandomNumberGenerator()
    let number = Int.random(in: 0..<100_000_000, using: &generator)
    let digits = String(number)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension Invitation {
  /// An invitation without its code.
  fileprivate init(_ open: Invitations.Open) {
    self.init()
    self.name = open.name
    self.role = open.role.rawValue
    self.expiresAt = .init(nanosecondsSince1970: open.expiresAt)
  }
}
