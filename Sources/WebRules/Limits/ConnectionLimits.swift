/// How many connections there may be, in all and from one address. A pure value.
///
/// ```swift
/// var limits = ConnectionLimits(each: 64)
/// guard limits.open("192.168.1.20") else { return close() }
/// limits.close("192.168.1.20")
/// ```
public struct ConnectionLimits: Sendable {
  /// Connections in all.
  public static let all = 512
  /// Connections of one address, unless it is a proxy.
  public static let address = 128

  private let each: Int
  private var counts: [String: Int] = [:]
  /// The connections that there are.
  public private(set) var count = 0

  /// Makes limits without connections.
  ///
  /// - Parameter each: The most connections of one address.
  public init(each: Int) { self.each = each }

  /// Counts a connection. Returns false if there is no place for it.
  public mutating func open(_ address: String) -> Bool {
    guard self.count < Self.all, self.counts[address, default: 0] < self.each else { return false }
    self.count += 1
    self.counts[address, default: 0] += 1
    return true
  }

  /// Counts the end of a connection.
  public mutating func close(_ address: String) {
    guard let count = self.counts[address] else { return }
    self.count -= 1
    self.counts[address] = count > 1 ? count - 1 : nil
  }
}
