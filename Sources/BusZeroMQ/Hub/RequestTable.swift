internal import Bus
internal import KithMessages

/// The unanswered requests of the control plane.
///
/// A pure value: time is passed in, directives come out. It keeps the protocol's promises about time: Accepted within a
/// second, a sign of life every three seconds, progress at most four times a second, no answer after the deadline.
struct RequestTable {
  /// Identifies a request of a connection.
  struct Key: Hashable, Sendable {
    /// The routing id; it is never shown.
    let peer: [UInt8]
    let requestID: String
  }

  /// What is needed to answer a request.
  struct Request: Sendable {
    let principal: String
    let service: String
    let encoding: Encoding
    /// The hash of the body.
    let content: Int
    /// Whether the peer is a REQ socket, which gets only a FINAL.
    let isPlainRequest: Bool
    let wantsProgress: Bool
    /// The bytes of its body and attachments.
    let bytes: Int
    let deadline: ContinuousClock.Instant
  }

  /// The next steps of the plane.
  enum Directive: Hashable, Sendable {
    case sendAccepted(Key, sequence: UInt32)
    case sendProgress(Key, Progress, sequence: UInt32)
    case expire(Key)
  }

  /// Distinguishes admissions with the same key; the end of an earlier one may still arrive.
  typealias Serial = UInt64

  /// A request to be answered, and when it was admitted.
  typealias Ended = (request: Request, sequence: UInt32, since: ContinuousClock.Instant)

  /// The decision about a new request.
  enum Admission: Equatable {
    case admitted(Serial)
    /// A retry of a running request, whose answer the sender will get.
    case duplicate
    case refused(Failure)
  }

  /// The most requests in flight: protocol.md, "Bounded memory".
  struct Limits: Sendable {
    var perConnection = 64
    var perPrincipal = 128
    var total = 512
    /// The part of the total that is reserved for this machine, so that its admin can always act.
    var local = 64
    /// The bytes of all bodies and attachments; a principal may use half of it, a connection three eighths: more than the pieces of a
    /// blob that may be unacknowledged (`WireLimits.window`).
    var bytes = ClientMemory().requests
  }

  /// The number and bytes of requests in flight.
  private struct Load {
    var count = 0
    var bytes = 0

    mutating func add(_ bytes: Int) {
      self.count += 1
      self.bytes += bytes
    }
  }

  private struct Entry {
    let request: Request
    let serial: Serial
    let admittedAt: ContinuousClock.Instant
    var lastSentAt: ContinuousClock.Instant
    var lastProgressAt: ContinuousClock.Instant?
    var latest: Progress?
    var hasUnsentProgress = false
    var sequence: UInt32 = 0
  }

  private static let acceptAfter = Duration.seconds(1)
  private static let signOfLifeEvery = Duration.seconds(3)
  private static let progressEvery = Duration.milliseconds(250)

  private let limits: Limits
  private var entries: [Key: Entry] = [:]
  /// The requests that were answered at their deadline and whose tasks have not ended yet.
  private var overdue: [Serial: (key: Key, request: Request)] = [:]
  private var lastSerial: Serial = 0
  private var perConnection: [[UInt8]: Load] = [:]
  private var perPrincipal: [String: Load] = [:]
  private var all = Load()

  /// When ``tick(_:)`` is due; nil if nothing is in flight.
  private(set) var wakeAt: ContinuousClock.Instant?

  init(limits: Limits = Limits()) { self.limits = limits }

  /// The number of unanswered requests.
  var count: Int { self.entries.count }

  /// The number of running requests, answered or not.
  var running: Int { self.all.count }

  /// The request in flight with this key.
  func request(_ key: Key) -> Request? { self.entries[key]?.request }

  mutating func admit(_ key: Key, _ request: Request, now: ContinuousClock.Instant) -> Admission {
    if let running = self.entries[key]?.request {
      guard running.principal == request.principal, running.service == request.service,
        running.content == request.content
      else {
        return .refused(
          Failure(
            .invalidArgument, "IDEMPOTENCY_KEY_REUSED",
            "This request id belongs to another command that is running. Use a new one for a new command."))
      }
      return .duplicate
    }
    guard self.hasRoom(key, request) else {
      return .refused(
        Failure(
          .resourceExhausted, "INFLIGHT_LIMIT",
          "Too many commands at once, or too large ones: \(self.limits.perConnection) a connection, "
            + "\(self.limits.perPrincipal) a user. Wait for answers before sending more.", retryAfterMilliseconds: 100))
    }
    self.lastSerial += 1
    self.entries[key] = Entry(request: request, serial: self.lastSerial, admittedAt: now, lastSentAt: now)
    self.all.add(request.bytes)
    self.perConnection[key.peer, default: Load()].add(request.bytes)
    self.perPrincipal[request.principal, default: Load()].add(request.bytes)
    self.wake(at: min(now + Self.acceptAfter, request.deadline))
    return .admitted(self.lastSerial)
  }

  /// Records progress. The latest progress replaces one that was not sent yet.
  mutating func progress(
    _ key: Key, _ serial: Serial, _ progress: Progress, now: ContinuousClock.Instant
  ) -> [Directive] {
    guard var entry = self.entries[key], entry.serial == serial, !entry.request.isPlainRequest,
      entry.request.wantsProgress
    else { return [] }
    entry.latest = progress
    entry.hasUnsentProgress = true
    let due = entry.lastProgressAt.map { $0 + Self.progressEvery } ?? now
    guard due <= now else {
      self.entries[key] = entry
      self.wake(at: due)
      return []
    }
    let directives = Self.send(&entry, key, now: now)
    self.entries[key] = entry
    return directives
  }

  /// Removes a request whose task has ended.
  ///
  /// - Returns: What is needed to answer it; nil if it was answered at its deadline.
  mutating func finish(_ key: Key, _ serial: Serial) -> Ended? {
    if let entry = self.overdue[serial], entry.key == key {
      self.overdue[serial] = nil
      self.release(key, entry.request)
      return nil
    }
    guard self.entries[key]?.serial == serial, let entry = self.take(key) else { return nil }
    self.release(key, entry.request)
    return (entry.request, entry.sequence, entry.admittedAt)
  }

  /// Removes a request whose deadline is over. It counts against the limits until its task has ended: otherwise commands
  /// with short deadlines could run in any number.
  ///
  /// - Returns: What is needed to answer it; nil if it was answered before.
  mutating func expire(_ key: Key) -> Ended? {
    guard let entry = self.take(key) else { return nil }
    self.overdue[entry.serial] = (key, entry.request)
    return (entry.request, entry.sequence, entry.admittedAt)
  }

  /// Handles the passage of time.
  mutating func tick(_ now: ContinuousClock.Instant) -> [Directive] {
    guard let wakeAt = self.wakeAt, wakeAt <= now else { return [] }
    var directives: [Directive] = []
    self.wakeAt = nil
    for (key, var entry) in self.entries {
      if entry.request.deadline <= now {
        directives.append(.expire(key))
        continue
      }
      if !entry.request.isPlainRequest {
        if entry.hasUnsentProgress, (entry.lastProgressAt.map { $0 + Self.progressEvery } ?? now) <= now {
          directives += Self.send(&entry, key, now: now)
        } else if entry.lastSentAt + Self.silence(of: entry) <= now {
          directives += Self.send(&entry, key, now: now)
        }
        self.entries[key] = entry
        var next = entry.lastSentAt + Self.silence(of: entry)
        if entry.hasUnsentProgress, let last = entry.lastProgressAt { next = min(next, last + Self.progressEvery) }
        self.wake(at: next)
      }
      self.wake(at: entry.request.deadline)
    }
    return directives
  }

  private mutating func wake(at moment: ContinuousClock.Instant) {
    self.wakeAt = self.wakeAt.map { min($0, moment) } ?? moment
  }

  private static func silence(of entry: Entry) -> Duration {
    entry.sequence == 0 ? self.acceptAfter : self.signOfLifeEvery
  }

  /// Accepted is sent first; afterwards the latest progress, even if unchanged.
  private static func send(_ entry: inout Entry, _ key: Key, now: ContinuousClock.Instant) -> [Directive] {
    var directives: [Directive] = []
    if entry.sequence == 0 {
      directives.append(.sendAccepted(key, sequence: 0))
      entry.sequence = 1
    }
    if entry.hasUnsentProgress || directives.isEmpty {
      directives.append(.sendProgress(key, entry.latest ?? Progress(), sequence: entry.sequence))
      entry.sequence += 1
      entry.hasUnsentProgress = false
      entry.lastProgressAt = now
    }
    entry.lastSentAt = now
    return directives
  }

  /// Whether one more request is within the limits. A request without others in flight always is.
  private func hasRoom(_ key: Key, _ request: Request) -> Bool {
    let isRemote = !request.principal.hasPrefix("uid:")
    let (connection, principal) = (
      self.perConnection[key.peer] ?? Load(), self.perPrincipal[request.principal] ?? Load()
    )
    func fits(_ load: Load, _ count: Int, _ bytes: Int) -> Bool {
      load.count < count && (load.bytes == 0 || load.bytes + request.bytes <= bytes)
    }
    return fits(connection, self.limits.perConnection, self.limits.bytes / 8 * 3)
      && fits(principal, self.limits.perPrincipal, self.limits.bytes / 2)
      && fits(self.all, self.limits.total - (isRemote ? self.limits.local : 0), self.limits.bytes)
  }

  private mutating func take(_ key: Key) -> Entry? {
    defer { if self.entries.isEmpty { self.wakeAt = nil } }
    return self.entries.removeValue(forKey: key)
  }

  private mutating func release(_ key: Key, _ request: Request) {
    self.all.count -= 1
    self.all.bytes -= request.bytes
    Self.release(&self.perConnection, key.peer, request.bytes)
    Self.release(&self.perPrincipal, request.principal, request.bytes)
  }

  private static func release<Owner: Hashable>(_ loads: inout [Owner: Load], _ owner: Owner, _ bytes: Int) {
    guard let load = loads[owner] else { return }
    loads[owner] = load.count > 1 ? Load(count: load.count - 1, bytes: load.bytes - bytes) : nil
  }
}
