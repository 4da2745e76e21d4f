public import Bus
public import CivilTime
public import EventLoop
internal import Foundation
public import KithMessages
public import Logging
public import Storage

/// Makes a backup of everything each day, restores it in a scratch directory, and checks it before it counts.
///
/// What came of each attempt is a row of the store and an event of the stream `system`, so that `kith status` says when the last sound
/// one was made.
public actor BackupActor {
  private let storage: StorageActor
  private let plan: BackupPlan?
  private let folder: BackupFolder
  private let stateDirectory: String
  private let alarm: WallAlarm?
  /// To the worker that keeps each backup too.
  private let archive: (any Bus.Port)?
  private let logger: Logger
  private let now: @Sendable () -> Int64
  private let zone: @Sendable () -> Zone
  /// Files are read and written there, so that the actor answers meanwhile.
  private let disk = ThreadExecutor(name: "kith.backups")
  private var running: Run?
  /// Has not begun yet.
  private var following: Run?
  private var waiting: Task<Void, Never>?
  /// How often handing the newest backup over has failed since it was made or kithd started, and when it was tried last.
  private var handovers: (failures: Int, last: Int64) = (0, 0)
  private var isStopped = false

  /// Looks whether a backup is due, and makes it.
  private struct Run {
    /// The backup; nil if none was due.
    let task: Task<Result<MadeBackup?, Failure>, Never>
    /// Whether somebody asks for one, due or not.
    var isAsked: Bool
  }

  /// Makes an actor that does nothing before ``start()``.
  ///
  /// - Parameters:
  ///   - plan: Nil = no folder is configured.
  ///   - household: Tells the files of this hub from those of others in the same folder: letters and digits.
  ///   - stateDirectory: The directory of the store, its recordings and its secrets.
  ///   - archive: The port to the worker of the plan.
  ///   - alarm: Calls the actor when a backup is due; nil if the owner calls ``tick()``.
  ///   - now: Returns the time of day in nanoseconds since 1970.
  public init(
    storage: StorageActor, plan: BackupPlan?, household: String, stateDirectory: String, archive: (any Bus.Port)? = nil,
    alarm: WallAlarm?, logger: Logger, now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds,
    zone: @escaping @Sendable () -> Zone = { Zone.system() }
  ) {
    self.storage = storage
    self.plan = plan
    self.folder = BackupFolder(path: plan?.folder ?? "", household: household)
    self.stateDirectory = stateDirectory
    self.archive = archive
    self.alarm = alarm
    self.logger = logger
    self.now = now
    self.zone = zone
  }

  /// The methods of `kith.v1.Backups`.
  public nonisolated var routes: [Route] {
    [
      Route(ListBackupsRequest.self) { _, _ throws(Failure) in try await self.state() },
      Route(answering: MakeBackupRequest.self) { _, context throws(Failure) in
        let made = try await self.make()
        return try await self.storage.commit(MakeBackupRequest.self, context) { _ throws(Failure) in made }
      },
    ]
  }

  /// Makes the backup that became due while this machine was off, and waits for the next.
  public func start() async {
    // No restore is under way: the store is open.
    for leftover in [self.scratch, "\(self.stateDirectory)/restore.scratch"] {
      try? FileManager.default.removeItem(atPath: leftover)
    }
    guard self.plan != nil else { return }
    await self.alarm?.connect { [weak self] in
      guard let self else { return }
      Task { await self.wake() }
    }
    self.wake()
  }

  /// Ends an attempt that is under way, and begins no other.
  public func stop() async {
    self.isStopped = true
    self.alarm?.set(nil)
    for run in [self.running, self.following] { run?.task.cancel() }
    for run in [self.running, self.following] { _ = await run?.task.value }
    await self.waiting?.value
  }

  private func wake() {
    guard self.waiting == nil, !self.isStopped else { return }
    self.waiting = Task {
      await self.tick()
      self.waiting = nil
    }
  }

  /// Makes a backup if one is due, and sets the alarm for the next.
  public func tick() async {
    guard let plan = self.plan else { return }
    // What failed is stored; the next attempt comes by the plan.
    _ = await self.run(plan, isAsked: false).value
    let next = await self.nextLook(plan)
    guard !self.isStopped else { return }
    self.alarm?.set(next)
  }

  /// When to look again: never at once, whatever the store says.
  func nextLook(_ plan: BackupPlan) async -> Int64 {
    // The alarm rings, too, when the clock is set.
    if self.clockFault != nil { return SoftwareVersion.released }
    do throws(Failure) {
      let known = try await self.backups()
      let next = plan.next(after: known, now: self.now(), in: self.zone())
      return max(self.unhanded(known) == nil ? next : min(next, self.nextHandover), self.now() + 60_000_000_000)
    } catch {
      self.logger.error("backups wait for the store", metadata: ["error": "\(error)"])
      return self.now() + 3_600_000_000_000
    }
  }

  /// The newest sound backup, if the worker or the household's program has not taken it.
  private func unhanded(_ backups: [MadeBackup]) -> MadeBackup? {
    let newest = BackupPlan.past(backups, now: self.now()).first { $0.knownState == .good }
    return newest.flatMap { $0.awaitsWorker || $0.awaitsProgram ? $0 : nil }
  }

  /// When to hand the newest one over again; after a start at once.
  private var nextHandover: Int64 {
    self.handovers.failures == 0 ? 0 : self.handovers.last + BackupHandover.backoff.wait(after: self.handovers.failures)
  }

  /// The plan and what came of it: `Backups/List`.
  ///
  /// - Throws: A failure of the store.
  public func state() async throws(Failure) -> BackupState {
    var state = BackupState()
    state.backups = try await self.backups()
    let past = BackupPlan.past(state.backups, now: self.now())
    if let good = past.first(where: { $0.knownState == .good }) { state.lastGood = good.made }
    if let newest = past.first {
      state.fault = newest.fault
      if newest.hasError { state.error = newest.error }
    }
    guard let plan = self.plan else { return state }
    if let clockFault { (state.fault, state.error) = (clockFault.message, clockFault.status) }
    state.folder = plan.folder
    state.at = "\(plan.at)"
    state.next = .init(nanosecondsSince1970: plan.next(after: past, now: self.now(), in: self.zone()))
    return state
  }

  private func backups() async throws(Failure) -> [MadeBackup] {
    try await self.storage.read { view throws(Failure) in try view.backups.all() }
  }

  private var clockFault: Failure? {
    guard self.now() < SoftwareVersion.released else { return nil }
    return Failure(
      .failedPrecondition, "CLOCK_UNSET",
      "The clock of this machine stands before the day on which this kithd was released, so no backup is made. Set the "
        + "clock: timedatectl set-ntp true")
  }

  /// Makes a backup that has everything recorded before the call: after the one that is being made, if there is one. All who ask
  /// meanwhile share it.
  ///
  /// - Returns: The backup, which is sound.
  /// - Throws: `FAILED_PRECONDITION/BACKUP_NOT_CONFIGURED`, `CLOCK_UNSET`, `UNAVAILABLE/SHUTTING_DOWN`; why none came of it.
  public func make() async throws(Failure) -> MadeBackup {
    guard let plan = self.plan else {
      throw Failure(
        .failedPrecondition, "BACKUP_NOT_CONFIGURED",
        "No folder for backups is configured. Add folder = \"/…\" under [backup] in kithd.toml and restart kithd.")
    }
    guard let made = try await self.run(plan, isAsked: true).value.get() else { throw Self.stopping }
    return made
  }

  private static let stopping = Failure(
    .unavailable, "SHUTTING_DOWN", "kithd is stopping. Try again when it runs.")

  /// The run that has not begun yet; one that follows the running one if there is none.
  private func run(_ plan: BackupPlan, isAsked: Bool) -> Task<Result<MadeBackup?, Failure>, Never> {
    if let following {
      self.following?.isAsked = isAsked || following.isAsked
      return following.task
    }
    let before = self.running?.task
    let task = Task {
      _ = await before?.value
      return await self.begin(plan)
    }
    self.following = Run(task: task, isAsked: isAsked)
    return task
  }

  private func begin(_ plan: BackupPlan) async -> Result<MadeBackup?, Failure> {
    (self.running, self.following) = (self.following, nil)
    defer { self.running = nil }
    guard !self.isStopped else { return .failure(Self.stopping) }
    if let clockFault { return .failure(clockFault) }
    do throws(Failure) {
      let known = try await self.reconcile()
      let isDue = plan.next(after: known, now: self.now(), in: self.zone()) <= self.now()
      guard self.running?.isAsked == true || isDue else {
        if let newest = self.unhanded(known), self.nextHandover <= self.now() { await self.handOver(newest, plan) }
        return .success(nil)
      }
    } catch {
      return .failure(error)
    }
    return await self.attempt(plan).map { $0 }
  }

  /// Makes what is known of the folder true again: somebody may have removed files, or put them back, and a process that was killed
  /// may have made one that it did not store.
  ///
  /// - Returns: What is known then, newest first.
  private func reconcile() async throws(Failure) -> [MadeBackup] {
    let folder = self.folder
    let known = Set(try await self.backups().filter { $0.knownState == .good }.map(\.name))
    let difference = await withTaskExecutorPreference(self.disk) {
      await folder.removeLeftovers()
      return await folder.difference(from: known)
    }
    if !difference.found.isEmpty || !difference.gone.isEmpty {
      try await self.storage.write { transaction throws(Failure) in
        for backup in difference.found { try transaction.backups.adopt(backup) }
        for name in difference.gone { try transaction.backups.forget(name) }
      }
    }
    return try await self.backups()
  }

  private var scratch: String { "\(self.stateDirectory)/backup.scratch" }

  /// Makes one, and stores what came of it.
  private func attempt(_ plan: BackupPlan) async -> Result<MadeBackup, Failure> {
    var backup = MadeBackup()
    backup.made = .init(nanosecondsSince1970: self.now())
    backup.encrypted = plan.cipher != nil
    backup.withSecrets = plan.hasSecrets
    backup.version = SoftwareVersion.current
    do throws(Failure) {
      let known = try await self.backups()
      backup.name = await self.name(for: backup, except: Set(known.map(\.name)))
      let making = BackupMaking(
        folder: self.folder, scratch: self.scratch, cipher: plan.cipher,
        content: BackupContent(
          storage: self.storage, stateDirectory: self.stateDirectory, hasSecrets: plan.hasSecrets),
        known: Set(known.filter { $0.knownState == .good }.map(\.name)), isAsked: self.running?.isAsked == true)
      backup.size = try await withTaskExecutorPreference(self.disk) { [backup] () async throws(Failure) in
        try await making.run(backup)
      }
      backup.knownState = .good
      backup.awaitsWorker = self.archive != nil && plan.worker != nil
      backup.awaitsProgram = !plan.command.isEmpty
      try await self.keep(backup)
    } catch {
      return .failure(await self.note(error, of: backup))
    }
    self.logger.info("backup", metadata: ["name": "\(backup.name)", "bytes": "\(backup.size)"])
    await self.prune(plan, keeping: backup.name)
    self.handovers.failures = 0
    return .success(await self.handOver(backup, plan))
  }

  private func name(for backup: MadeBackup, except known: Set<String>) async -> String {
    let folder = self.folder
    return await withTaskExecutorPreference(self.disk) {
      await folder.name(at: backup.made.nanosecondsSince1970, isEncrypted: backup.encrypted, except: known)
    }
  }

  /// Stores one that has its name. It counts from here on; the household's program may take an hour.
  private func keep(_ backup: MadeBackup) async throws(Failure) {
    FaultPoint.backupNamed.pass()
    do throws(Failure) {
      try await self.store(backup)
    } catch {
      // Without a row, each attempt would leave another file.
      await self.remove([backup.name])
      throw error
    }
    FaultPoint.backupStored.pass()
  }

  /// Stores that none came of an attempt, unless kithd is stopping.
  ///
  /// - Returns: What its callers are told.
  private func note(_ failure: Failure, of backup: MadeBackup) async -> Failure {
    guard !self.isStopped else { return Self.stopping }
    var backup = backup
    backup.knownState = .failed
    (backup.fault, backup.error) = (failure.message, failure.status)
    try? await self.store(backup)
    self.logger.error("no backup", metadata: ["error": "\(failure)"])
    return failure
  }

  /// Removes the files of backups that are no longer kept, and forgets them. What is left of it is done after the next backup.
  private func prune(_ plan: BackupPlan, keeping new: String) async {
    do throws(Failure) {
      let surplus = plan.surplus(of: try await self.backups(), keeping: new, now: self.now(), in: self.zone())
      await self.remove(surplus.map(\.name))
      _ = try await self.reconcile()
    } catch {
      self.logger.error("earlier backups could not be looked through", metadata: ["error": "\(error)"])
    }
  }

  private func remove(_ names: [String]) async {
    let folder = self.folder
    await withTaskExecutorPreference(self.disk) { await folder.remove(names) }
  }

  private func store(_ backup: MadeBackup) async throws(Failure) {
    try await self.storage.write { transaction throws(Failure) in try transaction.backups.put(backup) }
  }

  /// Gives a backup to the worker and the program that have not taken it, and stores what came of it.
  ///
  /// - Returns: The backup with what is still awaited, and why.
  @discardableResult
  private func handOver(_ backup: MadeBackup, _ plan: BackupPlan) async -> MadeBackup {
    guard backup.awaitsWorker || backup.awaitsProgram else { return backup }
    let handover = BackupHandover(
      archive: self.archive, plan: plan, folder: self.folder, disk: self.disk, logger: self.logger)
    let handed = await handover.run(backup)
    self.handovers = (handed.fault.isEmpty ? 0 : self.handovers.failures + 1, self.now())
    // Where it cannot be stored, it is handed over again, which takes nothing from anybody.
    try? await self.storage.write { transaction throws(Failure) in
      // One that was taken at once has been told of.
      if handed.fault == backup.fault {
        try transaction.backups.adopt(handed)
      } else {
        try transaction.backups.put(handed)
      }
    }
    return handed
  }
}
