internal import Bus
internal import BusZeroMQ
internal import KithMessages
internal import Logging
internal import SwiftProtobuf
internal import ZeroMQ

/// Access for other machines: the server's keys and the planes' tcp ports.
///
/// No port is opened before a self-test: each plane must refuse an unknown key. If the test fails or a port cannot be
/// opened, only ipc is served, the log says why, and it is retried while the hub runs.
actor TCPAccess {
  /// Whether the plane of a domain refuses an unknown key.
  typealias SelfTest = @Sendable (_ domain: String) async throws -> Bool

  private static let bindTimeout = Duration.seconds(2)

  private let settings: TCPSettings?
  private let stateDirectory: String
  private let isGuarded: SelfTest
  private let logger: Logger

  private var planes: [any NetworkPlane] = []
  private var keys: ServerKeys?
  private var endpoints: [String] = []
  private var nextEndpoints: [String] = []
  private var fault = ""
  private var last: Task<Void, Never>?

  /// Creates the access without opening a port.
  ///
  /// - Parameters:
  ///   - settings: nil = only ipc.
  ///   - isGuarded: The self-test.
  /// - Throws: `FAILED_PRECONDITION/SECRET_UNREADABLE` if the file of server keys cannot be used.
  init(
    _ settings: TCPSettings?, stateDirectory: String, logger: Logger, isGuarded: @escaping SelfTest
  ) throws(Failure) {
    self.settings = settings
    self.stateDirectory = stateDirectory
    self.logger = logger
    self.isGuarded = isGuarded
    self.keys = try ServerKeys.load(stateDirectory)
  }

  /// Whether tcp is configured.
  nonisolated var isWanted: Bool { self.settings != nil }

  /// When the next key pair takes over, nanoseconds since 1970; nil if there is none.
  var overlapEnds: Int64? { self.keys?.next?.until }

  /// Public keys and endpoints, without secrets.
  var status: ServerKey {
    var status = ServerKey()
    if let key = self.keys?.current.publicKey {
      status.publicKeyZ85 = key.z85
      status.fingerprint = KeyFingerprint.of(key.bytes)
    }
    if let next = self.keys?.next {
      status.nextPublicKeyZ85 = next.pair.publicKey.z85
      status.overlapEnds = .init(nanosecondsSince1970: next.until)
    }
    status.endpoints = self.endpoints
    status.nextEndpoints = self.nextEndpoints
    status.fault = self.fault
    return status
  }

  /// The number of connections to each plane.
  var peers: [PlaneStatus] {
    get async {
      var peers: [PlaneStatus] = []
      for plane in self.planes { peers.append(await plane.peers) }
      return peers
    }
  }

  /// Opens the tcp ports of planes, if configured.
  ///
  /// - Parameter planes: The planes, with ipc bound.
  func open(_ planes: [any NetworkPlane]) async {
    self.planes = planes
    await self.inTurn { await $0.openNow() }
  }

  /// Cuts all tcp connections. Clients with an approved key reconnect at once.
  func cut() async {
    await self.inTurn { access in
      guard !access.endpoints.isEmpty else { return }
      await access.listen()
    }
  }

  /// Ends an overlap that is over, and retries what failed.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func settle(_ now: Int64) async throws(Failure) {
    if try self.turnOver(now) { return await self.cut() }
    if !self.fault.isEmpty { await self.open(self.planes) }
  }

  /// Creates the server's keys if there are none.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func makeKeys() throws(Failure) {
    guard self.keys == nil else { return }
    let keys = try ServerKeys()
    try keys.keep(self.stateDirectory)
    self.keys = keys
    self.logger.notice("server key made", metadata: ["fingerprint": "\(self.status.fingerprint)"])
  }

  /// Creates the next key pair, which takes over at `moment`. From the next ``cut()`` on it is served beside the
  /// current one.
  ///
  /// An existing next pair stays, so that a repeated call changes nothing.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func rotate(until moment: Int64) throws(Failure) {
    try self.makeKeys()
    guard var keys = self.keys, keys.next == nil else { return }
    try keys.rotate(until: moment)
    try keys.keep(self.stateDirectory)
    self.keys = keys
    _ = try self.turnOver(WallClock.nanoseconds())
  }

  /// Replaces the current pair if it is time; returns whether it did.
  private func turnOver(_ now: Int64) throws(Failure) -> Bool {
    guard var keys, keys.settle(now) else { return false }
    try keys.keep(self.stateDirectory)
    self.keys = keys
    self.logger.notice("server key changed", metadata: ["fingerprint": "\(self.status.fingerprint)"])
    return true
  }

  // MARK: - Opening

  /// Runs one task after another: binding must not overlap with unbinding.
  private func inTurn(_ work: @escaping @Sendable (isolated TCPAccess) async -> Void) async {
    let before = self.last
    let task = Task {
      await before?.value
      await work(self)
    }
    self.last = task
    await task.value
  }

  private func openNow() async {
    guard self.isWanted, self.endpoints.isEmpty else { return }
    do {
      try self.makeKeys()
      for plane in self.planes {
        guard try await self.isGuarded(plane.domain) else {
          return self.fail(
            "the plane '\(plane.domain)' did not refuse an unknown key: this libzmq does not check keys")
        }
      }
    } catch {
      return self.fail("\(error)")
    }
    await self.listen()
    if !self.endpoints.isEmpty {
      self.logger.notice("tcp is served", metadata: ["endpoints": "\(self.endpoints.joined(separator: " "))"])
    }
  }

  /// Binds all planes with the current keys.
  private func listen() async {
    guard let settings, let keys else { return }
    var (endpoints, nextEndpoints): ([String], [String]) = ([], [])
    do {
      for plane in self.planes {
        let port = settings.port + plane.portOffset
        var listeners = [TCPListener(address: settings.address, port: port, keys: keys.current)]
        if let next = keys.next {
          listeners.append(TCPListener(address: settings.address, port: port + TCPSettings.planes, keys: next.pair))
        }
        let bound = try await Self.bind(listeners, plane)
        endpoints += bound.prefix(1)
        nextEndpoints += bound.dropFirst()
      }
      (self.endpoints, self.nextEndpoints, self.fault) = (endpoints, nextEndpoints, "")
    } catch {
      for plane in self.planes { _ = try? await plane.listen([]) }
      self.fail("\(error)")
    }
  }

  /// Retries, because libzmq's I/O thread releases a port slightly later.
  private static func bind(_ listeners: [TCPListener], _ plane: any NetworkPlane) async throws -> [String] {
    let end = ContinuousClock.now + Self.bindTimeout
    while true {
      do throws(ZMQError) {
        return try await plane.listen(listeners)
      } catch {
        guard error.code == .addressInUse, ContinuousClock.now < end else { throw error }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private func fail(_ why: String) {
    (self.endpoints, self.nextEndpoints) = ([], [])
    if self.fault != why { self.logger.error("tcp is not served; ipc is", metadata: ["why": "\(why)"]) }
    self.fault = why
  }
}

/// The tcp address of the hub.
struct TCPSettings: Sendable, Hashable {
  /// The first port: the control plane's. Those of events and work follow, then the three of the next server key.
  static let standardPort: UInt16 = 7750
  /// The number of planes; each has a port.
  static let planes: UInt16 = 3

  /// An address of this machine, or `*` for all of IPv4.
  let address: String
  /// The first port.
  let port: UInt16

  /// Takes an address and a port; nil if they are invalid or leave no room for the ports that follow.
  init?(address: String, port: Int = Int(Self.standardPort)) {
    let letters = address.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".:-_%*".contains($0)) }
    guard !address.isEmpty, letters, address == "*" || !address.contains("*"),
      (1...Int(UInt16.max - 2 * Self.planes)).contains(port)
    else { return nil }
    self.address = address
    self.port = UInt16(port)
  }

  /// Parses `ADDRESS`, `ADDRESS:PORT` or `[ADDRESS]:PORT`; nil for any other text.
  init?(text: String) {
    let isBare = text.count(where: { $0 == ":" }) > 1 && !text.hasPrefix("[")
    guard !isBare, let colon = text.lastIndex(of: ":"), text.last != "]" else {
      self.init(address: Self.unbracketed(text[...]))
      return
    }
    guard let port = Int(text[text.index(after: colon)...]) else { return nil }
    self.init(address: Self.unbracketed(text[..<colon]), port: port)
  }

  private static func unbracketed(_ text: Substring) -> String {
    text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text)
  }
}
