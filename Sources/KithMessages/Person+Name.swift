extension Person {
  /// The name that people read: as the server writes it, or made of its parts before the server has seen it; a nickname if there is
  /// nothing else. The family name comes first in a name that is written in Japanese.
  public var shownName: String {
    if !self.displayName.isEmpty { return self.displayName }
    let western = [self.firstName, self.middleName, self.lastName]
    let parts = western.joined().isJapanese ? [self.lastName, self.firstName, self.middleName] : western
    let name = parts.filter { !$0.isEmpty }.joined(separator: " ")
    return name.isEmpty ? self.nickname : name
  }

  /// All names by which somebody may call them.
  public var names: [String] {
    [
      self.shownName, self.firstName, self.nickname, "\(self.firstName) \(self.lastName)",
      "\(self.lastName) \(self.firstName)",
    ].filter { !$0.isEmpty && $0 != " " }
  }
}

extension String {
  /// Whether it is a Japanese name: kanji or hiragana, with katakana or without. Katakana alone write names of other languages, which
  /// stay as they are.
  fileprivate var isJapanese: Bool {
    var (hasOwnLetters, hasOnlyTheseLetters) = (false, true)
    for scalar in self.unicodeScalars {
      switch scalar.value {
      case 0x3005...0x3007, 0x3041...0x309F, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: hasOwnLetters = true
      case 0x20, 0x3000, 0x30A0...0x30FF, 0xFF66...0xFF9F: break
      default: hasOnlyTheseLetters = false
      }
    }
    return hasOwnLetters && hasOnlyTheseLetters
  }
}
