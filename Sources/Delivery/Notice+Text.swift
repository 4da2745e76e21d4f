internal import Foundation
internal import KithMessages

extension Notice {
  /// The title on one line.
  var subject: String { self.title.oneLine }

  /// The text for a receiver that shows the title separately; the title if there is no text.
  var body: String {
    let text = self.texts.joined(separator: "\n")
    return text.isEmpty ? self.subject : text
  }

  /// The texts with the title, for a receiver that shows no title. A summary contains its own.
  var plainTexts: [String] {
    guard let first = self.texts.first, !first.isEmpty else { return [self.subject] }
    guard self.kind != NoticeKind.careSummary.rawValue else { return self.texts }
    return ["\(self.subject)\n\(first)"] + self.texts.dropFirst()
  }
}

extension String {
  /// The text on one line without control characters: safe in a header, on a terminal and in a sentence.
  var oneLine: String {
    let space: Unicode.Scalar = " "
    let visible = self.unicodeScalars.map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: space
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(visible)).split(separator: " ").joined(separator: " ")
  }
}

/// Text in a header that allows only ASCII. RFC 2047.
enum EncodedWords {
  /// Bytes of UTF-8 in one word: 60 characters of base64, so that a word has 72 of the 75 that it may have.
  private static let room = 45

  /// Plain ASCII unchanged, other text as encoded words.
  ///
  /// - Parameter separator: The text between two words; readers remove it.
  static func encode(_ text: String, separator: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
    guard !isPlain || text.utf8.count > 900 else { return text }
    var words: [String] = []
    var piece: [UInt8] = []
    func finish() {
      guard !piece.isEmpty else { return }
      words.append("=?UTF-8?B?\(Data(piece).base64EncodedString())?=")
      piece = []
    }
    // A word ends between characters: section 5 (3).
    for character in text {
      for scalars in Self.pieces(of: character) {
        if piece.count + scalars.count > Self.room { finish() }
        piece += scalars
      }
    }
    finish()
    return words.joined(separator: separator)
  }

  /// The bytes of a character, split into scalars if it is larger than a word.
  private static func pieces(of character: Character) -> [[UInt8]] {
    let bytes = Array(character.utf8)
    return bytes.count <= Self.room ? [bytes] : character.unicodeScalars.map { Array(String($0).utf8) }
  }
}
