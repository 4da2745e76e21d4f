public import Bus
internal import CivilTime
internal import Foundation
internal import Glibc
internal import KithMessages

/// Keeps the backups of hubs in a folder of this machine: the service `kith.v1.Archive` of a worker.
///
/// It has no store: what it keeps is what is in the folder. Pieces may come twice, and a transfer goes on where it stopped.
public actor ArchiveService {
  private let path: String
  private let now: @Sendable () -> Int64

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - folder: Absolute. It has to be there: a missing one may be a disk that is not mounted.
  ///   - now: Returns the time of day in nanoseconds since 1970.
  public init(folder: String, now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds) {
    self.path = folder
    self.now = now
  }

  /// Its methods.
  public nonisolated var routes: [Route] {
    [
      Route(PutArchiveRequest.self) { request, context throws(Failure) in
        try await self.put(request, context.attachments.first ?? [])
      }
    ]
  }

  /// Takes one piece after another: one that comes twice at once is written once.
  private func put(_ request: PutArchiveRequest, _ piece: [UInt8]) throws(Failure) -> PutArchiveReply {
    guard let name = BackupName(request.name), request.size > 0 else {
      throw .invalid(field: "name", "has to be that of a backup, such as kith-20260131T033000Z-3f9a2c1b.tar.")
    }
    let folder = BackupFolder(path: self.path, household: name.household)
    guard FileManager.default.fileExists(atPath: self.path) else {
      throw BackupArchive.failure(
        "the folder is missing. Mount its disk, or make the folder.", self.path, cause: .folderMissing)
    }
    do {
      var reply = PutArchiveReply()
      if folder.has(request.name) {
        try Self.check(folder.path(of: request.name), request)
        reply.nextOffset = request.size
        reply.kept = true
        return reply
      }
      reply.nextOffset = try Self.append(piece, to: folder, request)
      guard reply.nextOffset == request.size else { return reply }
      do {
        try Self.check(folder.partialPath(of: request.name), request)
      } catch {
        unlink(folder.partialPath(of: request.name))
        throw error
      }
      try DiskTree.synchronize(one: folder.partialPath(of: request.name))
      _ = try folder.take(request.name)
      reply.kept = true
      self.prune(folder, request)
      return reply
    } catch {
      throw BackupArchive.failure(error, folder.path(of: request.name))
    }
  }

  /// Appends a piece if it is the next one.
  ///
  /// - Returns: The size then.
  private static func append(_ piece: [UInt8], to folder: BackupFolder, _ request: PutArchiveRequest) throws -> UInt64 {
    let path = folder.partialPath(of: request.name)
    // Another one that was not finished is over: its hub has gone on.
    if !FileManager.default.fileExists(atPath: path) { folder.removeUnfinished() }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw DiskTree.refusal(path) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let size = try file.seekToEnd()
    guard size <= request.size, size + UInt64(piece.count) <= request.size else {
      unlink(path)
      return 0
    }
    guard request.offset == size, !piece.isEmpty else { return size }
    do {
      try file.write(contentsOf: piece)
    } catch {
      // Half a piece would be where the next one begins.
      try? file.truncate(atOffset: size)
      throw error
    }
    return size + UInt64(piece.count)
  }

  private static func check(_ path: String, _ request: PutArchiveRequest) throws {
    guard try BackupArchive.digest(of: path) == request.sha256 else {
      throw Failure(
        .dataLoss, "DIGEST_MISMATCH", "\(path) is not what was sent. It is sent again with the next backup.")
    }
  }

  /// Removes what is no longer kept, by the rule of the hub.
  private func prune(_ folder: BackupFolder, _ request: PutArchiveRequest) {
    guard self.now() >= SoftwareVersion.released else { return }
    var plan = BackupPlan(folder: folder.path)
    plan.keptDays = Int(request.keepDays)
    plan.keptWeeks = Int(request.keepWeeks)
    plan.keptMonths = Int(request.keepMonths)
    let backups = folder.backups().sorted { $0.made.nanosecondsSince1970 > $1.made.nanosecondsSince1970 }
    // The clocks of two machines may differ a little.
    let now = self.now() + 60_000_000_000
    for backup in plan.surplus(of: backups, keeping: request.name, now: now, in: Zone.system()) {
      unlink(folder.path(of: backup.name))
    }
  }
}
