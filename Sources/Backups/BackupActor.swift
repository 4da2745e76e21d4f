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
  private let stateDirectory: String
  private let alarm: WallAlarm?
  private let logger: Logger
  private let now: @Sendable () -> Int64
  private let zone: @Sendable () -> Zone
  private var making: Task<Result<MadeBackup, Failure>, Never>?
  private var waiting: Task<Void, Never>?

  /// Makes an actor that does nothing before ``start()``.
  ///
  /// - Parameters:
  ///   - plan: Nil = no folder is configured.
  ///   - stateDirectory: The directory of the store, its recordings and its secrets.
  ///   - alarm: Calls the actor when a backup is due; nil if the owner calls ``tick()``.
  ///   - now: Returns the time of day in nanoseconds since 1970.
  public init(
    storage: StorageActor, plan: BackupPlan?, stateDirectory: String, alarm: WallAlarm?, logger: Logger,
    now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds,
    zone: @escaping @Sendable () -> Zone = { Zone.system() }
  ) {
    self.storage = storage
    self.plan = plan
    self.stateDirectory = stateDirectory
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
    self.removeLeftovers()
    guard self.plan != nil else { return }
    await self.alarm?.connect { [weak self] in
      guard let self else { return }
      Task { await self.wake() }
    }
    self.wake()
  }

  /// Stops waiting, and ends an attempt that is under way.
  public func stop() async {
    self.alarm?.set(nil)
    self.waiting?.cancel()
    self.making?.cancel()
    _ = await self.making?.value
  }

  private func wake() {
    guard self.waiting == nil else { return }
    self.waiting = Task {
      await self.tick()
      self.waiting = nil
    }
  }

  /// Makes a backup if one is due, and sets the alarm for the next.
  public func tick() async {
    guard let plan = self.plan else { return }
    do throws(Failure) {
      if plan.next(after: try await self.backups(), now: self.now(), in: self.zone()) <= self.now() {
        // What failed is stored; the next attempt comes by the plan.
        _ = try? await self.make()
      }
      guard !Task.isCancelled else { return }
      self.alarm?.set(plan.next(after: try await self.backups(), now: self.now(), in: self.zone()))
    } catch {
      self.logger.error("backups wait for the store", metadata: ["error": "\(error)"])
      self.alarm?.set(self.now() + 3_600_000_000_000)
    }
  }

  /// The plan and what came of it: `Backups/List`.
  ///
  /// - Throws: A failure of the store.
  public func state() async throws(Failure) -> BackupState {
    var state = BackupState()
    state.backups = try await self.backups()
    if let good = state.backups.first(where: { $0.knownState == .good }) { state.lastGood = good.made }
    state.fault = state.backups.first?.fault ?? ""
    guard let plan = self.plan else { return state }
    state.folder = plan.folder
    state.at = "\(plan.at)"
    state.next = .init(nanosecondsSince1970: plan.next(after: state.backups, now: self.now(), in: self.zone()))
    return state
  }

  private func backups() async throws(Failure) -> [MadeBackup] {
    try await self.storage.read { view throws(Failure) in try view.backups.all() }
  }

  /// Makes a backup that has everything recorded before the call: after the one that is being made.
  ///
  /// - Returns: The backup, which is sound.
  /// - Throws: `FAILED_PRECONDITION/BACKUP_NOT_CONFIGURED`; why none came of it.
  public func make() async throws(Failure) -> MadeBackup {
    guard let plan = self.plan else {
      throw Failure(
        .failedPrecondition, "BACKUP_NOT_CONFIGURED",
        "No folder for backups is configured. Add folder = \"/…\" under [backup] in kithd.toml and restart kithd.")
    }
    while let other = self.making { _ = await other.value }
    let task = Task {
      defer { self.making = nil }
      return await self.attempt(plan)
    }
    self.making = task
    return try await task.value.get()
  }

  /// Removes what a process that was killed left of its work.
  private func removeLeftovers() {
    let files = FileManager.default
    try? files.removeItem(atPath: self.scratch)
    guard let folder = self.plan?.folder, let names = try? files.contentsOfDirectory(atPath: folder) else { return }
    for name in names where name.hasPrefix("kith-") && name.hasSuffix(".partial") {
      try? files.removeItem(atPath: "\(folder)/\(name)")
    }
  }

  private var scratch: String { "\(self.stateDirectory)/backup.scratch" }

  /// Makes one, and stores what came of it.
  private func attempt(_ plan: BackupPlan) async -> Result<MadeBackup, Failure> {
    var backup = MadeBackup()
    backup.made = .init(nanosecondsSince1970: self.now())
    let known = Set(((try? await self.backups()) ?? []).map(\.name))
    // The clock may show a second twice.
    let names = (0...).lazy.map {
      Self.name(at: self.now() + $0 * 1_000_000_000, isEncrypted: plan.passphraseFile != nil)
    }
    backup.name = names.first { !known.contains($0) } ?? ""
    backup.encrypted = plan.passphraseFile != nil
    backup.withSecrets = plan.hasSecrets
    backup.version = SoftwareVersion.current
    do throws(Failure) {
      backup.size = try await self.write(backup, plan)
      backup.knownState = .good
      // It counts from here on; the program may take an hour.
      try await self.store(backup)
      self.logger.info("backup", metadata: ["name": "\(backup.name)", "bytes": "\(backup.size)"])
      try await self.prune(plan)
      if let fault = await self.hand(backup, to: plan.command, in: plan.folder) {
        self.logger.error("the program of [backup] failed", metadata: ["why": "\(fault)"])
        backup.fault = fault
        try await self.store(backup)
      }
      return .success(backup)
    } catch {
      backup.knownState = .failed
      backup.fault = error.message
      try? await self.store(backup)
      self.logger.error("no backup", metadata: ["error": "\(error)"])
      return .failure(error)
    }
  }

  /// Writes the archive beside its name, checks it, and gives it its name.
  ///
  /// - Returns: Its size in bytes.
  private func write(_ backup: MadeBackup, _ plan: BackupPlan) async throws(Failure) -> UInt64 {
    let files = FileManager.default
    let final = "\(plan.folder)/\(backup.name)"
    let archive = BackupArchive(path: "\(final).partial", passphraseFile: plan.passphraseFile, scratch: self.scratch)
    defer { try? files.removeItem(atPath: self.scratch) }
    do {
      let ownerOnly: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
      let (content, restored) = ("\(self.scratch)/content", "\(self.scratch)/restored")
      for path in [plan.folder, content, restored] {
        try files.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: ownerOnly)
      }
      try await self.storage.copy(to: "\(content)/\(BackupArchive.store)")
      for name in [BackupArchive.sounds] + (plan.hasSecrets ? BackupArchive.secrets : []) {
        let source = "\(self.stateDirectory)/\(name)"
        guard files.fileExists(atPath: source) else { continue }
        try files.copyItem(atPath: source, toPath: "\(content)/\(name)")
      }
      try await archive.write(content, version: backup.version, name: backup.name)
      try files.removeItem(atPath: content)
      try await archive.unpack(into: restored)
      try files.moveItem(atPath: archive.path, toPath: final)
      let size = try files.attributesOfItem(atPath: final)[.size] as? UInt64
      return size ?? 0
    } catch {
      try? files.removeItem(atPath: archive.path)
      throw BackupArchive.failure(error, final)
    }
  }

  /// Removes the files of backups that are no longer kept, and forgets those whose file somebody removed.
  private func prune(_ plan: BackupPlan) async throws(Failure) {
    let backups = try await self.backups()
    for backup in plan.surplus(of: backups, in: self.zone()) {
      try? FileManager.default.removeItem(atPath: "\(plan.folder)/\(backup.name)")
    }
    let gone = backups.filter {
      $0.knownState == .good && !FileManager.default.fileExists(atPath: "\(plan.folder)/\($0.name)")
    }
    guard !gone.isEmpty else { return }
    try await self.storage.write { transaction throws(Failure) in
      for backup in gone { try transaction.backups.forget(backup.name) }
    }
  }

  private func store(_ backup: MadeBackup) async throws(Failure) {
    try await self.storage.write { transaction throws(Failure) in try transaction.backups.put(backup) }
  }

  /// Runs the household's own program, such as one that copies the file to another machine.
  ///
  /// - Returns: What went wrong; nil if nothing did.
  private func hand(_ backup: MadeBackup, to command: [String], in folder: String) async -> String? {
    guard let program = command.first else { return nil }
    let child = ChildProcess(
      program, command.dropFirst() + ["\(folder)/\(backup.name)"], directory: "/",
      limits: ChildProcess.Limits(time: .seconds(3000), memory: nil, fileSize: nil, isOutputCut: true))
    do throws(ChildProcess.Fault) {
      let outcome = try await child.run()
      guard outcome.ending != .exited(0) else { return nil }
      return "\(program) did not take the backup: \(outcome.complaint)"
    } catch {
      return "\(program) did not take the backup: \(error)"
    }
  }

  /// `kith-20260131T033000Z.tar`, with `.gpg` if it is encrypted.
  private static func name(at moment: Int64, isEncrypted: Bool) -> String {
    let letters = Date(timeIntervalSince1970: Double(moment / 1_000_000_000)).ISO8601Format().filter {
      !"-:".contains($0)
    }
    return "kith-\(letters).tar\(isEncrypted ? ".gpg" : "")"
  }
}
