/// What an engine says of a failure, as far as others may read it: it is kept in the store and written to the log, and it comes
/// from a program that anybody may have written.
enum EngineWords {
  /// Code points that are kept.
  private static let limit = 160
  /// From this length on, a word of letters and digits may be a key.
  private static let longestWord = 24
  /// Names of what is nobody's business, wherever a value follows them.
  private static let secrets = ["token", "secret", "password", "passwd", "key", "authorization", "bearer"]

  /// One line without paths, addresses and secrets, which become an ellipsis each, cut to what fits a list.
  static func fit(_ text: String) -> String {
    var words: [Substring] = []
    var isSecret = false
    for word in text.split(whereSeparator: { $0.isWhitespace || $0.unicodeScalars.contains(where: Self.isInvisible) }) {
      let name = word.lowercased()
      let namesSecret = Self.secrets.contains { name.contains($0) }
      let isHidden = isSecret || word.contains("/") || word.contains("\\") || word.count > Self.longestWord
      // `token=x` is one word; of `token: x` and `Bearer x` the next one is it.
      let hasValue = namesSecret && word.dropLast().contains(where: { "=:".contains($0) })
      if !(words.last == "…" && (isHidden || hasValue)) { words.append(isHidden || hasValue ? "…" : word) }
      isSecret = namesSecret && !hasValue && (name == "bearer" || name.hasSuffix(":") || name.hasSuffix("="))
    }
    let line = words.joined(separator: " ")
    guard line.unicodeScalars.count > Self.limit else { return line }
    return String(String.UnicodeScalarView(line.unicodeScalars.prefix(Self.limit - 1))) + "…"
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
