public import Bus
internal import KithMessages

/// Records that were changed here and on the server: side by side, field by field.
public struct ConflictsPage: Page {
  /// Makes the page.
  public init() {}

  /// Asks for the conflicts.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let reply = try await hub.ask(ConflictsRequest())
    let conflicts = reply.conflicts
    let list = HTML(
      "\(self.deletions(Int(reply.deletedOnServer), view))\(HTML(conflicts.map { self.conflict($0, view) }))")
    return Shown(
      view[.conflicts], in: .more, follows: ["people", "calls", "conversations", "sync"],
      conflicts.isEmpty ? "<p class=\"empty\">\(view[.noConflicts])</p>" : list)
  }

  /// One decision for all records that the server has lost, or that somebody has deleted there.
  private func deletions(_ count: Int, _ view: PageView) -> HTML {
    guard view.canRecord, count > 1 else { return "" }
    func keep(_ side: ConflictOutcome, _ label: Text) -> HTML {
      Form(Methods.monicaResolveConflict, next: "/conflicts", view).with("allDeletedOnServer:bool", "true")
        .with("keep", side.rawValue).button(view[label])
    }
    return """
      <section class="card" data-test="deletions"><p>\(view[.manyDeleted, ["count": "\(count)"]])</p>\
      <p class="actions">\(keep(.local, .keepAllHere))\(keep(.server, .deleteAll))</p></section>
      """
  }

  private func conflict(_ conflict: Conflict, _ view: PageView) -> HTML {
    let sides = HTML(
      conflict.fields.filter(\.overlaps).map { field in
        """
        <fieldset><legend>\(Self.label(field.name, conflict.kind, view))</legend>\
        \(self.side("fields.\(field.name)", "local", view[.here], field.local, isChosen: true))\
        \(self.side("fields.\(field.name)", "server", view[.onServer], field.server, isChosen: false))</fieldset>
        """
      })
    let deleted: HTML =
      conflict.deletedHere
      ? "<p>\(view[.deletedHere])</p>" : conflict.deletedOnServer ? "<p>\(view[.deletedThere])</p>" : ""
    func keep(_ side: ConflictOutcome, _ label: Text) -> HTML {
      Form(Methods.monicaResolveConflict, next: "/conflicts", view).with("id", conflict.id).with("keep", side.rawValue)
        .button(view[label])
    }
    let choose: HTML =
      view.canRecord
      ? """
      \(sides.text.isEmpty ? "" : Form(Methods.monicaResolveConflict, next: "/conflicts", view).with("id", conflict.id)
        .with("keep", ConflictOutcome.merge.rawValue).html("\(sides)<button class=\"primary\">\(view[.keepChosen])</button>"))\
      <p class="actions">\(keep(.local, .keepHere))\(keep(.server, .keepServer))</p>
      """ : sides
    return """
      <section class="card" data-test="conflict"><h2>\(conflict.personName) · \(view[kind: conflict.kind])</h2>\
      <p>\(view.dayAndTime(of: conflict.foundAt))</p>\(deleted)\(choose)</section>
      """
  }

  /// The name of a field for people.
  private static func label(_ field: String, _ kind: String, _ view: PageView) -> String {
    RecordKind(named: kind).flatMap { FieldWords.label(field, of: $0) }.map { view[$0] } ?? field
  }

  private func side(_ name: String, _ value: String, _ label: String, _ text: String, isChosen: Bool) -> HTML {
    let checked: HTML = isChosen ? " checked" : ""
    return """
      <label class="choice"><input type="radio" name="\(name)" value="\(value)"\(checked)><span><strong>\(label)</strong> \
      \(text.isEmpty ? "–" : text)</span></label>
      """
  }
}

extension Text {
  static let conflicts = Text("Conflicts", "競合")
  fileprivate static let noConflicts = Text("There are no conflicts.", "競合はありません。")
  fileprivate static let here = Text("Here", "この家")
  fileprivate static let onServer = Text("On the server", "サーバー")
  fileprivate static let deletedHere = Text("It was deleted here and changed on the server.", "この家で削除され、サーバーで変更されました。")
  fileprivate static let deletedThere = Text("The server does not have it any more.", "サーバーにはもうありません。")
  fileprivate static let manyDeleted = Text(
    "The server does not have {count} records any more. Was it restored from an old backup?",
    "{count}件の記録がサーバーにありません。古いバックアップから復元しましたか？")
  fileprivate static let keepAllHere = Text("Keep them, and send them again", "残して、もう一度送信する")
  fileprivate static let deleteAll = Text("Delete them here too", "ここでも削除する")
  fileprivate static let keepChosen = Text("Keep what is chosen", "選んだ内容を残す")
  fileprivate static let keepHere = Text("Keep all of here", "この家の内容を残す")
  fileprivate static let keepServer = Text("Keep all of the server", "サーバーの内容を残す")
}
