public import Bus

/// Brings messages to people. It may live on another machine, and keeps nothing.
public struct DeliveryService: Sendable {
  /// The methods that answer once.
  public var routes: [Route] { [] }
}
