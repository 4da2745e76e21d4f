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
  var name: Text { Text("\(self.face) \(self.english)", "\(self.face) \(self.japanese)") }
}

/// Calls, as lists and forms show them.
struct CallParts: Sendable {
  let view: PageView

  /// A list of calls with their notes.
  func list(_ calls: [Call], showsPerson: Bool = true) -> HTML {
    guard !calls.isEmpty else { return "<p class=\"empty\">\(self.view[.noCalls])</p>" }
    return self.list(found: calls.map { ($0, "\($0.note)") }, showsPerson: showsPerson)
  }

  /// A list of calls, each with the words that were found in it.
  func list(found calls: [(call: Call, words: HTML)], showsPerson: Bool = true) -> HTML {
    let items = HTML(
      calls.map { call, words in
        """
        <li data-test="call"><a href="/calls/\(call.id)">\(self.line(call, showsPerson: showsPerson)) \
        <span class="words">\(words)</span></a></li>
        """
      })
    return "<ul class=\"entries\">\(items)</ul>"
  }

  /// A call in a line, without its words.
  func line(_ call: Call, showsPerson: Bool = true) -> HTML {
    let emotion = CallEmotion(rawValue: call.emotion).map { " \(self.view[$0.name])" } ?? ""
    let minutes = call.durationMinutes > 0 ? " · \(call.durationMinutes) \(self.view[.min])" : ""
    let who: HTML = showsPerson ? "<span class=\"kind\">\(call.personName)</span> " : ""
    let photos = call.attachments.count { $0.mediaType.hasPrefix("image/") }
    let pictures: HTML =
      photos > 0
      ? " <span role=\"img\" aria-label=\"\(self.view[.photoCount, ["count": "\(photos)"]])\">📷\(photos)</span>" : ""
    return """
      \(who)\(self.view.dayAndTime(of: call.calledAt))\(minutes)\(emotion)\(pictures)\(SyncMark(view: self.view).html(call.syncState))
      """
  }

  /// The words that were found, marked.
  func excerpt(_ hit: CallHit) -> HTML {
    let scalars = Array(hit.excerpt.unicodeScalars)
    var (html, place): (HTML, Int) = ("", 0)
    for mark in hit.marks {
      let start = min(max(Int(mark.start), place), scalars.count)
      let end = min(start + Int(mark.length), scalars.count)
      html = "\(html)\(Self.text(scalars[place..<start]))<mark>\(Self.text(scalars[start..<end]))</mark>"
      place = end
    }
    return "\(html)\(Self.text(scalars[place...]))"
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }

  /// The button that logs a call by voice: its sound is attached to it.
  func voice(with person: String) -> HTML {
    let message = "{\"record\":{\"personId\":\"\(person)\"}}"
    return self.view.voice(
      " data-path=\"/\(Methods.callsLog.name)\" data-message=\"\(message)\" data-noted=\"record.calledAt\"")
  }

  /// The field for pictures, which needs script: it is shown by photos.js.
  func photoField() -> HTML {
    """
    <div class="photos" hidden><label>\(self.view[.photos]) <input type="file" accept="image/*" multiple data-test="photos"></label>\
    <div class="chosen"></div><p class="mark" role="alert"></p></div>
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
    case .pending, .synced, .here, nil: return ""
    }
    return " <strong class=\"mark\">\(self.view[text])</strong>"
  }
}

extension Text {
  static let noCalls = Text("No calls yet.", "電話の記録はまだありません。")
  static let photos = Text("Pictures", "写真")
  fileprivate static let photoCount = Text("pictures: {count}", "写真{count}枚")
  fileprivate static let min = Text("min", "分")
}
