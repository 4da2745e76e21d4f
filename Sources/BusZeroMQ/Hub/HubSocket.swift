internal import ZeroMQ

/// How the hub's sockets are set up before they are bound: docs/protocol.md, "Sockets".
enum HubSocket {
  /// How long a peer may take until it is let in.
  static let handshakeTime = Duration.seconds(5)

  /// Makes a socket whose peers are asked about under a ZAP domain, and which is closed to all while nobody answers.
  static func make(_ kind: SocketKind, zapDomain: String, in context: Context) throws(ZMQError) -> Socket {
    var socket = try context.makeSocket(kind)
    if kind == .router {
      try socket.set(.routerMandatory, true)
      try socket.set(.routerHandover, false)
      try socket.set(.sendHighWaterMark, 128)
    } else {
      // Not manual: libzmq loses count of whose subscription was read. docs/decisions/0044.
      try socket.set(.reportsAllSubscriptions, true)
      try socket.set(.sendHighWaterMark, 1000)
    }
    // A queue that is full is what libzmq may abort over: docs/decisions/0030. Bytes are bounded instead.
    try socket.set(.receiveHighWaterMark, 0)
    // An XPUB keeps each topic that a peer subscribes to at 36 times its size, and takes up all that have come at once.
    socket.startMeter(of: kind, mostUnread: kind == .router ? 0 : WireLimits.unreadSubscriptions)
    try socket.set(.maximumFrameSize, Int64(kind == .router ? WireLimits.frame : WireLimits.subscriptionFrame))
    try socket.set(.linger, .seconds(1))
    try socket.set(.handshakeInterval, Self.handshakeTime)
    try socket.endDeadConnections()
    try socket.set(.zapDomain, zapDomain)
    try socket.set(.enforceZAPDomain, true)
    try socket.set(.backlog, 100)
    return socket
  }
}
