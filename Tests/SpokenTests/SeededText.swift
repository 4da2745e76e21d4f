import TestKit

/// Random texts from pieces that the rules treat specially, and from others.
struct SeededText {
  private var random: SeededGenerator

  private static let pieces = [
    "medication", "meal", "toilet", "medical", "visit", "memo", "free", "服薬", "薬", "食事", "トイレ", "通院", "メモ", "自由", "を",
    "、",
    "。", " ", "  ", "\u{3000}", ",", ".", "was", "é", "e\u{301}", "👩‍👩‍👧", "\u{200D}", "\u{0}", "\u{FEFF}", "か\u{3099}",
    "1", "[", "「",
  ]

  init(seed: UInt64) { self.random = SeededGenerator(seed: seed) }

  mutating func next() -> String {
    (0..<Int.random(in: 0...7, using: &self.random)).map { _ in Self.pieces.randomElement(using: &self.random) ?? "" }
      .joined()
  }
}
