public import Bus
internal import BusZeroMQ
public import KithMessages
public import Logging
internal import Secrets
internal import ZeroMQ

/// A client of a running `kithd`: typed commands, gapless events, and blobs.
///
/// ```swift
/// let client = try await KithClient.connect()
/// let reply = try await client.ask(ListContactsRequest())
/// for try await element in try client.events(["sync"]) { print(element) }
/// await client.close()
/// ```
///
/// Every call is a ``Port`` call: it is retried until it is answered, and runs once.
public final class KithClient: Port, Sendable {
  /// Subscribes to streams from saved positions.
  package typealias Subscribe = @Sendable ([String], [StreamPosition]) throws(Failure) -> EventSequence

  private let port: any Port
  private let subscribe: Subscribe
  private let transport: Transport?

  /// Makes a client with another port and other events.
  package init(port: any Port, subscribe: @escaping Subscribe) {
    self.port = port
    self.subscribe = subscribe
    self.transport = nil
  }

  private init(_ transport: Transport) {
    self.port = transport.port
    self.subscribe = { (streams, since) throws(Failure) in try transport.events(streams, since: since) }
    self.transport = transport
  }

  /// How long a client waits for the first answer of a hub, which may be busy: 10 seconds.
  public static let patience = Duration.seconds(10)

  /// Connects to the daemon on this machine and waits for its answer. Fails at once if no process listens.
  ///
  /// - Parameters:
  ///   - runtimeDirectory: The directory of its sockets; nil = the places of `RuntimeLocations.places`.
  ///   - limit: The longest wait for the answer.
  ///   - logger: Logs what callers do not see: retries and malformed messages.
  /// - Throws: `UNAVAILABLE/HUB_NOT_RUNNING` if no daemon runs, `UNAVAILABLE/HUB_SILENT` if it does not answer,
  ///   `PERMISSION_DENIED/SOCKET_FORBIDDEN` if this user may not open its socket, `UNAUTHENTICATED/PRINCIPAL_UNKNOWN` if it
  ///   does not admit this user.
  public static func connect(
    runtimeDirectory: String? = nil, within limit: Duration = patience,
    logger: Logger = Logger(label: "kith.client", factory: { _ in SwiftLogNoOpLogHandler() })
  ) async throws(Failure) -> KithClient {
    let locations = try LocalHub.find(RuntimeLocations.places(runtimeDirectory: runtimeDirectory))
    let client = KithClient(try Transport(locations, connectLimit: limit / 3, logger: logger))
    do throws(Failure) {
      _ = try await client.ask(PingRequest(), CallContext(timeout: limit))
    } catch {
      await client.close()
      guard error.code == .unavailable || error.code == .deadlineExceeded else { throw error }
      throw LocalHub.silent(at: locations)
    }
    return client
  }

  /// Connects to a hub on another machine with the key of a file.
  ///
  /// - Parameters:
  ///   - file: The client's key file. While the hub changes its key, the file holds the next key too.
  ///   - serverKey: The hub's public key in hex or Z85; nil = from the file. The confirmed key is stored in the file.
  ///   - limit: The longest wait for the answer.
  /// - Throws: `UNAVAILABLE/HUB_NOT_RUNNING` if no hub answers; `UNAUTHENTICATED` with `KEY_NOT_ADMITTED`, `KEY_REFUSED` or
  ///   `SERVER_KEY_WRONG`; `INVALID_ARGUMENT/FIELD_INVALID` if the hub's key is missing.
  public static func connect(
    to hub: RemoteHub, key file: KeyFile, serverKey: String? = nil, within limit: Duration = patience,
    logger: Logger = Logger(label: "kith.client", factory: { _ in SwiftLogNoOpLogHandler() })
  ) async throws(Failure) -> KithClient {
    var file = file
    let candidates = try serverKey.map { text throws(Failure) in [try KeyFile.checked(text).z85] } ?? file.serverKeys
    var failure = KeyFile.noServerKey
    for candidate in candidates {
      do throws(Failure) {
        let (client, next) = try await self.connect(
          to: hub, as: file.identity(towards: candidate), within: limit / candidates.count, logger: logger)
        let trusted = [candidate] + (next.isEmpty ? [] : [next])
        // The connection works even if the file cannot be written.
        if trusted != file.serverKeys { try? file.trust(trusted) }
        return client
      } catch {
        failure = error
        guard error.reason == "SERVER_KEY_WRONG" else { throw error }
      }
    }
    throw failure
  }

  private static func connect(
    to hub: RemoteHub, as identity: CurveIdentity, within limit: Duration, logger: Logger
  ) async throws(Failure) -> (KithClient, nextServerKey: String) {
    let client = KithClient(
      try Transport(
        control: hub.control, events: hub.events, identity: identity, connectLimit: limit / 3, logger: logger))
    do throws(Failure) {
      return (client, try await client.ask(HelloRequest(), CallContext(timeout: limit)).nextServerKeyZ85)
    } catch {
      await client.close()
      guard error.code == .unavailable || error.code == .deadlineExceeded else { throw error }
      throw Failure(
        .unavailable, "HUB_NOT_RUNNING",
        "No kithd answers at \(hub.control). Check the address, and that tcp is served there: `kith keys show` on the hub.",
        details: ["hub": hub.control])
    }
  }

  /// Sends a command, retries it, and waits for its answer.
  public func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    try await self.port.call(command, context)
  }

  /// Sends an encoded command as a device, retries it, and waits for its answer: for a program that passes on the commands of others.
  ///
  /// - Returns: The answer, whose status may be a failure of the command.
  /// - Throws: If the hub does not answer, or the command exceeds the limits of the wire.
  public func forward(_ command: ForwardedCommand) async throws(Failure) -> ForwardedAnswer {
    guard let transport else {
      throw Failure(
        .unimplemented, "PORT_NOT_REMOTE", "This client has no connection that a command could be passed on over.")
    }
    return ForwardedAnswer(
      try await transport.port.forward(command.request, timeout: command.timeout, progress: command.progress))
  }

  /// The event loop of the connection; nil for a client with another port.
  ///
  /// A caller that awaits one answer after another saves two thread changes for each command if it runs there:
  /// `await withTaskExecutorPreference(client.executor) { ... }`. Its own work then delays the connection.
  public var executor: (any TaskExecutor)? { self.transport?.loop }

  /// Whether the hub is on this machine, so that paths mean the same files for both.
  public var isLocal: Bool { !(self.transport?.isRemote ?? true) }

  /// How to pass a secret from a local file to the hub: a hub on this machine gets the path and reads the file when needed;
  /// a hub on another machine gets the secret itself.
  ///
  /// - Parameter path: The path of the file, absolute or relative to the working directory.
  /// - Returns: One of the two; the other is empty.
  /// - Throws: `NOT_FOUND/FILE_MISSING`; `FAILED_PRECONDITION/SECRET_UNREADABLE` if the file cannot be read here.
  public func secret(inFile path: String) throws(Failure) -> (value: String, path: String) {
    let path = RuntimeLocations.absolute(path)
    guard self.transport?.isRemote ?? false else { return ("", path) }
    guard let secret = try SecretFile(path: path).read() else {
      throw Failure(.notFound, "FILE_MISSING", "There is no file \(path) on this machine. Check the path.")
    }
    return (secret, "")
  }

  /// Subscribes to streams. It connects when the first element is requested.
  ///
  /// - Parameters:
  ///   - streams: Their names, such as `sync`.
  ///   - since: Saved positions to continue from; a stream without one starts with a snapshot.
  /// - Throws: `UNAVAILABLE/SHUTTING_DOWN` after ``close()``.
  public func events(_ streams: [String], since: [StreamPosition] = []) throws(Failure) -> EventSequence {
    try self.subscribe(streams, since)
  }

  /// Closes the connections and ends their threads. Waiting and later calls fail with `UNAVAILABLE/SHUTTING_DOWN`; event
  /// sequences end.
  public func close() async { await self.transport?.close() }
}
