import Bus
import BusZeroMQ
import EventLoop
import KithMessages
import Logging
import TestKit
import Testing
import ZeroMQ

@testable import Hub

/// A plane that records the listeners it was given.
private final class RecordingPlane: NetworkPlane {
  let domain: String
  let calls = Lock<[[TCPListener]]>([])
  /// The errors that the next calls throw.
  let failures = Lock<[ZMQError]>([])

  init(_ domain: String) { self.domain = domain }

  func listen(_ listeners: [TCPListener]) async throws(ZMQError) -> [String] {
    self.calls.withLock { $0.append(listeners) }
    if let failure = self.failures.withLock({ $0.popLast() }) { throw failure }
    return listeners.map(\.endpoint)
  }

  var peers: PlaneStatus { PlaneStatus() }

  var ports: [[UInt16]] { self.calls.withLock { $0.map { $0.map(\.port) } } }
}

struct TCPAccessTests {
  private static let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

  private let directory: TemporaryDirectory
  private let planes = [RecordingPlane("control"), RecordingPlane("events"), RecordingPlane("work")]

  init() throws { self.directory = try TemporaryDirectory() }

  private func access(_ settings: TCPSettings?, isGuarded: @escaping TCPAccess.SelfTest = { _ in true }) throws
    -> TCPAccess
  {
    try TCPAccess(settings, stateDirectory: self.directory.path, logger: Self.silent, isGuarded: isGuarded)
  }

  @Test("every plane has its port, under the server's key")
  func opens() async throws {
    let access = try self.access(TCPSettings(address: "192.0.2.1"))
    await access.open(self.planes)
    #expect(self.planes.map(\.ports) == [[[7750]], [[7751]], [[7752]]])
    let status = await access.status
    #expect(status.endpoints == ["tcp://192.0.2.1:7750", "tcp://192.0.2.1:7751", "tcp://192.0.2.1:7752"])
    #expect(status.fault.isEmpty && status.publicKeyZ85.count == 40)
    // The same key at the next start.
    #expect(try await self.access(nil).status.publicKeyZ85 == status.publicKeyZ85)
  }

  @Test("no port is opened, on any plane, when a stranger is not refused at one of them")
  func failsClosed() async throws {
    let isGuarded = Lock(false)
    let access = try self.access(TCPSettings(address: "*")) { $0 != "events" || isGuarded.withLock { $0 } }
    await access.open(self.planes)
    #expect(self.planes.allSatisfy { $0.calls.withLock { $0.isEmpty } })
    #expect(await access.status.fault.contains("events"))
    // It is retried while the hub runs, with the self-test.
    try await access.settle(1)
    #expect(self.planes.allSatisfy { $0.calls.withLock { $0.isEmpty } })
    isGuarded.withLock { $0 = true }
    try await access.settle(2)
    #expect(await access.status.fault.isEmpty)
    #expect(await access.status.endpoints.count == 3)
  }

  @Test("without an address nothing is opened and no key is made")
  func off() async throws {
    let access = try self.access(nil)
    await access.open(self.planes)
    #expect(self.planes.allSatisfy { $0.calls.withLock { $0.isEmpty } })
    #expect(await access.status == ServerKey())
  }

  @Test("a port that cannot be had closes the others too, and says so")
  func taken() async throws {
    let address = try #require(TCPSettings(address: "192.0.2.1"))
    let access = try self.access(address)
    // The error of a real socket for an address of another machine.
    var socket = try Context().makeSocket(.router)
    let failure = #expect(throws: ZMQError.self) { try socket.bind("tcp://192.0.2.1:7750") }
    self.planes[1].failures.withLock { $0 = [failure].compactMap(\.self) }
    await access.open(self.planes)
    #expect(await access.status.endpoints.isEmpty)
    #expect(await access.status.fault.contains("192.0.2.1"))
    #expect(self.planes.allSatisfy { $0.ports.last == [] })
  }

  @Test("a new key has ports of its own until the overlap is over, then takes the place of the old one")
  func rotation() async throws {
    let access = try self.access(TCPSettings(address: "192.0.2.1", port: 9000))
    await access.open(self.planes)
    let old = await access.status.publicKeyZ85
    try await access.rotate(until: .max)
    await access.cut()
    let during = await access.status
    #expect(during.publicKeyZ85 == old && during.nextPublicKeyZ85.count == 40)
    #expect(self.planes.map { $0.ports.last } == [[9000, 9003], [9001, 9004], [9002, 9005]])
    #expect(during.nextEndpoints.count == 3)
    try await access.settle(.max)
    let after = await access.status
    #expect(after.publicKeyZ85 == during.nextPublicKeyZ85 && after.nextPublicKeyZ85.isEmpty)
    #expect(self.planes.map { $0.ports.last } == [[9000], [9001], [9002]])
  }

  @Test("without an overlap the new key is the one at once")
  func rotationAtOnce() async throws {
    let access = try self.access(TCPSettings(address: "192.0.2.1"))
    await access.open(self.planes)
    let old = await access.status.publicKeyZ85
    try await access.rotate(until: 0)
    let status = await access.status
    #expect(status.publicKeyZ85 != old && status.nextPublicKeyZ85.isEmpty)
  }
}
