/// A text split into parts that fit a channel, each with its number at the end: `(1/2)`.
///
/// It is split at the ends of lines; a line that is too long is split between characters. Nothing is left out.
public struct TextParts: Sendable, Hashable {
  /// The parts in order; one if the whole text fits.
  public let texts: [String]

  /// Room for the number of a part and its line feed: `(99/99)`.
  private static let mark = 8

  /// Splits a text.
  public init(_ text: String, _ capacity: ChannelCapacity) {
    guard capacity.count(text) > capacity.size else {
      self.texts = [text]
      return
    }
    var parts: [Substring] = []
    var start = text.startIndex
    while start < text.endIndex {
      let end = Self.end(of: text[start...], room: capacity.size - Self.mark, capacity)
      parts.append(text[start..<end])
      start = end
    }
    self.texts = parts.enumerated().map { index, part in
      let line = part.hasSuffix("\n") ? part.dropLast() : part
      return "\(line)\n(\(index + 1)/\(parts.count))"
    }
  }

  /// The end of the first part: after the last whole line that fits, else after the last character that fits.
  private static func end(of text: Substring, room: Int, _ capacity: ChannelCapacity) -> String.Index {
    var used = 0
    var lineEnd: String.Index?
    var at = text.startIndex
    while at < text.endIndex {
      let next = text.index(after: at)
      used += capacity.count(text[at..<next])
      // The line feed itself is not sent.
      if text[at] == "\n", used - 1 <= room { lineEnd = next }
      guard used <= room else { break }
      at = next
    }
    guard at < text.endIndex else { return at }
    if let lineEnd { return lineEnd }
    return at > text.startIndex ? at : Self.endOfScalars(in: text, room: room, capacity)
  }

  /// The end of a part whose first character is larger than a part: after as many of its scalars as fit, and at least
  /// one.
  private static func endOfScalars(in text: Substring, room: Int, _ capacity: ChannelCapacity) -> String.Index {
    var (end, left) = (text.startIndex, room)
    while end < text.endIndex {
      let next = text.unicodeScalars.index(after: end)
      left -= capacity.count(text.unicodeScalars[end..<next])
      guard left >= 0 || end == text.startIndex else { break }
      end = next
    }
    return end
  }
}
