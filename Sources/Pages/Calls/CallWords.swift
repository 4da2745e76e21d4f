internal import KithMessages

extension Text {
  static let note = Text("Note", "メモ")
  static let minutes = Text("Minutes", "分")
  static let feeling = Text("How was it?", "気分")
  static let tags = Text("Tags", "タグ")
  static let call = Text("Call", "電話する")
  static let theyCalled = Text("They called", "相手からかかってきた")
  static let calls = Text("Calls", "電話")
  static let person = Text("Person", "相手")
}

extension CallEmotion {
  /// Its sign and its name.
  var name: Text {
    switch self {
    case .happy: Text("😊 Happy", "😊 うれしい")
    case .neutral: Text("😐 Neutral", "😐 ふつう")
    case .sad: Text("😢 Sad", "😢 悲しい")
    case .frustrated: Text("😤 Frustrated", "😤 いらいら")
    case .excited: Text("🤩 Excited", "🤩 わくわく")
    }
  }
}

/// Calls, as lists and forms show them.
struct CallParts: Sendable {
  let view: PageView

  /// A list of calls.
  func list(_ calls: [Call], showsPerson: Bool = true) -> HTML {
    guard !calls.isEmpty else { return "<p class=\"empty\">\(self.view[.noCalls])</p>" }
    return "<ul class=\"entries\">\(HTML(calls.map { self.item($0, showsPerson) }))</ul>"
  }

  private func item(_ call: Call, _ showsPerson: Bool) -> HTML {
    let emotion = CallEmotion(rawValue: call.emotion).map { " \(self.view[$0.name])" } ?? ""
    let minutes = call.durationMinutes > 0 ? " · \(call.durationMinutes) \(self.view[.min])" : ""
    let who: HTML = showsPerson ? "<span class=\"kind\">\(call.personName)</span> " : ""
    return """
      <li data-test="call"><a href="/calls/\(call.id)">\(who)\(self.view.dayAndTime(of: call.calledAt))\(minutes)\(emotion)\
      \(SyncMark(view: self.view).html(call.syncState)) <span class="words">\(call.note)</span></a></li>
      """
  }

  /// The fields of a call.
  func fields(_ call: Call) -> HTML {
    let time = call.hasCalledAt ? self.view.localValue(of: call.calledAt) : ""
    let minutes = call.durationMinutes > 0 ? "\(call.durationMinutes)" : ""
    let emotions = [("", "–")] + CallEmotion.allCases.map { ($0.rawValue, self.view[$0.name]) }
    return """
      \(self.view.input(.when, "record.calledAt:time", time, type: "datetime-local"))
      \(self.view.input(.minutes, "record.durationMinutes", minutes, type: "number", " min=\"0\" max=\"1440\""))
      \(self.view.select(.feeling, "record.emotion", call.emotion, emotions))
      \(self.view.check(.theyCalled, "record.theyCalled:bool", call.theyCalled))
      \(self.view.area(.note, "record.note", call.note, " maxlength=\"5000\" data-test=\"memo\""))
      \(self.view.input(.tags, "record.tags:words", call.tags.joined(separator: " ")))
      """
  }
}

/// Whether a record has reached the server: said only where it has not.
struct SyncMark: Sendable {
  let view: PageView

  /// The mark.
  func html(_ state: String) -> HTML {
    let text: Text
    switch SyncState(rawValue: state) {
    case .failed: text = Text("refused by the server", "サーバーが拒否")
    case .conflict: text = Text("conflict", "競合")
    case .syncing: text = Text("being sent", "送信中")
    case .pending, .synced, nil: return ""
    }
    return " <strong class=\"mark\">\(self.view[text])</strong>"
  }
}

extension Text {
  fileprivate static let noCalls = Text("No calls yet.", "電話の記録はまだありません。")
  fileprivate static let min = Text("min", "分")
}
