/// A language by its tag of BCP 47: `en`, `en-US`, `ja-JP`.
struct LanguageTag: Sendable, Hashable {
  /// As it was given.
  let text: String
  private let subtags: [String]

  /// Reads a tag; nil when it is none. RFC 5646, section 2.1, as far as speech goes by it.
  init?(_ text: String) {
    let subtags = text.lowercased().split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    let isTag = subtags.allSatisfy { (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isAlphanumeric) }
    guard isTag, subtags.count <= 5, (2...3).contains(subtags[0].utf8.count),
      subtags[0].utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
    else { return nil }
    self.text = text
    self.subtags = subtags
  }

  /// The language without region: `en`.
  var language: String { self.subtags[0] }

  /// Whether the two go together: one is the other, or says more of it.
  func matches(_ other: LanguageTag) -> Bool {
    self.subtags.starts(with: other.subtags) || other.subtags.starts(with: self.subtags)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }
}
