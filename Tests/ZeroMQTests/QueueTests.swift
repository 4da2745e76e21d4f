import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(5)))
struct QueueTests {
  @Test("a mandatory ROUTER says that a peer is unknown, and that it has gone")
  func unreachable() async throws {
    let context = try Context()
    do {
      var router = try context.makeTestSocket(.router)
      try router.set(.routerMandatory, true)
      try router.bind("tcp://127.0.0.1:*")
      var message = MultipartMessage()
      try message.append("nobody")
      try message.append("hello")
      #expect(try router.send(&message) == .unreachable)
      #expect(message.count == 2)
      do {
        var dealer = try context.makeTestSocket(.dealer)
        try dealer.connect(router.lastEndpoint())
        #expect(try dealer.send(Array("hello".utf8), waiting: .allowed) == .sent)
        #expect(try router.receive(&message, waiting: .allowed) == .received)
      }
      // The router learns of the close when it next enters libzmq, so the first sends may still be taken.
      var result = SendResult.sent
      while result != .unreachable {
        await Task.yield()
        var answer = MultipartMessage()
        try answer.append(message.bytes(at: 0))
        try answer.append("answer")
        result = try router.send(&answer)
      }
      #expect(message.string(at: 1) == "hello")
    }
    await context.terminateOffPool()
  }

  @Test("a full queue takes nothing, and leaves the message as it was")
  func full() async throws {
    let context = try Context()
    do {
      var receiver = try context.makeTestSocket(.pull)
      try receiver.set(.receiveHighWaterMark, 10)
      try receiver.bind("inproc://full")
      var sender = try context.makeTestSocket(.push)
      try sender.set(.sendHighWaterMark, 10)
      try sender.connect("inproc://full")
      var sent = 0
      var message = MultipartMessage()
      while true {
        try message.append("a")
        try message.append("b")
        guard try sender.send(&message) == .sent else { break }
        sent += 1
      }
      #expect(sent == 20)
      #expect(message.count == 2)
      #expect(message.string(at: 1) == "b")
      for _ in 0..<sent { #expect(try receiver.receive(&message, waiting: .allowed) == .received) }
      #expect(try receiver.receive(&message) == .empty)
      #expect(message.count == 0)
    }
    await context.terminateOffPool()
  }

  @Test("a message with too many frames is thrown away whole, and the next one is read")
  func oversized() async throws {
    let context = try Context()
    do {
      var receiver = try context.makeTestSocket(.pair)
      try receiver.bind("inproc://frames")
      var sender = try context.makeTestSocket(.pair)
      try sender.connect("inproc://frames")
      for frames in [5000, 3, 4, 2] {
        var message = MultipartMessage(capacity: frames)
        for _ in 0..<frames { try message.append("x") }
        #expect(try sender.send(&message) == .sent)
      }
      var message = MultipartMessage(capacity: 3)
      #expect(try receiver.receive(&message) == .oversized(frameCount: 5000))
      #expect(message.count == 0)
      #expect(try receiver.receive(&message) == .received)
      #expect(message.count == 3)
      #expect(try receiver.receive(&message) == .oversized(frameCount: 4))
      #expect(try receiver.receive(&message) == .received)
      #expect(message.count == 2)
    }
    await context.terminateOffPool()
  }

  @Test("a receive takes no more messages than its limit")
  func limit() async throws {
    let context = try Context()
    do {
      var receiver = try context.makeTestSocket(.pair)
      try receiver.bind("inproc://limit")
      var sender = try context.makeTestSocket(.pair)
      try sender.connect("inproc://limit")
      for _ in 0..<100 { #expect(try sender.send([1]) == .sent) }
      var counts: [Int] = []
      for _ in 0..<3 {
        var count = 0
        var message = MultipartMessage()
        try receiver.receive(into: &message) { _, _, _ in count += 1 }
        counts.append(count)
      }
      #expect(counts == [64, 36, 0])
    }
    await context.terminateOffPool()
  }

  @Test("an XPUB reports each subscription and its end, and serves the right peer beside messages that are none")
  func subscriptions() async throws {
    let context = try Context()
    do {
      var publisher = try context.makeTestSocket(.extendedPublish)
      try publisher.set(.reportsAllSubscriptions, true)
      try publisher.bind("inproc://events")
      var loud = try context.makeTestSocket(.extendedSubscribe)
      try loud.connect("inproc://events")
      #expect(try loud.send([2]) == .sent)
      var first = try context.makeTestSocket(.subscribe)
      try first.connect("inproc://events")
      try first.set(.subscribe, [1])
      var second = try context.makeTestSocket(.subscribe)
      try second.connect("inproc://events")
      try second.set(.subscribe, [2])
      var message = MultipartMessage()
      var reports: Set<[UInt8]> = []
      for _ in 0..<3 {
        #expect(try publisher.receive(&message, waiting: .allowed) == .received)
        reports.insert(message.bytes(at: 0))
      }
      #expect(reports == [[2], [1, 1], [1, 2]])
      for topic: UInt8 in [1, 2] { #expect(try publisher.send([topic]) == .sent) }
      #expect(try first.receive(&message, waiting: .allowed) == .received)
      #expect(message.bytes(at: 0) == [1])
      #expect(try second.receive(&message, waiting: .allowed) == .received)
      #expect(message.bytes(at: 0) == [2])
      try second.set(.subscribe, [1])
      try second.set(.unsubscribe, [1])
      for kind: UInt8 in [1, 0] {
        #expect(try publisher.receive(&message, waiting: .allowed) == .received)
        #expect(message.bytes(at: 0) == [kind, 1])
      }
    }
    await context.terminateOffPool()
  }

  @Test("calls on a context that shuts down fail with `terminated`")
  func terminated() async throws {
    let context = try Context()
    do {
      var socket = try context.makeTestSocket(.pull)
      try socket.bind("inproc://ended")
      context.shutdown()
      let error = #expect(throws: ZMQError.self) {
        var message = MultipartMessage()
        _ = try socket.receive(&message)
      }
      #expect(error?.code == .terminated)
    }
    await context.terminateOffPool()
  }
}
