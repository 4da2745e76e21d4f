internal import ArgumentParser
internal import KithMessages

struct PersonTimelineCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline", abstract: "List calls, conversations, activities and notes of a person, newest first.",
    discussion: "Example: kith people timeline ann")

  @OptionGroup var global: GlobalOptions

  @Argument(help: PersonReference.help)
  var person: PersonReference

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = PersonTimelineRequest()
    self.page.fill(&request)
    request.id = try await self.person.id(session)
    let reply = try await session.ask(request)
    try session.show(reply, Self.lines(reply.entries, session) + PageOptions.more(reply.nextCursor))
  }

  private static func lines(_ entries: [TimelineEntry], _ session: Session) -> [String] {
    guard !entries.isEmpty else { return ["Nothing found."] }
    var table = Table(
      [("WHEN", .left), ("WHAT", .left), ("", .left), ("STATE", .left), ("ID", .left)], hidesEmpty: true)
    for entry in entries {
      let row: (what: String, text: String, mark: String, id: String) =
        switch entry.record {
        case .call(let call): (Call.noun.singular, call.summary, call.mark, call.id)
        case .conversation(let talk): (talk.channel, talk.summary, talk.mark, talk.id)
        case .activity(let activity): (Activity.noun.singular, activity.summary, activity.mark, activity.id)
        case .note(let note): (Note.noun.singular, note.body, note.mark, note.id)
        case nil: ("", "an entry of a newer kithd", "", "")
        }
      table.add(session.ago(entry.at), row.what, Printable.shortened(row.text, to: 60), row.mark, row.id)
    }
    return table.lines(session.console.style)
  }
}
