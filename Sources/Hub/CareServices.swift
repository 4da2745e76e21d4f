internal import Bus
internal import BusZeroMQ
internal import CareRecorder
internal import EventLoop
internal import Foundation
internal import KithMessages
internal import Logging
internal import Reminders
internal import Storage
internal import Transcription
internal import Transfer

/// What the record of care and the reminders are made of.
struct CareServices: Sendable {
  let recorder: CareRecorderActor
  let reminders: ReminderActor

  /// Composes them; nothing is started.
  ///
  /// - Parameters:
  ///   - scratch: A folder for recordings while they are transcribed.
  ///   - transfers: The loop of transfers.
  ///   - plane: Where workers are.
  /// - Throws: `INVALID_ARGUMENT` for engines that cannot be meant.
  init(
    _ storage: StorageActor, _ configuration: HubConfiguration, scratch: String, transfers: LoopExecutor,
    plane: WorkPlane, logger: Logger
  ) throws(Failure) {
    let transcriber = try TranscriberService(
      configuration.transcription.settings(programs: ProgramFolder.path, scratch: scratch),
      http: HTTPClient(on: transfers))
    self.recorder = CareRecorderActor(
      storage: storage,
      transcriber: configuration.placement.port(
        to: .transcriber, here: LocalBatchPort(transcriber.routes, batches: []), plane), logger: logger)
    self.reminders = ReminderActor(
      storage: storage, notifier: configuration.notifiesDesktop ? Self.desktop : nil, logger: logger,
      nameOfPerson: { id async throws(Failure) in
        try await storage.read { view throws(Failure) in try view.records.require(Person.self, id).displayName }
      })
  }

  var routes: [Route] { self.recorder.routes + self.reminders.routes }

  func start() async throws(Failure) {
    try await self.recorder.start()
    await self.reminders.start()
  }

  /// Takes note of what was committed: an entry of care ends the reminder that is due.
  func see(_ events: [LoggedEvent]) {
    guard events.contains(where: { $0.header.stream == EventStream.care.name }) else { return }
    let reminders = self.reminders
    // A reminder that stays due is no loss.
    Task { try? await reminders.acknowledgeRecording() }
  }

  func stop() async {
    await self.reminders.stop()
    await self.recorder.stop()
  }

  /// notify-send(1), which fails where there is no desktop.
  private static let desktop = DesktopNotifier(
    isJapanese: (RuntimeLocations.variable("LANG") ?? "").hasPrefix("ja")
  ) { title, text in
    var environment = ChildProcess.plainEnvironment
    for variable in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"] {
      environment[variable] = RuntimeLocations.variable(variable)
    }
    let program = ChildProcess(
      "/usr/bin/notify-send", ["-a", "kith", "-u", "critical", title, text], environment: environment, directory: "/",
      limits: ChildProcess.Limits(time: .seconds(10)))
    _ = try? await program.run()
  }
}

/// The folder of this program, beside which are those that it runs.
enum ProgramFolder {
  static let path: String = {
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (program as NSString).deletingLastPathComponent
  }()
}
