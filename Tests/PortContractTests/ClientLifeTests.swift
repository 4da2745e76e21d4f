import Bus
import EventLoop
import Foundation
import KithClient
import KithMessages
import TestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ClientLifeTests {
  /// What this process has of something: entries of a directory of proc(5).
  private func count(_ directory: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(directory)").count
  }

  @Test func aClosedClientLeavesNeitherThreadNorDescriptor() async throws {
    let fixture = try await Fixture(.zeroMQ, socket: "control.sock")
    var held: [(KithClient, EventSequence)] = []
    let (threads, descriptors) = (try self.count("task"), try self.count("fd"))
    let rounds = 20
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
    // Other tests beside this one have some of their own.
    #expect(try self.count("task") < threads + rounds)
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
    try await until { try self.count("fd") < descriptors + rounds }
  }
}
