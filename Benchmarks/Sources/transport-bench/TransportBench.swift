import EventLoop
import Glibc
import Logging
import ZeroMQ

/// Measures the transport through the Swift wrapper, with the sockets and frames of `Benchmarks/c/zmq_floor.c`.
///
/// Usage: `transport-bench rtt|oneway ipc|tcp SIZE COUNT [curve]`. Prints one JSON line.
@main
struct TransportBench {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 5, let size = Int(arguments[3]), let count = Int(arguments[4]) else {
      print("usage: transport-bench rtt|oneway ipc|tcp SIZE COUNT [curve]")
      exit(2)
    }
    let (mode, transport) = (arguments[1], arguments[2])
    let usesCurve = arguments.count > 5 && arguments[5] == "curve"

    let serverContext = try Context()
    let clientContext = try Context()
    var router = try open(.router, in: serverContext)
    var dealer = try open(.dealer, in: clientContext)
    if usesCurve { try secure(&router, &dealer) }
    let path = "/tmp/transport-bench.\(getpid()).sock"
    if transport == "ipc" {
      try router.bind(IPCEndpoint(path: path))
    } else {
      try router.bind("tcp://127.0.0.1:*")
    }
    defer { unlink(path) }
    try dealer.connect(router.lastEndpoint())

    let logger = Logger(label: "transport-bench")
    let serverLoop = try LoopExecutor(name: "server", poller: Poller(), logger: logger)
    let clientLoop = try LoopExecutor(name: "client", poller: Poller(), logger: logger)
    let server = Server(router, echoes: mode == "rtt", expected: count, loop: serverLoop)
    let client = Client(dealer, count: count, size: size, loop: clientLoop)
    await server.serve()
    let measurement: Measurement
    if mode == "rtt" {
      measurement = await client.measureRoundTrips()
    } else {
      async let rate = server.measured()
      try await client.sendAll()
      measurement = await rate
    }
    let run = #""mode":"\#(mode)","transport":"\#(transport)","curve":\#(usesCurve),"size":\#(size),"count":\#(count)"#
    print(#"{"peer":"swift",\#(run),\#(figures(measurement))}"#)
  }

  private static func open(_ kind: SocketKind, in context: Context) throws -> Socket {
    var socket = try context.makeSocket(kind)
    try socket.set(.sendHighWaterMark, highWaterMark)
    try socket.set(.receiveHighWaterMark, highWaterMark)
    try socket.set(.linger, .zero)
    return socket
  }

  private static func secure(_ router: inout Socket, _ dealer: inout Socket) throws {
    let (server, client) = (try CurveKeyPair.random(), try CurveKeyPair.random())
    try router.set(.curveServer, true)
    try router.set(.curveSecretKey, server.secretKey)
    try dealer.set(.curveServerKey, server.publicKey)
    try dealer.set(.curvePublicKey, client.publicKey)
    try dealer.set(.curveSecretKey, client.secretKey)
  }

  private static func figures(_ measurement: Measurement) -> String {
    switch measurement {
    case .oneWay(let perSecond):
      return #""per_second":\#(Int(perSecond))"#
    case .roundTrips(let times):
      let (median, high) = (times[times.count / 2], times[times.count / 100 * 99])
      return #""p50_us":\#(tenths(median)),"p99_us":\#(tenths(high))"#
    }
  }

  private static func tenths(_ duration: Duration) -> Double {
    (duration / .nanoseconds(100)).rounded() / 10
  }
}
