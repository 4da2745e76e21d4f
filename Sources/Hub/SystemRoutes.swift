internal import Bus
internal import BusZeroMQ
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// The methods of `kith.v1.System`: status, events, blobs and backup.
struct SystemRoutes: Sendable {
  /// The minor version of the protocol.
  static let minor: UInt32 = 0

  let storage: StorageActor
  let identity: HubIdentity
  let inFlight: InFlightCommands
  let jobs: JobRoutes
  let subscriptions: @Sendable () async -> Int
  /// The connections to each plane.
  let peers: @Sendable () async -> [PlaneStatus]
  /// The tcp endpoints and server keys.
  let tcp: @Sendable () async -> ServerKey
  /// The doors that announced themselves.
  let doors: @Sendable () async -> [Door]

  var routes: [Route] {
    [
      Route(HelloRequest.self) { request, context throws(Failure) in try await self.hello(request, context) },
      Route(PingRequest.self) { request, _ throws(Failure) in
        var reply = PingReply()
        reply.echo = request.echo
        return reply
      },
      Route(WhoamiRequest.self) { _, context throws(Failure) in
        var reply = WhoamiReply()
        reply.principal = context.principal.name
        reply.role = context.principal.role.rawValue
        reply.name = context.principal.plainName
        return reply
      },
      Route(StatusRequest.self) { _, _ throws(Failure) in try await self.status() },
      Route(SnapshotRequest.self) { request, _ throws(Failure) in try await self.storage.snapshot(request) },
      Route(ReplayRequest.self) { request, _ throws(Failure) in try await self.storage.replay(request) },
      Route(FindIdsRequest.self) { request, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in try view.ids.find(request) }
      },
      Route(ShortenIdsRequest.self) { request, _ throws(Failure) in
        try await self.storage.read { view throws(Failure) in try view.ids.shorten(request) }
      },
      Route(BlobOpenRequest.self, order: .amongUploads) { request, context throws(Failure) in
        try await self.storage.openBlob(request, principal: context.principal.name)
      },
      Route(BlobPutRequest.self, order: .amongUploads) { request, context throws(Failure) in
        try await self.storage.putBlob(request, context.attachments.first ?? [], principal: context.principal.name)
      },
      Route(BlobAbandonRequest.self, order: .amongUploads) { request, context throws(Failure) in
        try await self.storage.abandonBlob(request, principal: context.principal.name)
      },
      Route(answering: BlobGetRequest.self) { request, context throws(Failure) in
        let (reply, data) = try await self.storage.readBlob(request, by: context.principal.role)
        return Answer(reply, attachments: [data])
      },
      Route(answering: BackupRequest.self) { _, context throws(Failure) in
        let blob = try await self.storage.backup()
        return try await self.storage.commit(BackupRequest.self, context) { transaction throws(Failure) in
          var event = Event()
          event.system.kind = "backup.made"
          try transaction.emit(event, on: EventStream.system.name, key: Checkup.backupKey)
          return blob
        }
      },
    ]
  }

  private func hello(_ request: HelloRequest, _ context: CallContext) async throws(Failure) -> HelloReply {
    guard request.minorMin <= Self.minor else {
      throw Failure(
        .unimplemented, "MINOR_UNSUPPORTED",
        "This hub speaks minor version \(Self.minor); at least \(request.minorMin) is required. Update kithd.",
        details: ["minor": "\(Self.minor)"])
    }
    var reply = HelloReply()
    reply.sessionID = UUIDv7.make().text
    reply.hubInstance = self.identity.instance
    reply.minor = min(Self.minor, request.minorMax)
    reply.software = "kithd \(SoftwareVersion.current)"
    reply.hubTime = .now()
    reply.principal = context.principal.name
    reply.role = context.principal.role.rawValue
    reply.heads = self.storage.heads()
    reply.eventsEndpoint = self.identity.eventsEndpoint
    let server = await self.tcp()
    reply.nextServerKeyZ85 = server.nextPublicKeyZ85
    // The order of endpoints: control, events, work.
    if context.principal.name.hasPrefix("key:"), server.endpoints.count > 1 {
      reply.eventsEndpoint = server.endpoints[1]
    }
    reply.limits.maxFrame = UInt32(WireLimits.frame)
    reply.limits.maxBody = UInt32(WireLimits.body)
    reply.limits.maxAttachments = UInt32(WireLimits.attachments)
    reply.limits.maxInflight = 64
    reply.limits.chunk = UInt32(WireLimits.attachment)
    reply.limits.window = 2 << 20
    reply.limits.maxBlob = 512 << 20
    return reply
  }

  /// Adds the error `NO_WORKER` to the status of passes that wait for a worker.
  private static func waiting(_ statuses: [SyncStatus], _ work: WorkStatus) -> [SyncStatus] {
    statuses.map { status in
      let service: PlaceableService = status.source == "monica" ? .monica : .contacts
      guard status.state == .syncing, work.unserved.contains(service.name) else { return status }
      var status = status
      status.error =
        Failure(
          .unavailable, "NO_WORKER",
          "No worker serves \(service.name). Start one: kithd worker --serve \(service.rawValue)"
        ).status
      return status
    }
  }

  func status() async throws(Failure) -> StatusReply {
    var reply = StatusReply()
    reply.version = SoftwareVersion.current
    reply.hubInstance = self.identity.instance
    reply.startedAt = self.identity.startedAt
    reply.hubTime = .now()
    // Without this command.
    reply.commandsInFlight = UInt32(max(0, self.inFlight.count - 1))
    reply.heads = self.storage.heads()
    // Side by side: each of them waits for a thread that may be busy.
    async let subscriptions = self.subscriptions()
    async let stored = self.storage.status()
    async let work = self.jobs.status()
    async let planes = self.peers()
    async let doors = self.doors()
    let syncs = try await self.syncs()
    reply.subscriptions = UInt32(await subscriptions)
    reply.storage = syncs == nil ? await self.storage.status() : await stored
    reply.work = await work
    reply.planes = await planes
    reply.doors = await doors
    reply.sync = Self.waiting(syncs ?? [], reply.work)
    reply.storage.contacts = reply.sync.reduce(0) { $0 + ($1.source == "monica" ? 0 : $1.live) }
    return reply
  }

  /// The state of every source and of the account, if there is one; nil if the store is too damaged to read them, which its own part of the status says.
  private func syncs() async throws(Failure) -> [SyncStatus]? {
    do throws(Failure) {
      return try await self.storage.read { view throws(Failure) in
        let sources = try view.sources.all().map(\.source.status)
        guard try view.accounts.current().hasServer, var monica = try view.accounts.status() else { return sources }
        // What a pass stored of them may have changed since.
        monica.set(try view.outbox.counts())
        monica.live = UInt32(clamping: try view.records.count(.person))
        return sources + [monica]
      }
    } catch {
      guard error.code == .dataLoss else { throw error }
      return nil
    }
  }
}

/// The identity of one run of the daemon.
struct HubIdentity: Sendable {
  /// New at every start.
  let instance = UUIDv7.make().text
  /// When this run began.
  let startedAt = Google_Protobuf_Timestamp.now()
  /// Where events are published.
  let eventsEndpoint: String
}
