internal import Bus
internal import KithMessages
internal import Storage
internal import Transcription

/// What only the hub can see: the method `System/Checkup`.
struct Checkup: Sendable {
  /// The key of the event that tells of the last backup.
  static let backupKey = "backup"

  let locations: RuntimeLocations
  let configuration: HubConfiguration
  let storage: StorageActor
  let care: CareServices

  var route: Route { Route(CheckupRequest.self) { _, _ throws(Failure) in try await self.reply() } }

  private func reply() async throws(Failure) -> CheckupReply {
    var reply = CheckupReply()
    reply.configPath = self.configuration.path
    // Other users of the configuration have to reach the sockets.
    reply.folders = [
      Machine.folder(self.locations.stateDirectory, isPrivate: true),
      Machine.folder(self.locations.runtimeDirectory, isPrivate: false),
    ]
    reply.clockSynchronized = Machine.clockIsSynchronized
    reply.transcribesElsewhere = self.configuration.placement.onWorkers.contains(.transcriber)
    if !reply.transcribesElsewhere {
      reply.engines = await self.care.transcriber.describe().engines
      reply.missingConverter = self.care.transcriber.missingConverter ?? ""
    }
    if let event = try await self.lastBackup() { reply.backedUpAt = event.header.time }
    return reply
  }

  /// Nil if there is none, or if the store is too damaged to read it, which its own part of the status says.
  private func lastBackup() async throws(Failure) -> LoggedEvent? {
    var request = SnapshotRequest()
    request.stream = EventStream.system.name
    request.limit = 500
    do throws(Failure) {
      return try await self.storage.snapshot(request).lastByKey.last { $0.header.key == Self.backupKey }
    } catch {
      guard error.code == .dataLoss else { throw error }
      return nil
    }
  }
}
