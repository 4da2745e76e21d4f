internal import ArgumentParser
internal import CivilTime
internal import KithMessages

struct CallTimelineCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline", abstract: "Show calls with everybody: today, yesterday, this week, earlier.",
    discussion: "Example: kith call timeline")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = CallTimelineRequest()
    self.page.fill(&request)
    request.timeZone = session.zone.name
    let reply = try await session.ask(request)
    let calls = reply.groups.flatMap(\.calls)
    let names = await PersonNames.of(calls, session)
    try session.show(reply, Self.lines(reply.groups, names, session) + PageOptions.more(reply.nextCursor))
  }

  /// One table, so that columns stand under each other, with the titles of the groups between its rows.
  private static func lines(_ groups: [CallGroup], _ names: PersonNames, _ session: Session) -> [String] {
    var rows = RecordTable(groups.flatMap(\.calls), names, showsOwner: true).lines(session)[...]
    guard groups.contains(where: { !$0.calls.isEmpty }) else { return Array(rows) }
    var lines = Array(rows.prefix(1))
    rows = rows.dropFirst()
    for group in groups where !group.calls.isEmpty {
      lines += ["", session.console.style.bold(Self.title(group.title))] + rows.prefix(group.calls.count)
      rows = rows.dropFirst(group.calls.count)
    }
    return lines
  }

  private static func title(_ name: String) -> String {
    switch name {
    case "today": "Today"
    case "yesterday": "Yesterday"
    case "this_week": "This week"
    case "earlier": "Earlier"
    default: Printable.text(name)
    }
  }
}
