/// A text in parts that a channel takes, each with its number at the end: `(1/2)`.
///
/// It is divided at the ends of lines; a line that is too long by itself is divided between characters. Nothing is left out.
public struct TextParts: Sendable, Hashable {
  /// The parts in their order; one when the text fits as it is.
  public let texts: [String]

  /// Room for the number of a part, with the line feed before it: `(99/99)`.
  private static let mark = 8

  /// Divides a text.
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

  /// Where the part ends that begins a text: behind the last line that fits whole, else behind the last character.
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

  /// Where the part ends that begins with a character which is larger than a part: behind as many of its scalars as fit, and
  /// behind one at least.
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
