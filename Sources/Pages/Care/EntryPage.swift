public import Bus
internal import KithMessages

/// One entry of care: heard, corrected, confirmed, deleted and restored.
public struct EntryPage: Page {
  private let id: String

  /// Makes the page.
  public init(id: String) { self.id = id }

  /// Asks for the entry, and for its sound while it is kept.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    var get = GetCareRequest()
    get.id = self.id
    let record = try await hub.ask(get).record
    var sound: HTML = ""
    if record.hasAudio_p {
      var audio = CareAudioRequest()
      audio.id = self.id
      let blob = try await hub.ask(audio)
      sound = "<p><audio controls preload=\"none\" src=\"/blobs/\(blob.sha256)\"></audio></p>"
    }
    let category = CareCategory(rawValue: record.category) ?? .freeMemo
    return Shown(
      "\(category.sign) \(view[category.name])", in: .today, follows: ["care"],
      """
      <section class="card"><p>\(view.dayAndTime(of: record.occurredAt)) \(record.recorder)</p>\
      <p class="words">\(EntryList(view: view).words(of: record))</p>\(sound)\(self.actions(record, view))</section>
      \(view.canRecord && !record.hasDeletedAt ? self.correction(record, category, view) : "")\(self.history(record, view))
      """)
  }

  private func actions(_ record: CareRecord, _ view: PageView) -> HTML {
    guard view.canRecord else { return "" }
    let path = "/entries/\(record.id)"
    guard !record.hasDeletedAt else {
      return """
        <p role="status">\(view[.isDeleted]) \
        \(Form(Methods.careRestore, next: path, view).with("id", record.id).button(view[.undo], test: "undo", style: "primary"))</p>
        """
    }
    var buttons: [HTML] = []
    if record.review == CareReview.needed.rawValue {
      buttons.append(
        Form(Methods.careConfirm, next: path, view).with("id", record.id).button(
          view[.confirm], test: "confirm", style: "primary"))
    }
    if record.hasAudio_p, record.state == CareState.needsMemo.rawValue {
      buttons.append(Form(Methods.careTranscribe, next: path, view).with("id", record.id).button(view[.tryAgain]))
    }
    buttons.append(
      Form(Methods.careDelete, next: path, view).with("id", record.id).button(view[.delete], test: "delete"))
    return "<p class=\"actions\">\(HTML(buttons))</p>"
  }

  private func correction(_ record: CareRecord, _ category: CareCategory, _ view: PageView) -> HTML {
    let categories = HTML(
      CareCategory.allCases.map { choice in
        let selected: HTML = choice == category ? " selected" : ""
        return "<option value=\"\(choice.rawValue)\"\(selected)>\(view[choice.name])</option>"
      })
    let isSpoken = record.state != CareState.written.rawValue
    let transcript: HTML =
      isSpoken
      ? """
      <label>\(view[.transcript]) <textarea name="record.transcript" rows="3" maxlength="20000">\(record.transcript)</textarea></label>
      """ : ""
    var form = Form(Methods.careUpdate, next: "/entries/\(record.id)", view).with("record.id", record.id)
      .guarded(by: "ifUpdatedAt", record.updatedAt.rfc3339)
    for field in ["category", "occurred_at", "memo"] + (isSpoken ? ["transcript"] : []) {
      form = form.with("fields[]", field)
    }
    return """
      <section class="card"><h2>\(view[.edit])</h2>\(form.html("""
      <label>\(view[.category]) <select name="record.category">\(categories)</select></label>
      <label>\(view[.when]) <input type="datetime-local" name="record.occurredAt:time" required \
      value="\(view.localValue(of: record.occurredAt))"></label>
      \(transcript)<label>\(view[.memo]) <textarea name="record.memo" data-test="memo" rows="3" maxlength="5000">\(record.memo)</textarea></label>
      <button data-test="save">\(view[.save])</button>
      """))</section>
      """
  }

  private func history(_ record: CareRecord, _ view: PageView) -> HTML {
    guard !record.versions.isEmpty else { return "" }
    let versions = HTML(
      record.versions.map { version in
        let category = CareCategory(rawValue: version.category).map { view[$0.name] } ?? version.category
        let texts = [version.transcript, version.memo, version.recorder].filter { !$0.isEmpty }.map { " / \($0)" }
          .joined()
        return """
          <li>\(view.dayAndTime(of: version.replacedAt)) \(version.replacedBy): \
          <del>\(category) / \(view.dayAndTime(of: version.occurredAt))\(texts)</del></li>
          """
      })
    return "<details class=\"card\"><summary>\(view[.history])</summary><ul>\(versions)</ul></details>"
  }
}

extension Text {
  static let isDeleted = Text("Deleted.", "削除しました。")
  static let tryAgain = Text("Write down again", "もう一度文字にする")
  fileprivate static let history = Text("Earlier versions", "以前の内容")
}
