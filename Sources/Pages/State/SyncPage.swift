public import Bus
internal import FailureWords
internal import KithMessages

/// How the sources are: live progress, what was read last, deletions that are held back, and problems in words.
public struct SyncPage: Page {
  /// Makes the page.
  public init() {}

  /// Asks for the state of each source and for the problems of its cards.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let status = try await hub.ask(StatusRequest())
    let statuses = status.sync
    let needs = try await NeedsPerson(status, view, hub)
    let problems = try await hub.ask(ListProblemsRequest()).problems
    var missing = ListContactsRequest()
    missing.heldBack = true
    missing.limit = 500
    let held = try await hub.ask(missing)
    let sources = HTML(
      statuses.map { status in
        let name = Self.name(of: status)
        return self.source(status, held.contacts.filter { $0.source == name }, isAll: held.nextCursor.isEmpty, view)
      })
    let all: HTML =
      view.canRecord
      ? "<p class=\"actions\">\(Form(Methods.contactsSync, next: "/sync", view).button(view[.syncNow], style: "primary"))</p>"
      : ""
    let list = HTML(
      problems.map { problem in
        let words = view.language == .japanese ? problem.inJapanese : problem.message
        return "<li>\(problem.source) \(problem.sourceIdentifier): \(words)</li>"
      })
    let broken: HTML =
      problems.isEmpty ? "" : "<section class=\"card\"><h2>\(view[.problems])</h2><ul>\(list)</ul></section>"
    return Shown(
      view[.sync], in: .more, follows: ["sync", "contacts"],
      "\(needs.list)\(statuses.isEmpty ? "<p class=\"empty\">\(view[.noSources])</p>" : sources)\(all)\(broken)")
  }

  private static func name(of status: SyncStatus) -> String {
    status.source == "monica" ? "Monica" : String(status.source.split(separator: ":").last ?? "")
  }

  private func source(_ status: SyncStatus, _ held: [Contact], isAll: Bool, _ view: PageView) -> HTML {
    let name = Self.name(of: status)
    let state: HTML
    switch status.state {
    case .syncing:
      let (done, total) = ("\(status.done)", "\(max(status.total, 1))")
      state = "<progress max=\"\(total)\" value=\"\(done)\"></progress> \(done) / \(total)"
    case .error: state = "<strong class=\"mark\">\(view[.failedNow])</strong> \(view.words(of: status.error))"
    case .idle, .completed, .unspecified, .UNRECOGNIZED: state = "\(view[.inStep])"
    }
    let last: HTML =
      status.hasLastSuccessAt ? "<p>\(view[.lastTime]) \(view.dayAndTime(of: status.lastSuccessAt))</p>" : ""
    let now: HTML =
      status.source == "monica" && view.canRecord
      ? "<p class=\"actions\">\(Form(Methods.monicaSync, next: "/sync", view).button(view[.syncServer]))</p>" : ""
    return """
      <section class="card" data-test="source"><h2>\(name)</h2><p>\(state)</p>\(last)\(now)\(self.heldBack(held, name, isAll: isAll, view))</section>
      """
  }

  /// Contacts whose deletion is held back, by name.
  private func heldBack(_ held: [Contact], _ name: String, isAll: Bool, _ view: PageView) -> HTML {
    guard !held.isEmpty else { return "" }
    let names = HTML(
      held.map { contact in
        let keep: HTML =
          view.canRecord
          ? Form(Methods.contactsRestore, next: "/sync", view).with("id", contact.id).button(view[.keep], test: "keep")
          : ""
        return """
          <li data-test="held-back">\(contact.formattedName) <span class="actions">\(keep)</span></li>
          """
      })
    let release: HTML =
      view.canRecord
      ? Form(Methods.contactsSync, next: "/sync", view).direct().with("sources[]", name).with(
        "allowMassDelete:bool", "true"
      )
      .button(view[.letGo], test: "let-go") : ""
    let count = isAll ? "\(held.count)" : "\(held.count)+"
    return """
      <p class="mark">\(view[.heldBack, ["count": count]])</p><ul>\(names)</ul><p class="actions">\(release)</p>
      """
  }
}

extension Text {
  static let sync = Text("Sync", "同期")
  fileprivate static let syncNow = Text("Read the address books now", "アドレス帳を今すぐ読み込む")
  fileprivate static let syncServer = Text("Sync now", "今すぐ同期")
  fileprivate static let problems = Text("Cards that could not be read", "読み込めなかったカード")
  fileprivate static let noSources = Text("There is no address book yet.", "アドレス帳はまだありません。")
  fileprivate static let failedNow = Text("Not reachable:", "読み込めません：")
  fileprivate static let inStep = Text("In step", "同期済み")
  fileprivate static let lastTime = Text("Last read", "最終読み込み")
  fileprivate static let heldBack = Text(
    "{count} contacts are gone from the address book at once. They are kept until somebody decides.",
    "アドレス帳から{count}件が一度に消えました。判断されるまで残しています。")
  fileprivate static let keep = Text("Keep", "残す")
  fileprivate static let letGo = Text("Let all of them go", "すべて削除してよい")
}
