/// Where jobs are kept. A change is on the disk before any worker or caller hears of it.
public protocol JobStore: Sendable {
  /// Keeps a new job, or finds the one that was made under the same key.
  ///
  /// A job that was cancelled is left behind: its key belongs to the new one.
  func open(_ draft: JobRecord) async throws(Failure) -> JobRecord

  /// Commits changes in their order, with their events. What has ended stays as it is, but for an unknown outcome that becomes
  /// known.
  func apply(_ changes: [JobRecord]) async throws(Failure)

  /// The jobs that were open, or of unknown outcome, when the last process ended; the oldest first.
  func unended() async throws(Failure) -> [JobRecord]

  /// Tells everybody once that a service is placed on workers and none serves it, or that one does again.
  func announce(_ service: String, isServed: Bool) async
}
