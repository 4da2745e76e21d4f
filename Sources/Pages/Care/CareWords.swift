internal import KithMessages

extension Text {
  static let save = Text("Save", "保存")
  static let memo = Text("Memo", "メモ")
  static let category = Text("What was it?", "種類")
  static let when = Text("When", "日時")
  static let edit = Text("Correct", "修正")
  static let delete = Text("Delete", "削除")
  static let undo = Text("Undo", "元に戻す")
  static let confirm = Text("Confirm", "確認する")
  static let more = Text("More", "もっと見る")
  static let search = Text("Search", "検索")
  static let days = Text("All days", "日ごとの記録")
  static let summary = Text("Summary of the day", "1日のまとめ")
}

extension CareCategory {
  /// Its name.
  var name: Text { Text(self.english, self.japanese) }

  /// Its sign, beside its name.
  var sign: String {
    switch self {
    case .medication: "💊"
    case .meal: "🍚"
    case .toileting: "🚻"
    case .medicalVisit: "🏥"
    case .freeMemo: "📝"
    }
  }
}
