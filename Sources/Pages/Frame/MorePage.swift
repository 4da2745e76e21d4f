public import Bus

/// What the other parts of the navigation do not lead to.
public struct MorePage: Page {
  /// Makes the page.
  public init() {}

  /// Shows the links and who this device is.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let links = HTML(Self.links.map { "<li><a href=\"\($0.path)\">\(view[$0.name])</a></li>" })
    return Shown(
      view[.moreTitle], in: .more, follows: [],
      """
      <ul class="list">\(links)</ul><section class="card"><h2>\(view[.thisDevice])</h2><p>\(view.device)</p>
      <form method="post" action="/leave" class="leave"><input type="hidden" name="form" value="\(view.forms.code)">
      <button>\(view[.leave])</button> \(view[.leaveHelp])</form></section>
      """)
  }

  private static let links: [(path: String, name: Text)] = [
    ("/reminders", .reminders), ("/days", .days), ("/contacts", .contacts), ("/sync", .sync), ("/conflicts", .conflicts),
    ("/queue", .queue), ("/settings", .settings),
  ]
}

extension Text {
  fileprivate static let moreTitle = Text("More", "その他")
  fileprivate static let thisDevice = Text("This device", "この端末")
  fileprivate static let leave = Text("Sign this device out", "この端末の登録を解除する")
  fileprivate static let leaveHelp = Text("Afterwards it needs a new code.", "もう一度使うには、新しいコードが必要です。")
}
