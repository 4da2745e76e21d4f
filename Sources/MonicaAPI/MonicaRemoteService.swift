public import Bus
internal import EventLoop
internal import KithMessages
internal import Secrets

/// The half that talks to a Monica server: reads lists and records, and brings changes there.
///
/// It may live on another machine. It has no store, and keeps nothing between calls but open connections and what it knows of
/// the server's rate limit.
public struct MonicaRemoteService: Sendable {
  /// The methods that answer once.
  public var routes: [Route] { [] }

  /// The methods that answer in batches.
  public var batchRoutes: [BatchRoute] { [] }
}
