public import Bus

/// Turns sound into text by one of several engines. It may live on another machine, and keeps nothing.
public struct TranscriberService: Sendable {
  /// The methods that answer once.
  public var routes: [Route] { [] }
}
