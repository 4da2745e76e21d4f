internal import KithMessages

/// The checks that every answer of an engine has to pass, whatever its status.
enum TranscriptCheck {
  /// Bytes of the longest text: ten minutes of fast speech have less than half of it.
  static let longestText = 64 << 10
  /// Bytes of the longest answer, segments included.
  static let longestAnswer = 1 << 20

  /// Checks and cleans an answer.
  ///
  /// - Returns: The answer with clean text, and numbers within their bounds.
  /// - Throws: `failed` for an answer in another language, with too much text, or with numbers that are not finite.
  static func checked(
    _ answer: TranscribeReply, _ language: LanguageTag, _ sound: PreparedSound
  ) throws(EngineFault) -> TranscribeReply {
    guard let spoken = LanguageTag(answer.language), spoken.language == language.language else {
      let what = answer.language.isEmpty ? "without saying in which language" : "in '\(Self.excerpt(answer.language))'"
      throw .failed("it was asked for '\(language.text)' and answered \(what)")
    }
    let texts = [answer.text] + answer.segments.map(\.text)
    guard texts.reduce(0, { $0 + $1.utf8.count }) <= 2 * Self.longestText, answer.text.utf8.count <= Self.longestText
    else {
      throw .failed("its text is longer than a person can say in \(Int(sound.duration)) seconds")
    }
    guard answer.confidence.isFinite, answer.segments.allSatisfy({ $0.start.isFinite && $0.end.isFinite }) else {
      throw .failed("its answer has numbers that are not finite")
    }
    var answer = answer
    let end = Float(sound.duration)
    answer.language = language.text
    answer.text = Self.clean(answer.text)
    answer.confidence = min(max(answer.confidence, 0), 1)
    answer.engineVersion = Self.excerpt(answer.engineVersion)
    answer.segments = answer.segments.map { segment in
      var segment = segment
      segment.start = min(max(segment.start, 0), end)
      segment.end = min(max(segment.end, segment.start), end)
      segment.text = Self.clean(segment.text)
      return segment
    }
    return answer
  }

  /// The text in one line: without control characters, and with single spaces.
  static func clean(_ text: String) -> String {
    let scalars = text.unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: " "
      // Some languages write words with the joiners; other format characters change how the rest of a text is shown.
      case .format: scalar.value == 0x200C || scalar.value == 0x200D ? scalar : nil
      case .privateUse, .unassigned, .surrogate: nil
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
  }

  /// The beginning of an engine's text, on one line for a message.
  static func excerpt(_ text: String) -> String { String(self.clean(text).prefix(200)) }

  /// The last line of a program's error output.
  static func complaint(_ bytes: [UInt8]) -> String? {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.last.map { Self.excerpt(String($0)) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
