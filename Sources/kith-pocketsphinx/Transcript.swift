/// The recognised text of a recording.
struct Transcript {
  /// A stretch of speech.
  struct Segment {
    /// Seconds from the start of the recording.
    let start: Double
    let end: Double
    let text: String
  }

  var segments: [Segment] = []
  /// The posterior probability of each word.
  var posteriors: [Double] = []
  /// The duration of the recording, in seconds.
  let duration: Double

  /// The mean posterior of the words; 0 without words.
  var confidence: Double {
    self.posteriors.isEmpty ? 0 : self.posteriors.reduce(0, +) / Double(self.posteriors.count)
  }

  /// The output line.
  func json(language: String, engine: String, elapsed: Double) -> String {
    let text = self.segments.map(\.text).joined(separator: " ")
    let segments = self.segments.map { segment in
      #"{"start":\#(Self.number(segment.start)),"end":\#(Self.number(segment.end)),"text":\#(Self.quoted(segment.text))}"#
    }
    return "{"
      + [
        #""engine":"pocketsphinx""#,
        #""engineVersion":\#(Self.quoted(engine))"#,
        #""language":\#(Self.quoted(language))"#,
        #""text":\#(Self.quoted(text))"#,
        #""confidence":\#(Self.number(self.confidence))"#,
        #""audioSeconds":\#(Self.number(self.duration))"#,
        #""elapsedSeconds":\#(Self.number(elapsed))"#,
        #""segments":[\#(segments.joined(separator: ","))]"#,
      ].joined(separator: ",") + "}"
  }

  private static func number(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }

  // RFC 8259, section 7.
  private static func quoted(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map { scalar in
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case "\u{0}"..."\u{1F}": "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        default: String(scalar)
        }
      }.joined() + "\""
  }
}
