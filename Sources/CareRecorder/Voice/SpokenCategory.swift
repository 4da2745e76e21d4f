internal import Foundation

/// The category that somebody said before what they recorded: "Medication. Two tablets after breakfast."
///
/// A category is taken only from the head of the words. One that is merely mentioned is a suggestion for a person to confirm.
struct SpokenCategory: Equatable {
  /// What was said first; nil when the words begin with something else.
  let category: CareCategory?
  /// The words without the category at their head.
  let rest: String
  /// What the words seem to be about, where no category was said.
  let suggestion: CareCategory?

  init(_ text: String) {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let folded = trimmed.lowercased()
    for (category, names) in Self.heads {
      for name in names where folded.hasPrefix(name) {
        let after = trimmed.dropFirst(name.count)
        // "mealtime" is not "meal"; Japanese has no blanks, there the name alone counts.
        if let next = after.first, next.isLetter, next.isASCII { continue }
        let rest = after.drop { $0.isWhitespace || Self.separators.contains($0) }
        // A category with nothing after it is all that was said.
        guard !rest.isEmpty else { continue }
        self.category = category
        self.rest = String(rest)
        self.suggestion = nil
        return
      }
    }
    self.category = nil
    self.rest = trimmed
    let words = Set(folded.split { !$0.isLetter }.map(String.init))
    self.suggestion =
      Self.mentions.first { _, keywords in
        keywords.contains { $0.first?.isASCII == true ? words.contains($0) : folded.contains($0) }
      }?.0
  }

  private static let separators: Set<Character> = [".", ",", ":", ";", "-", "。", "、", "，", "．", "：", "・"]

  /// Longer names first, where one begins with the other.
  private static let heads: [(CareCategory, [String])] = [
    (.medication, ["medication", "服薬", "くすり", "薬"]),
    (.meal, ["meal", "食事", "ごはん"]),
    (.toileting, ["toileting", "toilet", "トイレ", "排泄"]),
    (.medicalVisit, ["medical visit", "通院", "受診", "病院"]),
    (.freeMemo, ["free memo", "memo", "自由メモ", "メモ"]),
  ]

  private static let mentions: [(CareCategory, [String])] = [
    (
      .medicalVisit,
      ["doctor", "hospital", "clinic", "appointment", "nurse", "dentist", "受診", "通院", "病院", "医師", "歯科"]
    ),
    (
      .medication,
      [
        "pill", "pills", "tablet", "tablets", "medicine", "medication", "dose", "aspirin", "insulin", "ointment",
        "服薬", "錠", "薬",
      ]
    ),
    (.toileting, ["toilet", "urine", "stool", "bowel", "diaper", "bathroom", "排泄", "排便", "排尿", "トイレ", "おむつ"]),
    (
      .meal,
      [
        "ate", "eat", "breakfast", "lunch", "dinner", "supper", "drank", "drink", "soup", "rice", "meal", "食事", "食べ",
        "飲ん", "ごはん", "朝食", "昼食", "夕食",
      ]
    ),
  ]
}
