public import Bus
internal import KithMessages

/// The half that talks to a Monica server: reads lists and records, and brings changes there.
///
/// It may live on another machine. It has no store, and keeps nothing between calls but what ``MonicaConnections`` has.
public struct MonicaRemoteService: Sendable {
  private let connections: MonicaConnections

  /// Makes a service.
  ///
  /// - Parameter connections: The way to the servers.
  public init(connections: MonicaConnections) { self.connections = connections }

  /// The methods that answer once.
  public var routes: [Route] { [] }

  /// The methods that answer in batches.
  public var batchRoutes: [BatchRoute] { [] }
}
