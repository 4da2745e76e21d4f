import Bus
import EventLoop
import KithMessages
import Logging
import Secrets
import Storage
import TestKit
import Testing

@testable import Reminders

@Suite(.timeLimit(.minutes(5))) struct DeliveryEngineTests {
  /// An engine with its own store, and a delivery service whose answers a test sets; pauses end at once.
  final class Post: Sendable {
    let directory: TemporaryDirectory
    let clock = Lock<Int64>(1_795_186_800_000_000_000)
    let answers = Lock<[String: [Failure]]>([:])
    let taken = Lock<[String]>([])
    /// The keys of the delivery requests.
    let keys = Lock<[String]>([])

    init() throws { self.directory = try TemporaryDirectory() }

    var now: Int64 { self.clock.withLock { $0 } }

    func run<Value>(_ body: (DeliveryEngine, StorageActor) async throws -> Value) async throws -> Value {
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let storage = try StorageActor(directory: self.directory.file("state"), logger: logger) { _ in }
      let port = CannedPort { command, context async throws(Failure) in
        guard let request = command as? DeliverRequest else { throw .bug("no delivery") }
        self.keys.withLock { $0.append(context.idempotencyKey) }
        let failure = self.answers.withLock { answers in
          answers[request.channel.name]?.isEmpty == false ? answers[request.channel.name]?.removeFirst() : nil
        }
        if let failure { throw failure }
        self.taken.withLock { $0.append("\(request.channel.name) \(request.notice.title)") }
        return DeliverReply()
      }
      let secrets = SecretDirectory(path: self.directory.file("secrets"))
      let engine = DeliveryEngine(
        storage: storage, delivery: port, secrets: secrets, links: ReminderLinks(secrets) { "" }, logger: logger,
        now: { self.now }, chance: { 0.5 },
        sleep: { span in self.clock.withLock { $0 += span } })
      let result: Result<Value, any Error>
      do { result = .success(try await body(engine, storage)) } catch { result = .failure(error) }
      await engine.stop()
      await storage.close()
      return try result.get()
    }

    func queue(
      _ titles: String..., on channel: String, in storage: StorageActor, kind: String = "test", lifetime: Int64 = 86_400
    )
      async throws
    {
      let now = self.now
      try await storage.write { transaction throws(Failure) in
        var place = Channel()
        place.name = channel
        place.ntfy.topic = "a"
        try transaction.channels.put(place)
        for title in titles {
          let message = OutgoingMessage(
            kind: kind, title: title, text: "", date: "", expiresAt: now + lifetime * 1_000_000_000)
          try transaction.deliveries.queue(message, on: place, now: now)
        }
      }
    }

    /// The states by title, after all deliveries have ended.
    func ended(in storage: StorageActor) async throws -> [String: String] {
      var entries: [DeliveryEntry] = []
      try await until {
        entries = try await storage.read { view throws(Failure) in
          try view.deliveries.page(ListDeliveriesRequest()).deliveries
        }
        return entries.allSatisfy { !["pending", "sending"].contains($0.state) }
      }
      return Dictionary(entries.map { ($0.title, $0.state) }) { first, _ in first }
    }
  }

  static let trouble = Failure(.unavailable, "CHANNEL_TROUBLE", "trouble")

  @Test func `a channel keeps its order, and none holds up another`() async throws {
    let post = try Post()
    try await post.run { engine, storage in
      post.answers.withLock { $0["a"] = Array(repeating: Self.trouble, count: 3) }
      try await post.queue("1", "2", "3", on: "a", in: storage)
      try await post.queue("4", "5", on: "b", in: storage)
      await engine.look()
      #expect(Set(try await post.ended(in: storage).values) == ["delivered"])
    }
    let taken = post.taken.withLock { $0 }
    #expect(taken.filter { $0.hasPrefix("a") } == ["a 1", "a 2", "a 3"])
    #expect(taken.filter { $0.hasPrefix("b") } == ["b 4", "b 5"])
    #expect(taken.count == 5)
  }

  @Test func `what fails for good lets the next one pass`() async throws {
    let post = try Post()
    try await post.run { engine, storage in
      post.answers.withLock { $0["a"] = [Failure(.invalidArgument, "CHANNEL_REFUSED", "no")] }
      try await post.queue("1", "2", on: "a", in: storage)
      await engine.look()
      #expect(try await post.ended(in: storage) == ["1": "failed", "2": "delivered"])
    }
  }

  @Test func `it is given up when it is too old`() async throws {
    let post = try Post()
    try await post.run { engine, storage in
      post.answers.withLock { $0["a"] = Array(repeating: Self.trouble, count: 100) }
      try await post.queue("1", on: "a", in: storage, lifetime: 100)
      await engine.look()
      #expect(try await post.ended(in: storage) == ["1": "failed"])
    }
    #expect(post.answers.withLock { $0["a"]?.count } == 96)
  }

  @Test func `a channel that was removed takes nothing`() async throws {
    let post = try Post()
    try await post.run { engine, storage in
      try await post.queue("1", on: "a", in: storage)
      try await storage.write { transaction throws(Failure) in try transaction.channels.remove("a") }
      await engine.look()
      #expect(try await post.ended(in: storage) == ["1": "failed"])
    }
    #expect(post.taken.withLock { $0.isEmpty })
  }

  @Test func `a test goes before what waits`() async throws {
    let post = try Post()
    try await post.run { engine, storage in
      try await post.queue("waits", "test", on: "a", in: storage)
      let entry = try await storage.read { view throws(Failure) in
        try view.deliveries.page(ListDeliveriesRequest()).deliveries[0]
      }
      #expect(try await engine.attemptNow(entry).state == "delivered")
      #expect(post.taken.withLock { $0.first } == "a test")
      #expect(Set(try await post.ended(in: storage).values) == ["delivered"])
    }
  }

  @Test func `what a process left under way goes out again, under its id`() async throws {
    let post = try Post()
    try await post.run { engine, storage in
      try await post.queue("1", on: "a", in: storage)
      let now = post.now
      let id = try await storage.write { transaction throws(Failure) in
        var entry = try transaction.deliveries.heads()[0]
        entry.begin(at: now)
        try transaction.deliveries.put(entry, now: now)
        return entry.id
      }
      await engine.look()
      #expect(try await post.ended(in: storage) == ["1": "delivered"])
      let entry = try await storage.read { view throws(Failure) in try view.deliveries.require(id) }
      // The same attempt, under whose name a worker that still runs it is found.
      #expect(entry.attempts == 1)
      #expect(post.keys.withLock { $0 } == ["deliver-\(id)-1"])
      #expect(entry.mayHaveArrived)
    }
    #expect(post.taken.withLock { $0 } == ["a 1"])
  }

  @Test func `what is out of date lapses, and what is behind it goes out`() async throws {
    let post = try Post()
    try await post.run { engine, storage in
      try await post.queue("old", on: "a", in: storage, kind: "daily_reminder", lifetime: 60)
      try await post.queue("new", on: "a", in: storage, kind: "daily_reminder", lifetime: 7200)
      try await post.queue("tried out", on: "b", in: storage, lifetime: 60)
      // The machine slept.
      post.clock.withLock { $0 += 3600 * 1_000_000_000 }
      await engine.look()
      #expect(try await post.ended(in: storage) == ["old": "failed", "new": "delivered", "tried out": "delivered"])
      let old = try await storage.read { view throws(Failure) in
        try view.deliveries.page(ListDeliveriesRequest()).deliveries.last
      }
      #expect(old?.error.reason == "MESSAGE_OUT_OF_DATE" && old?.attempts == 0)
    }
    #expect(Set(post.taken.withLock { $0 }) == ["a new", "b tried out"])
  }

  @Test func `the end that a worker has brought is asked for, however late, and nothing else`() async throws {
    let post = try Post()
    try await post.run { engine, storage in
      let states: [(String, JobState?)] = [
        ("done", .done), ("waiting", .queued), ("with a worker", .leased), ("here", nil),
      ]
      for (channel, state) in states {
        try await post.queue(channel, on: channel, in: storage, kind: "daily_reminder", lifetime: 60)
        let now = post.now
        let name = try await storage.write { transaction throws(Failure) in
          var entry = try transaction.deliveries.heads().first { $0.channel == channel } ?? DeliveryEntry()
          let name = entry.nextAttempt
          entry.begin(at: now)
          try transaction.deliveries.put(entry, now: now)
          return name
        }
        guard let state else { continue }
        var job = JobRecord(
          id: channel, key: JobRecord.key(DeliverRequest.method, named: name), isKept: true,
          service: DeliverRequest.method.name, command: [], inputs: [], createdAt: 1)
        _ = try await storage.open(job)
        job.state = state
        try await storage.apply([job])
      }
      post.clock.withLock { $0 += 3600 * 1_000_000_000 }
      await engine.look()
      #expect(
        try await post.ended(in: storage)
          == ["done": "delivered", "waiting": "unknown", "with a worker": "unknown", "here": "unknown"])
    }
    #expect(post.taken.withLock { $0 } == ["done done"])
  }

  @Test func `what failed is another attempt the next time`() async throws {
    let post = try Post()
    try await post.run { engine, storage in
      try await post.queue("1", on: "a", in: storage)
      post.answers.withLock { $0["a"] = [Self.trouble] }
      await engine.look()
      #expect(try await post.ended(in: storage) == ["1": "delivered"])
    }
    let keys = post.keys.withLock { $0 }
    #expect(keys.map { $0.suffix(2) } == ["-1", "-2"])
  }

  @Test func `an attempt that goes on without the hub is left as it is`() async throws {
    let post = try Post()
    try await post.run { engine, storage in
      try await post.queue("1", on: "a", in: storage)
      post.answers.withLock { $0["a"] = [Failure(.unavailable, "SHUTTING_DOWN", "kithd is stopping.")] }
      let entry = try await storage.read { view throws(Failure) in try view.deliveries.heads()[0] }
      _ = try await engine.attemptNow(entry)
      #expect(try await post.ended(in: storage) == ["1": "delivered"])
    }
    let keys = post.keys.withLock { $0 }
    #expect(keys.count == 2 && Set(keys).count == 1)
  }
}
