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
    let say = session.language
    guard !templates.isEmpty else { return [say("No templates found.", "テンプレートはありません。")] }
    var table = Table(
      [
        Column("NAME", "名前"), Column("TAKES", "長さ", .right), Column("FEELS", "気分", drops: 2),
        Column("CALLED BY", "かけた人", drops: 1),
        Column("TAGS", "タグ", drops: 1), Column("NOTE", "メモ", wraps: true),
      ],
      hidesEmpty: true)
    for template in templates {
      table.add(
        template.name,
        template.durationMinutes == 0
          ? "" : say(Count.of(Int(template.durationMinutes), "minute"), "\(template.durationMinutes)分"),
        CallEmotion.text(template.emotion, say), template.theyCalled ? say("them", "相手") : say("you", "自分"),
        template.tags.joined(separator: ", "),
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
      template,
      [
        session.language("Saved. To use it:", "保存しました。使うには:")
          + " kith call log PERSON --template \(Printable.text(template.name))"
      ])
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
    try await session.show(
      template,
      [
        session.language(
          "Deleted the template \(Printable.text(template.name)).", "テンプレート \(Printable.text(template.name)) を削除しました。")
      ])
  }
}
