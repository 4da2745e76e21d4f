internal import KithMessages

/// Removes from a transcript of Whisper what was not spoken.
enum WhisperText {
  // Texts that Whisper invents for silence, because videos end with them. Each can also be spoken, so they are removed only if
  // nothing was loud.
  private static let inventions: Set<String> = [
    "you", "thank you", "thank you for watching", "thanks for watching", "thank you very much", "bye",
    "please subscribe", "ご視聴ありがとうございました", "ご視聴ありがとうございます", "おやすみなさい", "ありがとうございました",
    "チャンネル登録をお願いします", "最後までご視聴いただきありがとうございます",
  ]
  private static let leastSpeech = 0.1
  private static let repetitions = 3

  /// Cleans segments, and assembles the text from them.
  ///
  /// - Parameters:
  ///   - answer: A transcript with timed segments.
  ///   - gate: Detects where the recording may contain speech.
  /// - Throws: `failed` if the text repeats one word, which is how Whisper gets stuck.
  static func cleaned(_ answer: TranscribeReply, _ gate: SpeechGate) throws(EngineFault) -> TranscribeReply {
    var answer = answer
    answer.segments = answer.segments.compactMap { segment in
      var segment = segment
      segment.text = Self.withoutMarks(segment.text)
      let isQuiet = gate.loudSeconds(from: Double(segment.start), to: Double(segment.end)) < Self.leastSpeech
      return segment.text.isEmpty || isQuiet && Self.isInvention(segment.text) ? nil : segment
    }
    // Whisper begins a segment with a space in languages that have spaces.
    answer.text = TranscriptCheck.clean(answer.segments.map(\.text).joined())
    guard !Self.isStuck(answer.text) else { throw .failed("it heard one word over and over") }
    for index in answer.segments.indices {
      answer.segments[index].text = TranscriptCheck.clean(answer.segments[index].text)
    }
    return answer
  }

  /// The text without `[BLANK_AUDIO]`, `(laughs)` and notes of music, in the brackets of any language.
  static func withoutMarks(_ text: String) -> String {
    let brackets: [Character: Character] = ["[": "]", "(": ")", "［": "］", "（": "）", "【": "】"]
    var result = ""
    var rest = text[...]
    while let character = rest.first {
      if let closing = brackets[character], let end = rest.firstIndex(of: closing) {
        rest = rest[rest.index(after: end)...]
      } else {
        if !"♪♫♬♩".contains(character) { result.append(character) }
        rest.removeFirst()
      }
    }
    return result.contains { $0.isLetter || $0.isNumber } ? result : ""
  }

  private static func isInvention(_ text: String) -> Bool {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    return Self.inventions.contains(words.joined(separator: " "))
  }

  private static func isStuck(_ text: String) -> Bool {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    return words.count >= Self.repetitions && Set(words).count == 1
  }
}
