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
    let refusal: HTML = call.hasSyncError ? "<p class=\"mark\">\(view.words(of: call.syncError))</p>" : ""
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
        .guarded(by: "ifUpdatedAt", call.updatedAt.rfc3339)
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
      \(SyncMark(view: view).html(call.syncState))</p>\(refusal)\(self.attachments(call, path, view))\(actions)</section>\
      \(view.canRecord && !call.hasDeletedAt ? self.morePhotos(call, path, view) + self.callAgain(call, path, view) : "")
      """)
  }

  /// Pictures are shown, voice notes are played, and each can be taken away.
  private func attachments(_ call: Call, _ path: String, _ view: PageView) -> HTML {
    var number = 0
    let items = call.attachments.map { blob -> HTML in
      guard blob.mediaType.hasPrefix("image/") else {
        return "<audio controls preload=\"none\" src=\"/blobs/\(blob.sha256)\"></audio>"
      }
      number += 1
      return """
        <a href="/blobs/\(blob.sha256)"><img alt="\(view[.photoNumber, ["number": "\(number)"]])" loading="lazy" src="/blobs/\(blob.sha256)"></a>
        """
    }
    guard !items.isEmpty else { return "" }
    let removals: HTML =
      view.canRecord && !call.hasDeletedAt
      ? "<details><summary>\(view[.removeAttachment])</summary><p class=\"actions\">\(self.removals(call, path, view))</p></details>"
      : ""
    return "<div class=\"attachments\">\(HTML(items))</div>\(removals)"
  }

  private func removals(_ call: Call, _ path: String, _ view: PageView) -> HTML {
    HTML(
      call.attachments.indices.map { index in
        var form = Form(Methods.callsUpdate, next: path, view).with("record.id", call.id)
          .guarded(by: "ifUpdatedAt", call.updatedAt.rfc3339).with("fields[]", "attachments")
        var place = 0
        for (other, blob) in call.attachments.enumerated() where other != index {
          form = form.with("record.attachments[\(place)].sha256", blob.sha256)
            .with("record.attachments[\(place)].size", "\(blob.size)")
            .with("record.attachments[\(place)].mediaType", blob.mediaType)
          place += 1
        }
        return form.button(view[.removeNumber, ["number": "\(index + 1)"]], test: "remove-attachment")
      })
  }

  /// The form that adds pictures: only with script, which shows its field.
  private func morePhotos(_ call: Call, _ path: String, _ view: PageView) -> HTML {
    let form = Form(Methods.callsAttach, next: path, view).with("id", call.id).needingPhoto()
    return """
      <details class="card" hidden><summary>\(view[.addPhotos])</summary>\(form.html("""
      \(CallParts(view: view).photoField())<button class="primary" data-test="attach">\(view[.save])</button>
      """))</details>
      """
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
  fileprivate static let addPhotos = Text("Add pictures", "写真を追加")
  fileprivate static let photoNumber = Text("Picture {number}", "写真{number}")
  fileprivate static let removeAttachment = Text("Take a picture or recording away", "写真や録音を外す")
  fileprivate static let removeNumber = Text("Take number {number} away", "{number}番目を外す")
  fileprivate static let callWith = Text("Call with {name}", "{name}との電話")
}
