internal import KithMessages

/// How many commands of each service are under way: together they are the mailbox of the actor behind it.
///
/// A pure value. One service that is slow leaves room for the others, whoever asks it how much.
struct ServiceLoad: Sendable {
  /// Commands of one service at once: docs/protocol.md, 9.
  static let limit = 256

  private var counts: [Substring: Int] = [:]

  /// Takes a command in.
  ///
  /// - Returns: Whether there is room for it.
  mutating func enter(_ method: Method) -> Bool {
    let service = Self.service(method)
    guard self.counts[service, default: 0] < Self.limit else { return false }
    self.counts[service, default: 0] += 1
    return true
  }

  /// Lets go a command that was taken in.
  mutating func leave(_ method: Method) {
    let service = Self.service(method)
    guard let count = self.counts[service] else { return }
    self.counts[service] = count > 1 ? count - 1 : nil
  }

  private static func service(_ method: Method) -> Substring { method.name.prefix { $0 != "/" } }
}
