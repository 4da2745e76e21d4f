public import Bus
internal import KithMessages

/// Changes that wait for the Monica server, and those that it refused.
public struct QueuePage: Page {
  /// Makes the page.
  public init() {}

  /// Asks for the queue.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let entries = try await hub.ask(QueueRequest()).entries
    let items = HTML(
      entries.map { entry in
        let why: HTML = entry.hasError ? "<p class=\"mark\">\(entry.error.message)</p>" : ""
        let buttons: HTML =
          view.canRecord
          ? """
          \(Form(Methods.monicaRetryQueue, next: "/queue", view).with("ids[]", entry.id).button(view[.retry]))\
          \(view.role.covers(Methods.monicaClearQueue.role)
            ? Form(Methods.monicaClearQueue, next: "/queue", view).with("ids[]", entry.id).button(view[.discard]) : "")
          """ : ""
        return """
          <li>\(entry.personName) · \(RecordWord.name(entry.kind, view)) · \(view.dayAndTime(of: entry.queuedAt))\
          \(SyncMark(view: view).html(entry.state))\(why)<span class="actions">\(buttons)</span></li>
          """
      })
    return Shown(
      view[.queue], in: .more, follows: ["people", "calls", "conversations", "sync"],
      "<section class=\"card\">\(entries.isEmpty ? "<p class=\"empty\">\(view[.nothingWaits])</p>" : "<ul>\(items)</ul>")</section>"
    )
  }
}

/// The names of the kinds of records.
enum RecordWord {
  /// The name of a kind.
  static func name(_ kind: String, _ view: PageView) -> String {
    switch kind {
    case "person": view[.person]
    case "note": view[.note]
    case "call": view[.call]
    case "task": view[Text("task", "タスク")]
    case "gift": view[Text("gift", "贈り物")]
    case "activity": view[Text("activity", "できごと")]
    case "conversation": view[Text("conversation", "会話")]
    case "contact_field": view[Text("number or address", "連絡先")]
    case "address": view[Text("address", "住所")]
    case "relationship": view[Text("relationship", "関係")]
    case "reminder": view[Text("reminder", "リマインダー")]
    case "tag": view[.tags]
    default: kind
    }
  }
}

extension Text {
  static let queue = Text("Waiting for the server", "サーバーへの送信待ち")
  static let retry = Text("Try again", "もう一度送信")
  static let discard = Text("Discard", "破棄")
  fileprivate static let nothingWaits = Text("Nothing waits.", "送信待ちはありません。")
}
