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
        let why = self.why(entry, view)
        // What is on its way can be neither sent again nor taken back.
        let buttons: HTML =
          view.canRecord && entry.state != SyncState.syncing.rawValue
          ? """
          \(Form(Methods.monicaRetryQueue, next: "/queue", view).with("ids[]", entry.id).button(view[.retry]))\
          \(view.role.covers(Methods.monicaClearQueue.role)
            ? Form(Methods.monicaClearQueue, next: "/queue", view).with("ids[]", entry.id).button(view[.discard]) : "")
          """ : ""
        return """
          <li>\(entry.personName) · \(view[kind: entry.kind]) · \(view.dayAndTime(of: entry.queuedAt))\
          \(SyncMark(view: view).html(entry.state))\(why)<span class="actions">\(buttons)</span></li>
          """
      })
    let list: HTML = entries.isEmpty ? "<p class=\"empty\">\(view[.nothingWaits])</p>" : "<ul>\(items)</ul>"
    return Shown(
      view[.queue], in: .more, follows: ["people", "calls", "conversations", "sync"],
      "<section class=\"card\">\(list)</section>"
    )
  }
}

extension QueuePage {
  private func why(_ entry: QueueEntry, _ view: PageView) -> HTML {
    // What it waits for is of now; its error may be older.
    guard entry.hasWaitsFor else { return entry.hasError ? "<p class=\"mark\">\(view.words(of: entry.error))</p>" : "" }
    let name: KeyValuePairs = ["name": entry.waitsFor.personName]
    return switch SyncState(rawValue: entry.waitsFor.state) {
    case .conflict: "<p><a href=\"/conflicts\">\(view[.waitsForDecision, name])</a></p>"
    case .failed: "<p><a href=\"/people/\(entry.waitsFor.personID)\">\(view[.waitsForCorrection, name])</a></p>"
    default: "<p>\(view[.waitsForPerson, name])</p>"
    }
  }
}

extension PageView {
  /// What a kind of record is called; its name in the protocol if pages have no word for it.
  subscript(kind name: String) -> String {
    if name == RecordKind.call.name { return self[Text("Call", "電話")] }
    guard let type = RecordKind(named: name)?.type as? any FormRecord.Type else { return name }
    return self[type.words.one]
  }
}

extension Text {
  static let queue = Text("Waiting for the server", "サーバーへの送信待ち")
  static let retry = Text("Try again", "もう一度送信")
  static let discard = Text("Discard", "破棄")
  fileprivate static let waitsForDecision = Text(
    "The server does not have {name} any more. Decide on that first.", "サーバーに{name}がありません。先にそれを決めてください。")
  fileprivate static let waitsForCorrection = Text(
    "The server refuses {name}. Correct that first.", "サーバーが{name}を受け付けません。先にそれを直してください。")
  fileprivate static let waitsForPerson = Text("Waits until {name} is on the server.", "{name}の送信を待っています。")
  fileprivate static let nothingWaits = Text("Nothing waits.", "送信待ちはありません。")
}
