internal import KithMessages

/// Entries of care, as lists show them.
struct EntryList: Sendable {
  let view: PageView
  /// The page on which a transcript that needs a look is corrected and confirmed in its place; nil = only on the page of its entry.
  var reviewing: String?
  /// What the entries say of the care plan.
  var suggestions: PlanSuggestions?

  /// A list of entries; a sentence if there is none.
  func html(_ records: [CareRecord], empty: Text, showsDay: Bool = false) -> HTML {
    guard !records.isEmpty else { return "<p class=\"empty\">\(self.view[empty])</p>" }
    return "<ul class=\"entries\">\(HTML(records.map { self.item($0, showsDay) }))</ul>"
  }

  private func item(_ record: CareRecord, _ showsDay: Bool) -> HTML {
    let category = CareCategory(rawValue: record.category) ?? .freeMemo
    let time = showsDay ? self.view.dayAndTime(of: record.occurredAt) : self.view.time(of: record.occurredAt)
    let mark: HTML =
      record.review == CareReview.needed.rawValue ? " <strong class=\"mark\">\(self.view[.needsALook])</strong>" : ""
    return """
      <li data-test="entry"><a href="/entries/\(record.id)"><span class="sign" aria-hidden="true">\(category.sign)</span> \
      \(time) <span class="kind">\(self.view[category.name])</span>\(mark) \
      <span class="words">\(self.words(of: record))</span></a>\(self.review(record))\(self.suggestions?.html(of: record.id) ?? "")</li>
      """
  }

  private func review(_ record: CareRecord) -> HTML {
    guard let next = self.reviewing, self.view.canRecord, record.review == CareReview.needed.rawValue else { return "" }
    let confirm = Form(Methods.careConfirm, next: next, self.view).with("id", record.id)
      .button(self.view[.confirm], test: "confirm-here")
    let correct = Form(Methods.careUpdate, next: next, self.view).with("record.id", record.id)
      .guarded(by: "ifUpdatedAt", record.updatedAt.rfc3339).with("fields[]", "transcript")
    let area = self.view.area(.transcript, "record.transcript", record.transcript, " maxlength=\"20000\" required")
    return """
      <div class="actions">\(confirm)<details><summary>\(self.view[.edit])</summary>\(correct.html("""
      \(area)<button class="primary" data-test="correct-here">\(self.view[.save])</button>
      """))</details></div>
      """
  }

  /// What was said or written; else why there is nothing yet.
  func words(of record: CareRecord) -> String {
    let texts = [record.transcript, record.memo].filter { !$0.isEmpty }
    guard texts.isEmpty else { return texts.joined(separator: " / ") }
    return switch CareState(rawValue: record.state) {
    case .recording: self.view[.isRecording]
    case .pendingTranscription: self.view[.isTranscribed]
    case .needsMemo: self.view[.hasNoWords]
    case .written, .transcribed, nil: ""
    }
  }
}

extension Text {
  static let transcript = Text("What was said", "話した内容")
  static let needsALook = Text("needs a look", "要確認")
  static let isRecording = Text("is being recorded", "録音中")
  static let isTranscribed = Text("is being written down", "文字にしています")
  static let hasNoWords = Text("could not be written down: add a memo", "文字にできませんでした。メモを書いてください")
}
