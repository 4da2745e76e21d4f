public import Bus
internal import KithMessages

/// A page of the family: it asks the hub and shows the answers. It changes nothing; its forms do.
///
/// ```swift
/// let shown = try await TodayPage().show(view, hub)
/// Frame(view, style: css).html(shown, at: position)
/// ```
public protocol Page: Sendable {
  /// Asks the hub as the device, and shows what it answers.
  func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown
}

/// What a page shows.
public struct Shown: Sendable {
  /// The parts of the page that the navigation leads to.
  public enum Part: String, Sendable, CaseIterable {
    case today = "/"
    case calls = "/calls"
    case people = "/people"
    case more = "/more"
  }

  /// Its title and first heading.
  public let title: String
  /// The part that it belongs to.
  public let part: Part
  /// What is in it.
  public let main: HTML
  /// The streams of events that change it.
  public let streams: [String]

  /// Makes it.
  public init(_ title: String, in part: Part, follows streams: [String], _ main: HTML) {
    self.title = title
    self.part = part
    self.streams = streams
    self.main = main
  }
}

/// The page of an address.
public enum PageAddress: Sendable, Hashable, CaseIterable {
  case today, days, entry, summary, reminders, calls, callStatistics, callTemplates, call, people, person, contacts,
    records, export, sync, conflicts, queue, settings, more

  /// The path, with a place for an id.
  var path: String {
    switch self {
    case .today: "/"
    case .days: "/days"
    case .entry: "/entries/"
    case .summary: "/summary"
    case .reminders: "/reminders"
    case .calls: "/calls"
    case .callStatistics: "/calls/statistics"
    case .callTemplates: "/calls/templates"
    case .call: "/calls/"
    case .people: "/people"
    case .person: "/people/"
    case .contacts: "/contacts"
    case .export: "/export"
    case .sync: "/sync"
    case .conflicts: "/conflicts"
    case .queue: "/queue"
    case .settings: "/settings"
    case .more: "/more"
    case .records: "/records/"
    }
  }

  /// Finds the page of a path; nil if there is none.
  public init?(path: String) {
    let found = Self.allCases.first { address in
      address.path.hasSuffix("/") && address != .today
        ? path.hasPrefix(address.path) && Self.isID(path.dropFirst(address.path.count)) : address.path == path
    }
    guard let found else { return nil }
    self = found
  }

  /// The page at a path.
  ///
  /// - Parameter query: Finds a parameter of the address.
  public func page(path: String, query: (String) -> String?) -> any Page {
    let id = String(path.dropFirst(self.path.count))
    switch self {
    case .today: return TodayPage()
    case .days:
      return DaysPage(day: query("day"), text: query("text"), category: query("category"), cursor: query("cursor"))
    case .entry: return EntryPage(id: id)
    case .summary: return SummaryPage(day: query("day"), span: query("span"), language: query("language"))
    case .reminders: return RemindersPage()
    case .calls: return CallsPage(query)
    case .callStatistics: return CallStatisticsPage(query)
    case .callTemplates: return CallTemplatesPage()
    case .call: return CallPage(id: id)
    case .people: return PeoplePage(text: query("text"), tag: query("tag"), cursor: query("cursor"))
    case .person: return PersonPage(id: id)
    case .contacts: return ContactsPage(text: query("text"), cursor: query("cursor"))
    case .export: return ExportPage(query)
    case .sync: return SyncPage()
    case .conflicts: return ConflictsPage()
    case .queue: return QueuePage()
    case .settings: return SettingsPage()
    case .more: return MorePage()
    case .records:
      guard let record = query("id") else {
        return RecordsPage(kind: id, person: query("person"), text: query("text"), cursor: query("cursor"))
      }
      return RecordPage(kind: id, id: record, person: query("person"))
    }
  }

  private static func isID(_ text: Substring) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
  }
}

/// What the other parts of the navigation do not lead to.
public struct MorePage: Page {
  /// Makes the page.
  public init() {}

  /// Shows the links and who this device is.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let hasServer = try await !hub.ask(MonicaStatusRequest()).endpoint.isEmpty
    let shown = Self.links.filter { hasServer || !Self.ofServer.contains($0.path) }
    let links = HTML(shown.map { "<li><a href=\"\($0.path)\">\(view[$0.name])</a></li>" })
    return Shown(
      view[.moreTitle], in: .more, follows: ["system"],
      """
      <ul class="list">\(links)</ul><section class="card"><h2>\(view[.thisDevice])</h2><p>\(view.device) · \(view[view.role.name])</p>
      <form method="post" action="/leave" class="leave"><input type="hidden" name="form" value="\(view.forms.code)">
      <button>\(view[.leave])</button> \(view[.leaveHelp])</form></section>
      """)
  }

  /// The pages that say something only in a household with a Monica account.
  private static let ofServer = ["/conflicts", "/queue"]

  private static let links: [(path: String, name: Text)] = [
    ("/reminders", .reminders), ("/days", .days), ("/contacts", .contacts), ("/sync", .sync),
    ("/conflicts", .conflicts),
    ("/queue", .queue), ("/settings", .settings),
  ]
}

extension Text {
  fileprivate static let moreTitle = Text("More", "その他")
  fileprivate static let thisDevice = Text("This device", "この端末")
  fileprivate static let leave = Text("Sign this device out", "この端末の登録を解除する")
  fileprivate static let leaveHelp = Text("Afterwards it needs a new code.", "もう一度使うには、新しいコードが必要です。")
}
