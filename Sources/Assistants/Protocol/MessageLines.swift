/// Splits what comes over standard input into messages, one a line. A pure value.
///
/// ```swift
/// var lines = MessageLines()
/// for line in lines.take(bytes) { … }
/// ```
public struct MessageLines: Sendable {
  /// A line that has ended.
  public enum Line: Sendable, Hashable {
    /// A message, without the end of its line.
    case message([UInt8])
    /// More than ``AssistantServer/largestMessage``; its bytes were not kept.
    case tooLong
  }

  private var rest: [UInt8] = []
  private var isTooLong = false

  /// Makes one at the beginning of a line.
  public init() {}

  /// Takes the next bytes; returns the lines that end in them. Empty lines are none.
  public mutating func take(_ bytes: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var left = bytes[...]
    while let end = left.firstIndex(of: UInt8(ascii: "\n")) {
      self.keep(left[..<end])
      if let line = self.end() { lines.append(line) }
      left = left[(end + 1)...]
    }
    self.keep(left)
    return lines
  }

  /// The line that the end of the input cut off; nil if there is none.
  public mutating func end() -> Line? {
    defer { (self.rest, self.isTooLong) = ([], false) }
    guard !self.isTooLong else { return .tooLong }
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0D]
    return self.rest.allSatisfy(blanks.contains) ? nil : .message(self.rest)
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    guard !self.isTooLong, self.rest.count + bytes.count <= AssistantServer.largestMessage else {
      (self.rest, self.isTooLong) = ([], true)
      return
    }
    self.rest += bytes
  }
}
