internal import Bus
internal import HelpTexts

/// The translations of help and usage errors. The key of a text is its English form, as gettext has it.
///
/// A key with `{}` stands for all texts that have something else in its place; the translation has it in the same order.
package struct Catalogue: Sendable {
  private let texts: [String: String]
  private let patterns: [(pieces: [Substring], translation: [Substring])]

  /// The Japanese catalogue. Reading it takes a moment, so ask for it only if something is to be translated.
  package static func japanese() -> Catalogue {
    var count = 0
    guard let bytes = kith_help_japanese(&count) else { return Catalogue(po: "") }
    return Catalogue(po: String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
  }

  /// The empty catalogue: every text is its own key.
  package static let english = Catalogue(po: "")

  /// That of the locale.
  package static func ofLocale() -> Catalogue { Self.isWanted ? .japanese() : .english }

  /// Whether the locale asks for Japanese. locale(7): LC_ALL before LC_MESSAGES before LANG.
  package static var isWanted: Bool {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap(RuntimeLocations.variable)
    return (names.first { !$0.isEmpty } ?? "").hasPrefix("ja")
  }

  /// Reads a catalogue; entries without a translation are left out.
  package init(po: String) {
    var texts: [String: String] = [:]
    var key = ""
    var value = ""
    var isKey = true
    let lines: [Substring] = po.split(separator: "\n")
    for line in lines + ["msgid"] {
      if line.hasPrefix("msgid") {
        if !key.isEmpty, !value.isEmpty { texts[key] = value }
        (key, value, isKey) = ("", "", true)
      } else if line.hasPrefix("msgstr") {
        isKey = false
      }
      guard let quote = line.firstIndex(of: "\""), !line.hasPrefix("#") else { continue }
      let text = Self.unescaped(line[quote...].dropFirst().dropLast())
      if isKey { key += text } else { value += text }
    }
    self.texts = texts
    // The pattern with most of its own text first: it says most exactly what is meant.
    self.patterns = texts.filter { $0.key.contains("{}") }.sorted { ($1.key.count, $0.key) < ($0.key.count, $1.key) }
      .map { (Self.pieces($0.key), Self.pieces($0.value)) }
  }

  /// The translation of a text; nil if there is none.
  package func translation(of text: String) -> String? {
    if let found = self.texts[text] { return found }
    for (pieces, translation) in self.patterns {
      guard let values = Self.values(of: text, between: pieces) else { continue }
      // A sentence in a sentence: why a value is invalid.
      let shown = values.map { $0.hasSuffix(".") ? self(String($0)) : Self.listed($0) }
      return zip(translation, shown + [""]).reduce("") { $0 + $1.0 + $1.1 }
    }
    return nil
  }

  /// Words in quotes as Japanese lists them: the parser joins them with `and` and `or`.
  private static func listed(_ value: Substring) -> String {
    guard value.hasPrefix("'"), value.hasSuffix("'") else { return String(value) }
    return ["' and '", "' or '", "', '"].reduce(String(value)) { $0.replacing($1, with: "'、'") }
  }

  /// The translation, or the text itself.
  package func callAsFunction(_ text: String) -> String { self.translation(of: text) ?? text }

  private static func pieces(_ text: String) -> [Substring] {
    var pieces: [Substring] = []
    var rest = text[...]
    while let range = rest.firstRange(of: "{}") {
      pieces.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return pieces + [rest]
  }

  /// What stands between the pieces; nil if the text is not made of them.
  private static func values(of text: String, between pieces: [Substring]) -> [Substring]? {
    guard let first = pieces.first, let last = pieces.last, text.hasPrefix(first), text.hasSuffix(last),
      text.count >= first.count + last.count
    else { return nil }
    var values: [Substring] = []
    var rest = text.dropFirst(first.count).dropLast(last.count)
    for piece in pieces.dropFirst().dropLast() {
      guard let range = rest.firstRange(of: piece) else { return nil }
      values.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return values + [rest]
  }

  private static func unescaped(_ text: Substring) -> String {
    var plain = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        plain.append(character == "n" ? "\n" : character == "t" ? "\t" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        plain.append(character)
      }
    }
    return plain
  }
}
