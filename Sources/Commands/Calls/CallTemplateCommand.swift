internal import ArgumentParser
internal import KithMessages

struct CallTemplateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "template", abstract: "Templates for calls that repeat.",
    discussion: "Example: kith call template save weekly --duration 30 --tag family",
    subcommands: [ListCallTemplatesCommand.self, SaveCallTemplateCommand.self, DeleteCallTemplateCommand.self])

  @OptionGroup var global: GlobalOptions
}

struct ListCallTemplatesCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the templates.", discussion: "Example: kith call template list")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(ListCallTemplatesRequest())
    try await session.show(reply, Self.lines(reply.templates, session))
  }

  private static func lines(_ templates: [CallTemplate], _ session: Session) -> [String] {
    guard !templates.isEmpty else { return ["No templates found."] }
    var table = Table(
      [
        Column("NAME"), Column("TAKES", .right), Column("FEELS", drops: 2), Column("CALLED BY", drops: 1),
        Column("TAGS", drops: 1), Column("NOTE", wraps: true),
      ],
      hidesEmpty: true)
    for template in templates {
      table.add(
        template.name, template.durationMinutes == 0 ? "" : Count.of(Int(template.durationMinutes), "minute"),
        Emotion.words(template.emotion), template.theyCalled ? "them" : "you", template.tags.joined(separator: ", "),
        template.note)
    }
    return table.lines(session)
  }
}

struct SaveCallTemplateCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "save", abstract: "Save a template; it replaces one with the same name.",
    discussion: "Example: kith call template save weekly --duration 30 --tag family")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "Its name.")
  var name: String

  @OptionGroup var content: CallContentOptions

  func run(_ session: Session) async throws {
    var changes = Changes<CallTemplate>()
    changes.set(\.name, "name", self.name)
    self.content.fill(&changes)
    var request = SaveCallTemplateRequest()
    request.template = changes.record
    let template = try await session.ask(request)
    try await session.show(
      template, ["Saved. To use it: kith call log PERSON --template \(Printable.text(template.name))"])
  }
}

struct DeleteCallTemplateCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a template.", discussion: "Example: kith call template delete weekly")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "Its name.")
  var name: String

  func run(_ session: Session) async throws {
    var request = DeleteCallTemplateRequest()
    request.name = self.name
    let template = try await session.ask(request)
    try await session.show(template, ["Deleted the template \(Printable.text(template.name))."])
  }
}
