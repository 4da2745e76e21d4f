public import Bus
internal import KithMessages

/// Templates of calls: what a call that is logged with one has already.
public struct CallTemplatesPage: Page {
  private static let path = "/calls/templates"

  /// Asks for the templates.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let templates = try await hub.ask(ListCallTemplatesRequest()).templates
    let items = HTML(templates.map { self.item($0, view) })
    let list: HTML = templates.isEmpty ? "<p class=\"empty\">\(view[.none])</p>" : items
    let new: HTML =
      view.canRecord
      ? "<section class=\"card\"><h2>\(view[.newTemplate])</h2>\(self.form(CallTemplate(), view))</section>" : ""
    return Shown(view[.templates], in: .calls, follows: ["calls"], "\(list)\(new)")
  }

  private func item(_ template: CallTemplate, _ view: PageView) -> HTML {
    let change: HTML =
      view.canRecord
      ? """
      <details><summary>\(view[.edit])</summary>\(self.form(template, view))</details>\
      \(Form(Methods.callsDeleteTemplate, next: Self.path, view).with("name", template.name).button(view[.delete], test: "delete"))
      """ : ""
    return """
      <section class="card" data-test="template"><h2>\(template.name)</h2><p class="words">\(template.note)</p>\(change)</section>
      """
  }

  private func form(_ template: CallTemplate, _ view: PageView) -> HTML {
    let emotions = [("", "–")] + CallEmotion.allCases.map { ($0.rawValue, view[$0.name]) }
    let minutes = template.durationMinutes > 0 ? "\(template.durationMinutes)" : ""
    var form = Form(Methods.callsSaveTemplate, next: Self.path, view)
    let name: HTML
    if template.name.isEmpty {
      name = view.input(Text("Name", "名前"), "template.name", "", type: "text", " required maxlength=\"64\"")
    } else {
      form = form.with("template.name", template.name)
      name = ""
    }
    return form.html(
      """
      \(name)\(view.input(.minutes, "template.durationMinutes", minutes, type: "number", " min=\"0\" max=\"1440\""))
      \(view.select(.feeling, "template.emotion", template.emotion, emotions))
      \(view.check(.theyCalled, "template.theyCalled:bool", template.theyCalled))
      \(view.area(.note, "template.note", template.note, " maxlength=\"5000\""))
      \(view.input(.tags, "template.tags:words", template.tags.joined(separator: " ")))<button>\(view[.save])</button>
      """)
  }
}

extension Text {
  fileprivate static let newTemplate = Text("New template", "新しいテンプレート")
}
