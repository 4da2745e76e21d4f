internal import Bus
internal import BusZeroMQ
internal import CarePlan
internal import CareRecorder
internal import Delivery
internal import EventLoop
internal import Foundation
internal import KithMessages
internal import Logging
internal import Reminders
internal import Secrets
internal import Storage
internal import Transcription
internal import Transfer

/// The services of the record of care, of the care plan and of reminders.
struct CareServices: Sendable {
  let recorder: CareRecorderActor
  let plan: CarePlanActor
  let reminders: ReminderActor
  /// The engines of this process; unused while workers transcribe.
  let transcriber: TranscriberService
  private let connections: ChannelConnections

  /// Creates the services without starting them.
  ///
  /// - Parameters:
  ///   - scratch: A directory for recordings during transcription.
  ///   - transfers: The loop of transfers.
  ///   - secrets: The secrets of channels.
  ///   - paths: Which files channels may send as their secrets.
  ///   - plane: The work plane, for services placed on workers.
  /// - Throws: `INVALID_ARGUMENT` for an invalid engine; `LoopError` if no descriptor is left.
  init(
    _ storage: StorageActor, _ configuration: HubConfiguration, scratch: String, transfers: LoopExecutor,
    secrets: any SecretStore, paths: HubPaths, plane: WorkPlane, logger: Logger,
    door: @escaping @Sendable () async -> String
  ) throws {
    self.transcriber = try TranscriberService(
      configuration.transcription.settings(programs: ProgramFolder.path, scratch: scratch),
      http: HTTPClient(on: transfers))
    self.recorder = CareRecorderActor(
      storage: storage,
      transcriber: configuration.placement.port(
        to: .transcriber, here: LocalBatchPort(self.transcriber.routes, batches: []), plane), logger: logger)
    self.plan = CarePlanActor(storage: storage)
    self.connections = ChannelConnections(on: transfers, secrets: secrets, paths: paths)
    let delivery = DeliveryService(connections: self.connections, programs: configuration.channelPrograms)
    self.reminders = ReminderActor(
      storage: storage,
      delivery: configuration.placement.port(
        to: .delivery, here: LocalBatchPort(delivery.routes, batches: []), plane), secrets: secrets,
      alarm: try WallAlarm(loop: transfers), showsOnDesktop: configuration.notifiesDesktop,
      pushServices: configuration.pushServices, logger: logger, door: door,
      nameOfPerson: { id async throws(Failure) in
        try await storage.read { view throws(Failure) in try view.records.require(Person.self, id).displayName }
      })
  }

  var routes: [Route] { self.recorder.routes + self.plan.routes + self.reminders.routes }

  func start() async throws(Failure) {
    try await self.recorder.start()
    try await self.plan.start()
    await self.reminders.start()
  }

  func handle(events: [LoggedEvent]) {
    self.recorder.handle(events: events)
    self.reminders.handle(events: events)
  }

  func stop() async {
    await self.reminders.stop()
    await self.recorder.stop()
    await self.connections.close()
  }
}
