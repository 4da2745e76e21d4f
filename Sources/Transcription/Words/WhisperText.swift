internal import KithMessages

/// Takes out of a transcript of Whisper what nobody said.
enum WhisperText {
  // What Whisper writes for silence, because videos end with it. Taken out only where nothing was loud: each can also be said.
  private static let inventions: Set<String> = [
    "you", "thank you", "thank you for watching", "thanks for watching", "thank you very much", "bye",
    "please subscribe", "ご視聴ありがとうございました", "ご視聴ありがとうございます", "おやすみなさい", "ありがとうございました",
    "チャンネル登録をお願いします", "最後までご視聴いただきありがとうございます",
  ]
  private static let leastSpeech = 0.1
  private static let repetitions = 3

  /// Cleans segments and puts the text together from them.
  ///
  /// - Parameters:
  ///   - answer: Its segments have times, and their texts are used.
  ///   - gate: Tells where somebody may have spoken.
  /// - Throws: `failed` when it is one word over and over, which is how Whisper gets stuck.
  static func cleaned(_ answer: TranscribeReply, _ gate: SpeechGate) throws(EngineFault) -> TranscribeReply {
    var answer = answer
    answer.segments = answer.segments.compactMap { segment in
      var segment = segment
      segment.text = Self.withoutMarks(segment.text)
      let isQuiet = gate.loudSeconds(from: Double(segment.start), to: Double(segment.end)) < Self.leastSpeech
      return segment.text.isEmpty || isQuiet && Self.isInvention(segment.text) ? nil : segment
    }
    // Whisper begins a segment with a space where the language has them.
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
