public import KithMessages
public import ZeroMQ

/// A plane that can be served over tcp beside ipc.
///
/// A plane binds ipc first: see ``TCPBinding``.
public protocol NetworkPlane: Sendable {
  /// Its ZAP domain: `control`, `events` or `work`.
  var domain: String { get }

  /// Serves these listeners and no others. Whoever was connected over tcp is cut, also where a listener stays the same.
  ///
  /// - Parameter listeners: None = ipc alone.
  /// - Returns: What was bound, as libzmq spells it.
  /// - Throws: `ZMQError`: `addressInUse` also for a moment after the same port was given up. Nothing is bound over tcp then.
  func listen(_ listeners: [TCPListener]) async throws(ZMQError) -> [String]

  /// Who is connected, in numbers.
  var peers: PlaneStatus { get async }
}

extension NetworkPlane {
  /// Which port counted from the first one it has: 7750 for control.
  public var portOffset: UInt16 {
    switch self.domain {
    case "control": 0
    case "events": 1
    default: 2
    }
  }
}
