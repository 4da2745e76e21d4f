public import Bus
internal import CMosquitto
internal import EventLoop
internal import Glibc

/// A connection to an MQTT broker by libmosquitto, on a thread of its own: it is kept alive, and made again when it is lost or did not
/// come about.
///
/// ```swift
/// let broker = try Broker(address, login: Broker.Login(user: "kith", password: secret), id: "kith-01a1fc35", will: will)
/// for await event in broker.events {
///   if case .connected = event { broker.publish(state); broker.subscribe("kith/01a1fc35/care/+") }
/// }
/// ```
///
/// A session is clean: a message that comes while there is no connection is not kept for later.
public final class Broker: Sendable {
  /// The user at the broker.
  public struct Login: Sendable {
    /// Empty = anonymous.
    public var user = ""
    /// The user's password.
    public var password = ""
    /// A file with the certificates that may sign that of the broker; empty = those that the system trusts.
    public var authorities = ""

    /// An anonymous login.
    public init() {}
  }

  /// A message to a topic.
  public struct Message: Sendable, Hashable {
    /// Its topic, without wildcards.
    public var topic: String
    /// UTF-8, or any bytes.
    public var payload: [UInt8]
    /// Whether the broker keeps it for those that subscribe later.
    public var isRetained: Bool

    /// Makes a message of a text.
    public init(_ topic: String, _ text: String, isRetained: Bool = false) {
      (self.topic, self.payload, self.isRetained) = (topic, Array(text.utf8), isRetained)
    }

    fileprivate init(topic: String, payload: [UInt8], isRetained: Bool) {
      (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }
  }

  /// What happened on the connection.
  public enum Event: Sendable, Hashable {
    /// The broker let the client in. Subscriptions have to be made again.
    case connected
    /// The broker refused the client, which tries again; for people.
    case refused(String)
    /// The connection is lost; it is made again.
    case disconnected
    /// A message of a subscription. A retained one is an old one.
    case received(Message)
  }

  /// The events, for one consumer. They end after ``close()``.
  public let events: AsyncStream<Event>

  private let session: Session

  /// Begins to connect.
  ///
  /// - Parameters:
  ///   - id: The client's name at the broker; a second client with the same name ends the connection of the first.
  ///   - will: What the broker publishes when the connection is lost.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` if the certificates cannot be read.
  public init(_ address: BrokerAddress, login: Login, id: String, will: Message) throws(Failure) {
    let (events, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingOldest(1024))
    self.events = events
    self.session = Session(id: id, inbox: Inbox(continuation))
    try self.session.prepare(address, login, will)
    self.session.start(address)
  }

  /// Sends a message, with the promise of the protocol that it arrives at least once while the connection lasts.
  ///
  /// - Parameter isNews: Whether it is worth nothing later: then it is sent at most once, and not kept while there is no connection.
  public func publish(_ message: Message, isNews: Bool = false) { self.session.publish(message, isNews: isNews) }

  /// Asks for the messages of a topic, which may have wildcards.
  public func subscribe(_ topic: String) { self.session.subscribe(topic) }

  /// Says goodbye, so that the broker does not publish the will, and ends the events. What was published is sent before.
  public func close() { self.session.stop() }

  /// Takes the calls of libmosquitto's thread.
  fileprivate final class Inbox: Sendable {
    let continuation: AsyncStream<Event>.Continuation
    let isClosed = Lock(false)

    init(_ continuation: AsyncStream<Event>.Continuation) { self.continuation = continuation }

    func take(_ event: Event) { self.continuation.yield(event) }

    /// The inbox behind the pointer that libmosquitto hands back.
    static func of(_ pointer: UnsafeMutableRawPointer?) -> Inbox? {
      // The pointer is the one of `Session.init`; the session holds the inbox, and its thread holds the session.
      unsafe pointer.map { unsafe Unmanaged<Inbox>.fromOpaque($0).takeUnretainedValue() }
    }
  }

  /// libmosquitto's object, and the thread that keeps it connected, which holds it until the connection is closed.
  ///
  /// `@unchecked` is sound: mosquitto.h allows its functions on every thread (`mosquitto_threaded_set`); what is called before the thread
  /// runs, `Broker.init` calls before it hands the object on.
  @safe private final class Session: @unchecked Sendable {
    private let handle: OpaquePointer
    // Held for as long as libmosquitto may call it.
    private let inbox: Inbox
    private let thread = ThreadExecutor(name: "kith.mqtt")

    private static let isReady: Bool = mosquitto_lib_init() == 0

    init(id: String, inbox: Inbox) {
      guard Self.isReady, let handle = unsafe mosquitto_new(id, true, Unmanaged.passUnretained(inbox).toOpaque()) else {
        // The other cause that mosquitto.h names is an id that is no UTF-8.
        preconditionFailure("there is no memory for libmosquitto")
      }
      unsafe self.handle = handle
      self.inbox = inbox
    }

    deinit {
      unsafe mosquitto_destroy(self.handle)
    }

    func prepare(_ address: BrokerAddress, _ login: Login, _ will: Message) throws(Failure) {
      let payload = will.payload
      _ = unsafe mosquitto_will_set(self.handle, will.topic, Int32(payload.count), payload, 1, will.isRetained)
      if !login.user.isEmpty { _ = unsafe mosquitto_username_pw_set(self.handle, login.user, login.password) }
      // Small messages wait for nothing.
      _ = unsafe mosquitto_int_option(self.handle, MOSQ_OPT_TCP_NODELAY, 1)
      _ = unsafe mosquitto_reconnect_delay_set(self.handle, 1, 30, true)
      if address.isTLS {
        let file = login.authorities.isEmpty ? nil : login.authorities
        let set = unsafe mosquitto_tls_set(self.handle, file, file == nil ? "/etc/ssl/certs" : nil, nil, nil, nil)
        guard set == MOSQ_ERR_SUCCESS.rawValue else {
          throw .invalid(
            field: "ca-file", "\(login.authorities) cannot be read. It has to be a file of certificates in PEM form.")
        }
      }
      unsafe mosquitto_connect_callback_set(self.handle) { _, inbox, code in
        let event: Event = code == 0 ? .connected : .refused(unsafe String(cString: mosquitto_connack_string(code)))
        unsafe Inbox.of(inbox)?.take(event)
      }
      unsafe mosquitto_disconnect_callback_set(self.handle) { _, inbox, code in
        unsafe Inbox.of(inbox)?.take(.disconnected)
      }
      unsafe mosquitto_message_callback_set(self.handle) { _, inbox, message in
        guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
        let payload = unsafe UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
        // The memory belongs to libmosquitto until the call returns.
        let received = unsafe Message(
          topic: String(cString: topic), payload: Array(payload), isRetained: message.retain)
        unsafe Inbox.of(inbox)?.take(.received(received))
      }
    }

    func start(_ address: BrokerAddress) {
      _ = unsafe mosquitto_threaded_set(self.handle, true)
      Task.detached(executorPreference: self.thread) { await self.keepConnected(address) }
    }

    /// Connects again and again until the session is closed. libmosquitto's own loop does so too, but gives up after some errors of TLS.
    @concurrent private func keepConnected(_ address: BrokerAddress) async {
      while !self.isClosed {
        if unsafe mosquitto_connect(self.handle, address.host, Int32(address.port), 15) == MOSQ_ERR_SUCCESS.rawValue {
          _ = unsafe mosquitto_loop_forever(self.handle, -1, 1)
        }
        if !self.isClosed { sleep(1) }
      }
      self.inbox.continuation.finish()
    }

    private var isClosed: Bool { self.inbox.isClosed.withLock { $0 } }

    func publish(_ message: Message, isNews: Bool) {
      let payload = message.payload
      _ = unsafe mosquitto_publish(
        self.handle, nil, message.topic, Int32(payload.count), payload, isNews ? 0 : 1, message.isRetained)
    }

    func subscribe(_ topic: String) { _ = unsafe mosquitto_subscribe(self.handle, nil, topic, 1) }

    func stop() {
      self.inbox.isClosed.withLock { $0 = true }
      _ = unsafe mosquitto_disconnect(self.handle)
      // The thread may wait for its next attempt; nobody waits for it.
      self.inbox.continuation.finish()
    }
  }
}
