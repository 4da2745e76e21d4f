public import Bus
internal import KithMessages

/// One call: corrected, deleted and restored.
public struct CallPage: Page {
  private let id: String

  /// Makes the page.
  public init(id: String) { self.id = id }

  /// Asks for the call.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    var get = GetCallRequest()
    get.id = self.id
    let call = try await hub.ask(get)
    let title = view[.callWith, ["name": call.personName]]
    let path = "/calls/\(call.id)"
    let actions: HTML
    if !view.canRecord {
      actions = "<p class=\"words\">\(call.note)</p>"
    } else if call.hasDeletedAt {
      actions = """
        <p role="status">\(view[.isDeleted]) \
        \(Form(Methods.callsRestore, next: path, view).with("id", call.id).button(view[.undo], test: "undo", style: "primary"))</p>
        """
    } else {
      var form = Form(Methods.callsUpdate, next: path, view).with("record.id", call.id)
        .with("ifUpdatedAt", call.updatedAt.rfc3339)
      for field in ["called_at", "duration_minutes", "emotion", "they_called", "note", "tags"] {
        form = form.with("fields[]", field)
      }
      actions = """
        \(form.html("\(CallParts(view: view).fields(call))<button class=\"primary\" data-test=\"save\">\(view[.save])</button>"))
        <p class="actions">\(Form(Methods.callsDelete, next: path, view).with("id", call.id).button(view[.delete], test: "delete"))</p>
        """
    }
    return Shown(
      title, in: .calls, follows: ["calls"],
      """
      <section class="card"><p><a href="/people/\(call.personID)">\(call.personName)</a> \(view.dayAndTime(of: call.calledAt))\
      \(SyncMark(view: view).html(call.syncState))</p>\(actions)</section>
      """)
  }
}

extension Text {
  fileprivate static let callWith = Text("Call with {name}", "{name}との電話")
}
