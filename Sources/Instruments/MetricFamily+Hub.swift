/// What the hub measures: docs/operations.md has the same table.
extension MetricFamily {
  // MARK: - Commands

  /// Labels: a method of the method table, or `other` for a name that is none; a status code of the protocol.
  public static let commands = MetricFamily(
    "kith_commands_total", .counter, "Commands that were answered or refused, by method and status code.", by: "method",
    "code")
  /// Label: as of ``commands``.
  public static let commandDuration = MetricFamily(
    "kith_command_duration_seconds",
    .histogram([0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30]),
    "Time from the admission of a command to its answer, without refused commands.", by: "method")
  /// Commands that run, answered or not.
  public static let commandsInFlight = MetricFamily("kith_commands_in_flight", .gauge, "Commands that run now.")

  // MARK: - Queues

  /// Label: `writes`, `jobs`, `outbox` or `deliveries`.
  public static let queueLength = MetricFamily(
    "kith_queue_length", .gauge,
    "What waits: writes for the disk, jobs for a worker, changes for the Monica server, messages for their channels.",
    by: "queue")
  /// Label: `failed` or `conflict`.
  public static let outboxStuck = MetricFamily(
    "kith_outbox_stuck", .gauge, "Changes that the Monica server refused, and conflicts, which wait for a person.",
    by: "state")

  // MARK: - Passes

  /// Labels: `contacts` or `monica`; `completed`, `partial`, `failed` or `stopped`.
  public static let passes = MetricFamily(
    "kith_passes_total", .counter, "Passes that ended; a partial one could not read every address book.", by: "kind",
    "result")
  /// Label: as of ``passes``.
  public static let passDuration = MetricFamily(
    "kith_pass_duration_seconds", .histogram([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600]),
    "Time from the start of a pass to its end, by the wall clock.", by: "kind")
  /// Labels: as of ``passes``; `idle`, `syncing`, `completed` or `error`.
  public static let sources = MetricFamily(
    "kith_sources", .gauge, "Sources, and the Monica account, by the state of their last pass.", by: "kind", "state")
  /// Label: as of ``passes``.
  public static let lastSuccess = MetricFamily(
    "kith_last_success_timestamp_seconds", .gauge,
    "When the source that waits longest last completed a pass; 0 if one never did.", by: "kind")

  // MARK: - Workers

  /// Workers that are connected.
  public static let workers = MetricFamily("kith_workers", .gauge, "Workers that are connected.")
  /// Jobs that workers have.
  public static let jobsLeased = MetricFamily("kith_jobs_leased", .gauge, "Jobs that workers have now.")
  /// Label: `taken` or `lost`.
  public static let leaseChanges = MetricFamily(
    "kith_leases_total", .counter,
    "Leases that workers took, and those that ended without a result: the worker was lost, or gave the job back.",
    by: "change")
  /// Label: `done`, `failed`, `dead`, `unknown` or `cancelled`.
  public static let jobsEnded = MetricFamily(
    "kith_jobs_ended_total", .counter,
    "Jobs that ended, by state. One of unknown outcome counts again when its outcome is known.", by: "state")

  // MARK: - Events and messages

  /// Label: a stream.
  public static let events = MetricFamily(
    "kith_events_total", .counter, "Events that were committed and published, by stream.", by: "stream")
  /// Subscriptions of all connections.
  public static let subscriptions = MetricFamily("kith_subscriptions", .gauge, "Subscriptions to events.")
  /// Label: `delivered`, `failed`, `unknown` or `discarded`.
  public static let deliveries = MetricFamily(
    "kith_deliveries_total", .counter, "Messages to channels that were delivered or given up.", by: "state")

  // MARK: - Store

  /// One fsync each, unless nothing changed.
  public static let commitDuration = MetricFamily(
    "kith_commit_duration_seconds",
    .histogram([0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]),
    "Time of COMMIT with its fsync; several writes share one.")
  /// Writes of commands, passes and all else.
  public static let writes = MetricFamily("kith_writes_total", .counter, "Writes that were committed or undone alone.")
  /// Groups that were rolled back.
  public static let failedCommits = MetricFamily(
    "kith_failed_commits_total", .counter, "Groups of writes that could not be committed.")
  /// The database with its write-ahead log.
  public static let storeBytes = MetricFamily(
    "kith_store_bytes", .gauge, "Size of the database with its write-ahead log.")
  /// 0 or 1.
  public static let storeDamaged = MetricFamily(
    "kith_store_damaged", .gauge, "1 if the database is known to be damaged, else 0.")

  // MARK: - Connections

  /// Label: a plane.
  public static let connections = MetricFamily(
    "kith_connections", .gauge, "Connections, including those in their handshake.", by: "plane")
  /// Label: a plane.
  public static let failedHandshakes = MetricFamily(
    "kith_failed_handshakes_total", .counter, "Connections that were not let in.", by: "plane")
  /// Of all planes.
  public static let cutConnections = MetricFamily(
    "kith_cut_connections_total", .counter,
    "Connections that the hub cut, because they exceeded a bound or broke the protocol.")
  /// Of all planes.
  public static let unreadBytes = MetricFamily(
    "kith_unread_bytes", .gauge, "Received from all connections, and not taken yet.")
  /// Of all planes.
  public static let unsentBytes = MetricFamily(
    "kith_unsent_bytes", .gauge, "Handed over for all connections, and not sent yet.")

  // MARK: - Process

  /// Label: the version.
  public static let build = MetricFamily(
    "kith_build_info", .gauge, "Always 1; the label is the version.", by: "version")
  /// Under the names that every program has: Prometheus, "Writing client libraries".
  public static let startTime = MetricFamily(
    "process_start_time_seconds", .gauge, "When kithd started, in seconds since 1970.")
  /// Of all threads.
  public static let processorTime = MetricFamily(
    "process_cpu_seconds_total", .counter, "Processor time that kithd has used.")
  /// With pages that it shares with others.
  public static let residentMemory = MetricFamily(
    "process_resident_memory_bytes", .gauge, "Memory of kithd that is resident.")
  /// Address space.
  public static let virtualMemory = MetricFamily(
    "process_virtual_memory_bytes", .gauge, "Address space of kithd.")
  /// Files and sockets.
  public static let openDescriptors = MetricFamily("process_open_fds", .gauge, "Descriptors that kithd has open.")
  /// The soft limit.
  public static let mostDescriptors = MetricFamily(
    "process_max_fds", .gauge, "Descriptors that kithd may have open.")

  /// All of them, in the order of the text.
  public static let all: [MetricFamily] = [
    commands, commandDuration, commandsInFlight, queueLength, outboxStuck, passes, passDuration, sources, lastSuccess,
    workers, jobsLeased, leaseChanges, jobsEnded, events, subscriptions, deliveries, commitDuration, writes,
    failedCommits, storeBytes, storeDamaged, connections, failedHandshakes, cutConnections, unreadBytes, unsentBytes,
    build, startTime, processorTime, residentMemory, virtualMemory, openDescriptors, mostDescriptors,
  ]
}
