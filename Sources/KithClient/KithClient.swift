public import Bus
internal import BusZeroMQ
public import KithMessages
public import Logging
internal import Secrets
internal import ZeroMQ

/// A client of a running `kithd`: typed commands, events without gaps, and blobs.
///
/// ```swift
/// let client = try await KithClient.connect()
/// let reply = try await client.ask(ListContactsRequest())
/// for try await element in try client.events(["sync"]) { print(element) }
/// await client.close()
/// ```
///
/// Every call is a ``Port`` call: it is sent again while no answer comes, and happens once.
public final class KithClient: Port, Sendable {
  /// How a client subscribes.
  package typealias Subscribe = @Sendable ([String], [StreamPosition]) throws(Failure) -> EventSequence

  private let port: any Port
  private let subscribe: Subscribe
  private let transport: Transport?

  /// Makes a client of any port and any events.
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

  /// Finds the daemon and asks whether it is there. Where nothing listens, that is said at once.
  ///
  /// - Parameters:
  ///   - runtimeDirectory: Where its sockets are; nil = looked for as `RuntimeLocations.places` says.
  ///   - limit: How long it may take to answer.
  ///   - logger: Told of what a caller is not: commands sent again, messages not understood.
  /// - Throws: `UNAVAILABLE/HUB_NOT_RUNNING` when there is none, `UNAVAILABLE/HUB_SILENT` when it does not answer,
  ///   `PERMISSION_DENIED/SOCKET_FORBIDDEN` when its socket is closed to this user, `UNAUTHENTICATED/PRINCIPAL_UNKNOWN` when it
  ///   does not know this user.
  public static func connect(
    runtimeDirectory: String? = nil, within limit: Duration = .seconds(3),
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

  /// Connects to a hub on another machine, by the key of a file.
  ///
  /// - Parameters:
  ///   - file: Trusts one key of the hub, and while that changes the next one too, which the hub has told of.
  ///   - serverKey: The hub's public key in hex or Z85; nil = as the file says. The one that was right is kept in the file.
  ///   - limit: How long it may take to answer.
  /// - Throws: `UNAVAILABLE/HUB_NOT_RUNNING` when nobody answers; `UNAUTHENTICATED` with `KEY_NOT_ADMITTED`, `KEY_REFUSED` or
  ///   `SERVER_KEY_WRONG`; `INVALID_ARGUMENT/FIELD_INVALID` without a key of the hub.
  public static func connect(
    to hub: RemoteHub, key file: KeyFile, serverKey: String? = nil, within limit: Duration = .seconds(10),
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
        // A file that cannot be written still lets us in today.
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
        "No kithd answers at \(hub.control). Check the address, and that tcp is served there: `kith keys show` on the hub."
      )
    }
  }

  /// Sends a command, as often as it takes, and waits for its answer.
  public func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    try await self.port.call(command, context)
  }

  /// The thread of the connection; nil for a client of another port.
  ///
  /// A caller that awaits one answer after another saves two changes of thread a command when it runs there:
  /// `await withTaskExecutorPreference(client.executor) { ... }`. What it does between them holds the connection up.
  public var executor: (any TaskExecutor)? { self.transport?.loop }

  /// How a secret that a file of this machine holds is given to the hub: to one on the same machine by its path, which the hub
  /// reads whenever it needs it, to one on another machine by its value.
  ///
  /// - Parameter path: Of the file; a relative one is below the working directory.
  /// - Returns: One of the two; the other is empty.
  /// - Throws: `NOT_FOUND/FILE_MISSING`, `FAILED_PRECONDITION/SECRET_UNREADABLE` for what cannot be read here.
  public func secret(inFile path: String) throws(Failure) -> (value: String, path: String) {
    let path = RuntimeLocations.absolute(path)
    guard self.transport?.isRemote ?? false else { return ("", path) }
    guard let secret = try SecretFile(path: path).read() else {
      throw Failure(.notFound, "FILE_MISSING", "There is no file \(path) on this machine. Check the path.")
    }
    return (secret, "")
  }

  /// Subscribes to streams. The connection is made with the first element that is asked for.
  ///
  /// - Parameters:
  ///   - streams: Their names, such as `sync`.
  ///   - since: Saved positions to go on from; streams without one begin with a snapshot.
  /// - Throws: `UNAVAILABLE/SHUTTING_DOWN` after ``close()``.
  public func events(_ streams: [String], since: [StreamPosition] = []) throws(Failure) -> EventSequence {
    try self.subscribe(streams, since)
  }

  /// Ends the connections and their threads. What still waits fails with `UNAVAILABLE/SHUTTING_DOWN`, as what comes later;
  /// event sequences end.
  public func close() async { await self.transport?.close() }
}
