import Bus
import Digest
import EventLoop
import Foundation
import KithClient
import KithMessages
import Logging
import Storage
import ZeroMQ

/// Measures a running daemon from outside: `hub-bench KITHD FOLDER_OF_CARDS [part...]`.
///
/// Parts: ping, durable, commit, fanout, search, start, idle, upload. Without any, all of them. Each prints one line.
@main
struct HubBench {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else {
      print("usage: hub-bench KITHD FOLDER_OF_CARDS [ping|durable|commit|fanout|search|start|idle|upload ...]")
      exit(2)
    }
    let parts = Set(arguments.dropFirst(3))
    let daemon = try Daemon(binary: arguments[1])
    defer { daemon.remove() }
    let folder = "\(daemon.directory)/cards"
    try FileManager.default.copyItem(atPath: arguments[2], toPath: folder)
    func wants(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }

    try daemon.start()
    var client = try await daemon.connect()
    if wants("idle") { try await idle(daemon, "empty") }
    if wants("ping") { try await ping(client) }
    if wants("upload") { try await upload(client) }
    if wants("commit") {
      for subscribers in [10, 100] {
        let samples = try await Publishing(directory: daemon.directory, subscribers: subscribers).run(events: 2000)
        print("commit to subscriber, \(subscribers) subscribers: \(samples.summary)")
      }
    }
    guard ["durable", "fanout", "search", "start", "idle"].contains(where: wants) else { return }

    try await add(folder, client)
    if wants("search") { try await search(client) }
    if wants("start") {
      try await start(daemon, &client)
    }
    if wants("idle") { try await idle(daemon, "with contacts") }
    if wants("durable") || wants("fanout") {
      let ids = try await deleteAll(folder, client)
      if wants("fanout") {
        try await fanout(daemon, client, subscribers: 10, ids: Array(ids.prefix(1000)))
        try await fanout(daemon, client, subscribers: 100, ids: Array(ids.dropFirst(1000).prefix(1000)))
      }
      if wants("durable") { try await durable(client, Array(ids.dropFirst(2000))) }
    }
    await client.close()
  }

  // MARK: - Parts

  /// `System/Ping`, one at a time: from a task on the thread of the connection, and from one on the shared pool.
  static func ping(_ client: KithClient) async throws {
    let onLoop = try await withTaskExecutorPreference(client.executor) { try await roundTrips(client) }
    print("ping ipc, caller on the loop: \(onLoop.summary)")
    print("ping ipc, caller on the pool: \(try await roundTrips(client).summary)")
  }

  @concurrent
  private static func roundTrips(_ client: KithClient) async throws -> Samples {
    var samples = Samples()
    for index in 0..<22_000 {
      let begin = ContinuousClock.now
      _ = try await client.ask(PingRequest())
      if index >= 2000 { samples.add(begin.duration(to: .now)) }
    }
    return samples
  }

  /// Commands that write: 64 in flight, each with its journal row, its record and its event.
  static func durable(_ client: KithClient, _ ids: [String]) async throws {
    let begin = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      var rest = ids[...]
      func next() -> RestoreContactRequest? {
        guard let id = rest.popFirst() else { return nil }
        var request = RestoreContactRequest()
        request.id = id
        return request
      }
      for _ in 0..<64 {
        guard let request = next() else { break }
        group.addTask { _ = try await client.ask(request) }
      }
      while try await group.next() != nil {
        guard let request = next() else { continue }
        group.addTask { _ = try await client.ask(request) }
      }
    }
    let seconds = begin.duration(to: .now) / .seconds(1)
    print("durable commands, 64 in flight: \(Int(Double(ids.count) / seconds)) a second (\(ids.count) commands)")
  }

  /// From the stamp of a command's event, which is made before its COMMIT, to the arrival at each of many subscribers.
  static func fanout(_ daemon: Daemon, _ client: KithClient, subscribers: Int, ids: [String]) async throws {
    let loop = try LoopExecutor(name: "bench-sub", poller: Poller(), logger: quiet)
    let listeners = try Listeners(
      loop: loop, endpoint: "ipc://\(daemon.runtimeDirectory)/events.sock", stream: "contacts", count: subscribers
    ) { $0.time.nanosecondsSince1970 }
    try await listeners.start()
    for id in ids {
      var request = RestoreContactRequest()
      request.id = id
      _ = try await client.ask(request)
    }
    let samples = await listeners.collect(events: ids.count)
    print("command to subscriber, \(subscribers) subscribers: \(samples.summary)")
    await listeners.close()
  }

  /// Searches as a client sees them, first 50 hits.
  static func search(_ client: KithClient) async throws {
    let texts = [
      "a", "an", "mar", "anna", "jonhson", "555", "81", "+81 66 540-6690", "山田", "山", "やまだ", "yamada", "street",
      "anna street",
      "anna zzzz", "josé garcía", "zzzzzz", "example.org", "j garcía", "dr anna müller", "mary an akeson",
      "josé garcía tokyo",
      "山田 健一 東京", "anna müller example com 81", "anna maria josé zoë mary björn",
      String(repeating: "mary ann kesson garcia ", count: 9),
    ]
    for text in texts {
      var samples = Samples()
      var request = SearchContactsRequest()
      request.text = text
      request.limit = 50
      var hits = 0
      for index in 0..<220 {
        let begin = ContinuousClock.now
        hits = try await client.ask(request).contacts.count
        if index >= 20 { samples.add(begin.duration(to: .now)) }
      }
      print("search '\(text.prefix(40))' over ipc, \(hits) hits: \(samples.summary)")
    }
  }

  /// From starting the process to the first page of contacts, with 100,000 events in the log.
  static func start(_ daemon: Daemon, _ client: inout KithClient) async throws {
    await client.close()
    daemon.stop()
    do {
      let storage = try StorageActor(directory: daemon.stateDirectory, logger: quiet) { _ in }
      for _ in 0..<100 {
        try await storage.write { transaction throws(Failure) in
          for _ in 0..<1000 {
            var event = Event()
            event.system.kind = "bench"
            try transaction.emit(event, on: "system")
          }
        }
      }
      await storage.close()
    }
    var samples = Samples()
    for _ in 0..<9 {
      let begin = ContinuousClock.now
      try daemon.start()
      client = try await daemon.connect()
      var request = ListContactsRequest()
      request.limit = 1
      _ = try await client.ask(request)
      samples.add(begin.duration(to: .now))
      if samples.count < 9 {
        await client.close()
        daemon.stop()
      }
    }
    print("start to first answer: \(samples.summary)")
  }

  /// Memory and wake-ups of a daemon that nobody asks anything.
  static func idle(_ daemon: Daemon, _ what: String) async throws {
    try await Task.sleep(for: .seconds(12))
    let before = daemon.wakeUps()
    try await Task.sleep(for: .seconds(20))
    let perSecond = (Double(daemon.wakeUps() - before) / 20).formatted(.number.precision(.fractionLength(2)))
    print(
      "idle, \(what): RSS \(daemon.status("VmRSS") / 1024) MB, anonymous \(daemon.status("RssAnon") / 1024) MB, "
        + "\(perSecond) wake-ups a second")
  }

  /// A blob of 3 MB, window and digest included.
  static func upload(_ client: KithClient) async throws {
    var samples = Samples()
    for _ in 0..<12 {
      let bytes = (0..<3_000_000).map { _ in UInt8.random(in: .min ... .max) }
      let begin = ContinuousClock.now
      var blob = BlobRef()
      blob.sha256 = Hex.encode(SHA256.digest(bytes))
      blob.size = UInt64(bytes.count)
      try await client.upload(blob) { offset, count in Array(bytes[Int(offset)..<Int(offset) + count]) }
      samples.add(begin.duration(to: .now))
    }
    print("upload of 3 MB: \(samples.summary)")
  }

  // MARK: - Preparation

  private static func add(_ folder: String, _ client: KithClient) async throws {
    var source = AddSourceRequest()
    source.name = "bench"
    source.vdir.path = folder
    _ = try await client.ask(source)
    let reply = try await client.ask(SyncRequest())
    print("prepared: \(reply.sources.first?.added ?? 0) contacts")
  }

  /// Deletes every contact, so that each can be restored by one command.
  private static func deleteAll(_ folder: String, _ client: KithClient) async throws -> [String] {
    var ids: [String] = []
    var request = ListContactsRequest()
    request.limit = 500
    repeat {
      let page = try await client.ask(request)
      ids += page.contacts.map(\.id)
      request.cursor = page.nextCursor
    } while !request.cursor.isEmpty
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
    var sync = SyncRequest()
    sync.allowMassDelete = true
    let reply = try await client.ask(sync)
    precondition(Int(reply.sources[0].deleted) == ids.count, "the contacts were not deleted")
    return ids
  }
}

let quiet = Logger(label: "bench", factory: { _ in SwiftLogNoOpLogHandler() })
