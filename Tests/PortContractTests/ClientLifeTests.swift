import Bus
import EventLoop
import Foundation
import KithClient
import KithMessages
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClientLifeTests {
  /// What this process has of something: entries of a directory of proc(5).
  private static func count(_ directory: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(directory)").count
  }

  @Test func aClosedClientLeavesNeitherThreadNorDescriptor() async {
    // In a process of its own: other tests have threads and descriptors too.
    await #expect(processExitsWith: .success) {
      let fixture = try await Fixture(.zeroMQ, socket: "control.sock")
      var held: [(KithClient, EventSequence)] = []
      let (threads, descriptors) = (try Self.count("task"), try Self.count("fd"))
      // More than the threads that the runtime may still start for itself.
      let rounds = 20 + ProcessInfo.processInfo.activeProcessorCount
      for round in 0..<rounds {
        let client = try await KithClient.connect(runtimeDirectory: fixture.directory.path, within: .seconds(20))
        held.append((client, try client.events(["sync"])))
        if round.isMultiple(of: 2) {
          await client.close()
        } else {
          // As a caller does that lives on the connection's thread.
          await withTaskExecutorPreference(client.executor) { await client.close() }
        }
      }
      #expect(try Self.count("task") < threads + rounds)
      // Those who still hold them are told.
      for (client, events) in held {
        let failure = await #expect(throws: Failure.self) { try await client.ask(PingRequest()) }
        #expect(failure?.reason == "SHUTTING_DOWN")
        var iterator = events.makeAsyncIterator()
        #expect(try await iterator.next() == nil)
        await client.close()
      }
      held = []
      // What wakes the loop goes when the last job of its actors has run.
      // The limit of the suite does not reach into this process.
      var looks = 0
      try await until {
        looks += 1
        return try looks == 60_000 || Self.count("fd") < descriptors + rounds
      }
      #expect(try Self.count("fd") < descriptors + rounds)
    }
  }
}
