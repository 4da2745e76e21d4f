public import Bus
internal import EventLoop
internal import KithMessages
public import Logging
public import Secrets
public import Storage
internal import SwiftProtobuf

/// Keeps the stored contacts in sync with their sources, and serves `kith.v1.Contacts`.
///
/// It decides and stores. The sources are read through a port, because the reader may run on another machine. Passes
/// run in separate tasks, several sources at once; only the commands that started them wait for them.
public actor ContactsSyncActor {
  private struct RunningPass {
    let id: UUIDv7
    let options: PassOptions
    let sinks: ProgressSinks
    let task: Task<Result<SyncStatus, Failure>, Never>
    /// The callers that wait for the pass; it is cancelled when the last of them leaves.
    var callers = 1
    /// Whether the pass has begun to list its source, so that it may miss later changes.
    var isListing = false
  }

  let storage: StorageActor
  let source: any BatchPort & Port
  let secrets: any SecretStore
  let now: @Sendable () -> Int64
  let logger: Logger
  /// For each source the running pass, then the waiting ones in order.
  private var passes: [String: [RunningPass]] = [:]
  private var isStopping = false
  /// Names of sources that a command is changing.
  var changing: Set<String> = []

  /// Makes an actor.
  ///
  /// - Parameters:
  ///   - storage: The store.
  ///   - source: The port to `kith.v1.ContactsSource`.
  ///   - secrets: The store of account passwords.
  ///   - now: Returns the time of day in nanoseconds since 1970.
  public init(
    storage: StorageActor, source: any BatchPort & Port, secrets: any SecretStore, logger: Logger,
    now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds
  ) {
    self.storage = storage
    self.source = source
    self.secrets = secrets
    self.logger = logger
    self.now = now
  }

  /// Runs a pass over every source and waits for all of them, as at the start of the hub.
  ///
  /// The failure of a source is stored in its status.
  ///
  /// - Throws: A failure of the store.
  public func syncAll() async throws(Failure) {
    _ = try await self.sync([], PassOptions(), cause: "", progress: nil)
  }

  /// Runs a pass over one source in the background, for the schedule or a file-change notice; joins a running one.
  ///
  /// - Returns: Its outcome, for the schedule.
  @discardableResult
  func syncInBackground(_ name: String) async -> SyncSchedule.Outcome {
    guard !self.isStopping, !self.changing.contains(name) else { return .failed(retryAfter: nil) }
    let status = try? await self.join(name, PassOptions(), cause: "", progress: nil).task.value.get()
    return SyncSchedule.Outcome(status)
  }

  /// Marks passes as ended that the last process left as running. Called at the start, before any pass.
  public func settle() async {
    let now = self.now()
    // If the store refuses this, the next pass overwrites it.
    try? await self.storage.write { transaction throws(Failure) in
      for record in try transaction.sources.all() where record.source.status.state == .syncing {
        var state = PassState(record.source.status, source: record.source.name)
        state.stop(now: now)
        try transaction.publish(state.status, of: record.source.name)
      }
    }
  }

  /// The locations of the sources; empty if the store cannot be read.
  func locations() async -> [SourceLocation] {
    let records = try? await self.storage.read { view throws(Failure) in try view.sources.all() }
    return records?.map(\.location) ?? []
  }

  /// Refuses later passes, cancels running ones and waits until they end. Stored batches stay, and a command that waits
  /// for a pass fails with `UNAVAILABLE/SHUTTING_DOWN`.
  public func stop() async {
    self.isStopping = true
    await self.stop(Array(self.passes.keys))
  }

  /// Passes that run or wait.
  var passCount: Int { self.passes.values.reduce(0) { $0 + $1.count } }

  /// Cancels the passes of sources, including passes requested meanwhile; cancels all before it waits for any.
  func stop(_ names: [String]) async {
    while case let passes = names.flatMap({ self.passes[$0] ?? [] }), !passes.isEmpty {
      for pass in passes { pass.task.cancel() }
      for pass in passes { _ = await pass.task.value }
    }
  }

  /// Runs passes over sources, or joins running ones, and waits until they end.
  ///
  /// - Parameter names: The names of sources; empty for all.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` before any pass starts; a failure of the store.
  func sync(
    _ names: [String], _ options: PassOptions, cause: String, progress: (@Sendable (Progress) -> Void)?
  ) async throws(Failure) -> [SyncStatus] {
    let known = try await self.storage.read { view throws(Failure) in try view.sources.all().map(\.source.name) }
    if let unknown = names.first(where: { !known.contains($0) }) { throw Self.unknownSource(unknown) }
    let wanted = names.isEmpty ? known : known.filter(names.contains)
    guard !self.isStopping else { throw Self.stopping }
    let joined = wanted.map { self.join($0, options, cause: cause, progress: progress) }
    let results = await withTaskCancellationHandler {
      var results: [Result<SyncStatus, Failure>] = []
      for pass in joined { results.append(await pass.task.value) }
      return results
    } onCancel: {
      Task { for (name, pass) in zip(wanted, joined) { await self.leave(name, pass.id) } }
    }
    guard !Task.isCancelled else { throw .cancelled }
    var statuses: [SyncStatus] = []
    for result in results { statuses.append(try result.get()) }
    guard !self.isStopping || statuses.allSatisfy({ $0.state != .idle }) else { throw Self.stopping }
    return statuses
  }

  /// Joins the running pass if it does everything requested and has not begun to list, else queues another one.
  private func join(
    _ name: String, _ options: PassOptions, cause: String, progress: (@Sendable (Progress) -> Void)?
  ) -> RunningPass {
    let last = self.passes[name]?.last
    // A pass without callers is cancelled already.
    if let last, last.callers > 0, !last.isListing, last.options.covers(options) {
      if let progress { last.sinks.add(progress) }
      self.change(name, last.id) { $0.callers += 1 }
      return last
    }
    let sinks = ProgressSinks()
    if let progress { sinks.add(progress) }
    var logger = self.logger
    logger[metadataKey: "source"] = "\(name)"
    let id = UUIDv7.make()
    let pass = Pass(
      name, options, storage: self.storage, source: self.source, cause: cause, now: self.now,
      willList: { await self.change(name, id) { $0.isListing = true } }, report: { sinks.report($0) }, logger: logger)
    let task = Task {
      _ = await last?.task.value
      let result: Result<SyncStatus, Failure>
      do throws(Failure) {
        result = .success(try await pass.run())
      } catch {
        result = .failure(error)
      }
      self.end(name, id)
      return result
    }
    let running = RunningPass(id: id, options: options, sinks: sinks, task: task)
    self.passes[name, default: []].append(running)
    return running
  }

  /// A caller stops waiting for a pass.
  private func leave(_ name: String, _ id: UUIDv7) {
    self.change(name, id) { pass in
      pass.callers -= 1
      if pass.callers == 0 { pass.task.cancel() }
    }
  }

  /// Changes the record of a pass; does nothing if the pass has ended.
  private func change(_ name: String, _ id: UUIDv7, _ change: @Sendable (inout RunningPass) -> Void) {
    guard let index = self.passes[name]?.firstIndex(where: { $0.id == id }) else { return }
    change(&self.passes[name, default: []][index])
  }

  private func end(_ name: String, _ id: UUIDv7) {
    self.passes[name]?.removeAll { $0.id == id }
    if self.passes[name]?.isEmpty == true { self.passes[name] = nil }
  }

  private static let stopping = Failure(
    .unavailable, "SHUTTING_DOWN",
    "kithd is stopping. Send the command again after its restart; the pass then continues.",
    retryAfterMilliseconds: 1000)

  static func unknownSource(_ name: String) -> Failure {
    .unknownRecord(
      name, "There is no source named '\(name.prefix(64))'. `kith contacts source list` lists them.")
  }
}

/// The callers that wait for a pass and want its progress.
private final class ProgressSinks: Sendable {
  private let sinks = Lock<[@Sendable (Progress) -> Void]>([])

  func add(_ sink: @escaping @Sendable (Progress) -> Void) { self.sinks.withLock { $0.append(sink) } }

  func report(_ progress: Progress) {
    for sink in self.sinks.withLock({ $0 }) { sink(progress) }
  }
}
