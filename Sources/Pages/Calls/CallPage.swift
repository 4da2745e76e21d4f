public import Bus
internal import CivilTime
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
      \(SyncMark(view: view).html(call.syncState))</p>\(Self.attachments(call))\(actions)</section>\
      \(view.canRecord && !call.hasDeletedAt ? self.callAgain(call, path, view) : "")
      """)
  }

  /// Pictures are shown, voice notes are played.
  private static func attachments(_ call: Call) -> HTML {
    HTML(
      call.attachments.map { blob in
        blob.mediaType.hasPrefix("image/")
          ? "<img class=\"photo\" alt=\"\" loading=\"lazy\" src=\"/blobs/\(blob.sha256)\">"
          : "<p><audio controls preload=\"none\" src=\"/blobs/\(blob.sha256)\"></audio></p>"
      })
  }

  private func callAgain(_ call: Call, _ path: String, _ view: PageView) -> HTML {
    let form = Form(Methods.remindersAddCall, next: path, view).creating().with("personId", call.personID)
      .with("timeZone", view.zone.name)
    return """
      <section class="card"><h2>\(view[.callAgain])</h2>\(form.html("""
      \(view.input(.inDays, "inDays", "7", type: "number", " min=\"1\" max=\"3660\" required"))
      \(view.input(.note, "note", "", type: "text", " maxlength=\"500\""))<button data-test="remind">\(view[.remind])</button>
      """))</section>
      """
  }
}

extension Text {
  fileprivate static let callAgain = Text("Call again", "また電話する")
  fileprivate static let inDays = Text("In how many days", "何日後")
  fileprivate static let remind = Text("Remind me", "知らせる")
  fileprivate static let callWith = Text("Call with {name}", "{name}との電話")
}
