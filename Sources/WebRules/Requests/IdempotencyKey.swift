internal import Bus
internal import Digest

/// The keys under which the hub remembers the commands of one request.
///
/// ```swift
/// let key = try IdempotencyKey("5f0c…")
/// key.text                // of the command itself
/// key.part("start")       // of one of the commands that a recording becomes
/// ```
public struct IdempotencyKey: Sendable, Hashable {
  /// The most bytes of a key of the hub.
  public static let longest = 64

  /// The key for the hub: as it was sent, or its SHA-256 if it is too long.
  public let text: String

  /// Takes the value of the field `Idempotency-Key`, with or without quotation marks.
  ///
  /// - Throws: 400 if it is empty, has more than 255 bytes, or anything but printable ASCII.
  public init(_ field: String) throws(Refusal) {
    let isQuoted = field.utf8.count >= 2 && field.hasPrefix("\"") && field.hasSuffix("\"")
    let value = isQuoted ? String(field.dropFirst().dropLast()) : field
    guard (1...255).contains(value.utf8.count), value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Refusal(
        400, .invalid(field: "Idempotency-Key", "has to be 1 to 255 printable ASCII characters without spaces."))
    }
    self.text = Self.short(value)
  }

  /// The key of another try at what a key stands for.
  public init(_ first: IdempotencyKey, _ number: Int) { self.text = first.part("try-\(number)") }

  /// The key of one of several commands.
  public func part(_ name: String) -> String { Self.short("\(self.text):\(name)") }

  private static func short(_ text: String) -> String {
    text.utf8.count <= Self.longest ? text : Hex.encode(SHA256.digest(Array(text.utf8)))
  }
}
