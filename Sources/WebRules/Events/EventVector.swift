/// How far a reader of events has come, in each of its streams: the `id` of an event.
///
/// ```swift
/// EventVector("0198…:care=12,sync=40")?.positions  // ["care": 12, "sync": 40]
/// ```
public struct EventVector: Sendable, Hashable {
  /// The id of the event log that the numbers belong to.
  public var epoch: String
  /// The number of the last event, by stream.
  public var positions: [String: UInt64]

  /// Makes a vector.
  public init(epoch: String, positions: [String: UInt64]) {
    self.epoch = epoch
    self.positions = positions
  }

  /// Reads an `id`; nil if the text is none.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, text.utf8.count <= 1024, !parts[0].isEmpty, parts[0].allSatisfy(Self.isPlain) else {
      return nil
    }
    var positions: [String: UInt64] = [:]
    for pair in parts[1].split(separator: ",") {
      let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[0].isEmpty, sides[0].allSatisfy(Self.isPlain), let seq = UInt64(sides[1]),
        positions.updateValue(seq, forKey: String(sides[0])) == nil
      else { return nil }
    }
    self.init(epoch: String(parts[0]), positions: positions)
  }

  /// The positions in some streams alone.
  public func only(_ streams: [String]) -> EventVector {
    EventVector(epoch: self.epoch, positions: self.positions.filter { streams.contains($0.key) })
  }

  /// The `id`: streams in the order of their names.
  public var text: String {
    let pairs = self.positions.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return "\(self.epoch):\(pairs.joined(separator: ","))"
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || character == "-" || character == "_")
  }
}
