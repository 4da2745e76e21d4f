internal import Bus

/// The times and numbers of the work plane: protocol.md, "Workers".
struct WorkTiming: Sendable {
  /// Between two heartbeats of either side.
  var heartbeat = Duration.milliseconds(2500)
  /// A worker of which nothing was heard for so long is gone: four heartbeats.
  var silence = Duration.seconds(10)
  /// A lease that nothing renews ends after this.
  var lease = Duration.seconds(30)
  /// How long a worker that is gone may come back to its leases; to those of what may happen once, until they end.
  var grace = Duration.seconds(10)
  /// Workers that may be lost over a job.
  var attempts: UInt32 = 5
  /// The waits after losses.
  var backoff = Backoff(first: 1_000_000_000, longest: 60_000_000_000)
  /// Batches that may be unanswered.
  var window: UInt32 = 2
}
