/// What is wrong with a field, as the rules of all fields say it.
enum FieldFault {
  /// The fault in Japanese; with the English sentence where it is one of a kind.
  static func japanese(_ english: String) -> String {
    if let range = Self.range(in: english) { return "\(range.low) から \(range.high) までの数にしてください。" }
    let known = Self.rules.first { english.hasPrefix($0.begins) || english.contains(" \($0.begins)") }
    return known?.japanese ?? "この内容は受け付けられません（\(english)）"
  }

  private static let rules: [(begins: String, japanese: String)] = [
    ("must not be empty", "入力してください。"), ("must be given", "入力してください。"),
    ("lies in the future", "未来の日時は使えません。日時を確認してください。"),
    ("is no moment in time", "日時を確認してください。"), ("is no time. Enter", "2026-11-24T08:10 のような日時にしてください。"),
    ("must be one of", "選択肢から選んでください。"),
    ("characters; at most", "長すぎます。短くしてください。"), ("entries; at most", "数が多すぎます。減らしてください。"),
  ]

  /// The numbers of `is 1500; must be from 0 to 1440.`
  private static func range(in english: String) -> (low: Int, high: Int)? {
    let words = english.split(whereSeparator: { " .;".contains($0) })
    guard let from = words.firstIndex(of: "from"), words.count > from + 3, words[from + 2] == "to",
      let low = Int(words[from + 1]), let high = Int(words[from + 3])
    else { return nil }
    return (low, high)
  }
}
