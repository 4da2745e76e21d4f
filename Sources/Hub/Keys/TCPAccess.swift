internal import Bus
internal import BusZeroMQ
internal import KithMessages
internal import Logging
internal import SwiftProtobuf
internal import ZeroMQ

/// The way in for other machines: the server's keys, and the planes' tcp ports.
///
/// Nothing is opened before a stranger was refused at each plane by the handler. When that fails, or a port cannot be had, ipc is
/// served alone, the log says why, and it is tried again while the hub runs.
actor TCPAccess {
  /// Whether a stranger is refused at the plane of a domain.
  typealias SelfTest = @Sendable (_ domain: String) async throws -> Bool

  private static let patience = Duration.seconds(2)

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

  /// Makes the way in, closed.
  ///
  /// - Parameters:
  ///   - settings: nil = ipc alone is wanted.
  ///   - isGuarded: The self-test.
  /// - Throws: `FAILED_PRECONDITION/SECRET_UNREADABLE` for a file of server keys that cannot be used.
  init(
    _ settings: TCPSettings?, stateDirectory: String, logger: Logger, isGuarded: @escaping SelfTest
  ) throws(Failure) {
    self.settings = settings
    self.stateDirectory = stateDirectory
    self.logger = logger
    self.isGuarded = isGuarded
    self.keys = try ServerKeys.load(stateDirectory)
  }

  /// Whether tcp is wanted.
  nonisolated var isWanted: Bool { self.settings != nil }

  /// When the pair of keys that follows takes over, nanoseconds since 1970; nil while none follows.
  var overlapEnds: Int64? { self.keys?.next?.until }

  /// What is served where, without anything secret.
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

  /// Who is connected to each plane, in numbers.
  var peers: [PlaneStatus] {
    get async {
      var peers: [PlaneStatus] = []
      for plane in self.planes { peers.append(await plane.peers) }
      return peers
    }
  }

  /// Opens the ports of planes, where that is wanted.
  ///
  /// - Parameter planes: With ipc bound already.
  func open(_ planes: [any NetworkPlane]) async {
    self.planes = planes
    await self.inTurn { await $0.openNow() }
  }

  /// Cuts everybody who is connected over tcp. Those who may come in are back in a moment.
  func cut() async {
    await self.inTurn { access in
      guard !access.endpoints.isEmpty else { return }
      await access.listen()
    }
  }

  /// Does what time asks for: ends an overlap, and tries again what failed.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func settle(_ now: Int64) async throws(Failure) {
    if try self.turnOver(now) { return await self.cut() }
    if !self.fault.isEmpty { await self.open(self.planes) }
  }

  /// Makes the server's keys if there are none.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func makeKeys() throws(Failure) {
    guard self.keys == nil else { return }
    let keys = try ServerKeys()
    try keys.keep(self.stateDirectory)
    self.keys = keys
    self.logger.notice("server key made", metadata: ["fingerprint": "\(self.status.fingerprint)"])
  }

  /// Makes a pair of keys that takes over at `moment`. It is served beside the present one from the next ``cut()`` on.
  ///
  /// One that follows already is kept, so that the same again does no more.
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

  /// Lets the pair that follows take over when its time has come; returns whether it did.
  private func turnOver(_ now: Int64) throws(Failure) -> Bool {
    guard var keys, keys.settle(now) else { return false }
    try keys.keep(self.stateDirectory)
    self.keys = keys
    self.logger.notice("server key changed", metadata: ["fingerprint": "\(self.status.fingerprint)"])
    return true
  }

  // MARK: - Opening

  /// One after another: what binds must not meet what unbinds.
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
            "a stranger was not refused at the plane '\(plane.domain)': this libzmq does not ask who may connect")
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

  /// Binds all planes anew, under the keys there are.
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

  /// The I/O thread of libzmq gives a port back a moment after it was asked to.
  private static func bind(_ listeners: [TCPListener], _ plane: any NetworkPlane) async throws -> [String] {
    let end = ContinuousClock.now + Self.patience
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

/// Where the hub is reached by other machines.
struct TCPSettings: Sendable, Hashable {
  /// The first port: of the control plane. Events and work follow it, and then the three of an overlap of server keys.
  static let standardPort: UInt16 = 7750
  /// Planes, each with a port.
  static let planes: UInt16 = 3

  /// An address of this machine, or `*` for all of IPv4.
  let address: String
  /// The first port.
  let port: UInt16

  /// Takes an address and a port; nil when it cannot be one, or there is no room for the ports that follow.
  init?(address: String, port: Int = Int(Self.standardPort)) {
    let letters = address.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".:-_%*".contains($0)) }
    guard !address.isEmpty, letters, address == "*" || !address.contains("*"),
      (1...Int(UInt16.max - 2 * Self.planes)).contains(port)
    else { return nil }
    self.address = address
    self.port = UInt16(port)
  }

  /// Reads `ADDRESS`, `ADDRESS:PORT` or `[ADDRESS]:PORT`; nil for anything else.
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
