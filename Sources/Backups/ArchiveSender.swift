internal import Bus
internal import Foundation
internal import KithMessages

/// Sends a backup to the worker that keeps it too, piece by piece.
struct ArchiveSender: Sendable {
  let port: any Bus.Port
  let plan: BackupPlan

  /// The bytes of a piece.
  private static let piece = 1 << 20
  /// So many replies that ask for what was sent are enough.
  private static let mostRepeats = 5

  /// Sends a file, from where an earlier attempt stopped.
  ///
  /// - Throws: What the worker throws; `NO_WORKER` if it is not connected; `BACKUP_FAILED`, `CANCELLED`.
  @concurrent
  func send(_ backup: MadeBackup, _ path: String) async throws(Failure) {
    do {
      var request = PutArchiveRequest()
      request.name = backup.name
      request.size = backup.size
      request.sha256 = try BackupArchive.digest(of: path)
      request.keepDays = UInt32(self.plan.keptDays)
      request.keepWeeks = UInt32(self.plan.keptWeeks)
      request.keepMonths = UInt32(self.plan.keptMonths)
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? file.close() }
      var reply = try await self.port.ask(request)
      var repeats = 0
      while !reply.kept {
        try Task.checkCancellation()
        request.offset = reply.nextOffset
        try file.seek(toOffset: request.offset)
        let piece = [UInt8](try file.read(upToCount: Self.piece) ?? Data())
        var context = CallContext()
        context.attachments = [piece]
        reply = try await self.port.ask(request, context)
        repeats = reply.nextOffset > request.offset ? 0 : repeats + 1
        guard repeats < Self.mostRepeats else {
          throw BackupArchive.failure("the worker asks for the same piece again and again. Look at its log.", path)
        }
      }
    } catch {
      throw BackupArchive.failure(error, path)
    }
  }
}
