public import Bus
internal import EventLoop
internal import KithMessages
public import Logging
public import Secrets
public import Storage
internal import SwiftProtobuf

/// Keeps the stored contacts in step with their sources, and answers for them.
///
/// It decides and stores; the sources themselves are read through a port, because the reading may happen on another machine.
/// Passes run in tasks of their own, several sources at once, and nothing waits for them but the commands that asked for one.
public actor ContactsSyncActor {
  private struct RunningPass {
    let id: UUIDv7
    let options: PassOptions
    let sinks: ProgressSinks
    let task: Task<Result<SyncStatus, Failure>, Never>
    /// Those who wait for its end; the pass is cancelled when the last of them was.
    var callers = 1
    /// Whether it has begun to list its source, so that it may miss what changes from now on.
    var isListing = false
  }

  let storage: StorageActor
  let source: any BatchPort & Port
  let secrets: any SecretStore
  let now: @Sendable () -> Int64
  let logger: Logger
  /// Of each source the pass that runs, then those that wait for the one before them.
  private var passes: [String: [RunningPass]] = [:]
  private var isStopping = false
  /// Names of sources that a command is changing.
  var changing: Set<String> = []

  /// Makes an actor.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - source: The way to `kith.v1.ContactsSource`.
  ///   - secrets: Where passwords of accounts are kept.
  ///   - now: Gives the time of day in nanoseconds since 1970.
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
  /// A source that fails has its failure in its status.
  ///
  /// - Throws: A failure of the store.
  public func syncAll() async throws(Failure) {
    _ = try await self.sync([], PassOptions(), cause: "", progress: nil)
  }

  /// Runs a pass over one source in the background, as on a schedule or a file-change notice; joins the one that runs.
  ///
  /// - Returns: What came of it, for the schedule.
  @discardableResult
  func syncInBackground(_ name: String) async -> SyncSchedule.Outcome {
    guard !self.isStopping, !self.changing.contains(name) else { return .failed(retryAfter: nil) }
    let status = try? await self.join(name, PassOptions(), cause: "", progress: nil).task.value.get()
    return SyncSchedule.Outcome(status)
  }

  /// Ends in the store what the last process left as running: those passes are no more. For the start, before any pass.
  public func settle() async {
    let now = self.now()
    // What the store refuses now, the next pass overwrites.
    try? await self.storage.write { transaction throws(Failure) in
      for record in try transaction.sources.all() where record.source.status.state == .syncing {
        var state = PassState(record.source.status, source: record.source.name)
        state.stop(now: now)
        try transaction.publish(state.status, of: record.source.name)
      }
    }
  }

  /// Where the sources are; none when the store cannot be read.
  func locations() async -> [SourceLocation] {
    let records = try? await self.storage.read { view throws(Failure) in try view.sources.all() }
    return records?.map(\.location) ?? []
  }

  /// Refuses later passes, cancels those that run and waits for their ends. What they stored stays, and a command that asked
  /// for them ends with `UNAVAILABLE/SHUTTING_DOWN`.
  public func stop() async {
    self.isStopping = true
    await self.stop(Array(self.passes.keys))
  }

  /// Passes that run or wait.
  var passCount: Int { self.passes.values.reduce(0) { $0 + $1.count } }

  /// Cancels the passes of sources, all of them before it waits for any, and those that are asked for meanwhile too.
  func stop(_ names: [String]) async {
    while case let passes = names.flatMap({ self.passes[$0] ?? [] }), !passes.isEmpty {
      for pass in passes { pass.task.cancel() }
      for pass in passes { _ = await pass.task.value }
    }
  }

  /// Runs passes over sources, or joins those that run, and waits for their ends.
  ///
  /// - Parameter names: Of sources; none = all.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` before anything is run; a failure of the store.
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

  /// Joins the pass that runs when it does all that is asked for and has not looked at the source yet, else lets another
  /// follow it.
  private func join(
    _ name: String, _ options: PassOptions, cause: String, progress: (@Sendable (Progress) -> Void)?
  ) -> RunningPass {
    let last = self.passes[name]?.last
    // One that everybody has left is cancelled already.
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

  /// One who waited for a pass does so no more.
  private func leave(_ name: String, _ id: UUIDv7) {
    self.change(name, id) { pass in
      pass.callers -= 1
      if pass.callers == 0 { pass.task.cancel() }
    }
  }

  /// Changes what is noted of a pass; nothing happens when it has ended.
  private func change(_ name: String, _ id: UUIDv7, _ change: @Sendable (inout RunningPass) -> Void) {
    guard let index = self.passes[name]?.firstIndex(where: { $0.id == id }) else { return }
    change(&self.passes[name, default: []][index])
  }

  private func end(_ name: String, _ id: UUIDv7) {
    self.passes[name]?.removeAll { $0.id == id }
    if self.passes[name]?.isEmpty == true { self.passes[name] = nil }
  }

  private static let stopping = Failure(
    .unavailable, "SHUTTING_DOWN", "kithd is stopping. Send the command again when it is back; the pass then goes on.",
    retryAfterMilliseconds: 1000)

  static func unknownSource(_ name: String) -> Failure {
    .unknownRecord(
      name, "There is no source named '\(name.prefix(64))'. `kith contacts source list` shows those there are.")
  }
}

/// Those who wait for a pass and want to hear how far it is.
private final class ProgressSinks: Sendable {
  private let sinks = Lock<[@Sendable (Progress) -> Void]>([])

  func add(_ sink: @escaping @Sendable (Progress) -> Void) { self.sinks.withLock { $0.append(sink) } }

  func report(_ progress: Progress) {
    for sink in self.sinks.withLock({ $0 }) { sink(progress) }
  }
}
