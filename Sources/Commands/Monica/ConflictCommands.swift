internal import ArgumentParser
internal import KithMessages

struct ConflictsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "Show records changed here and on the server, with both versions.",
    discussion: "Example: kith monica conflicts")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    let reply = try await self.page.ask(ConflictsRequest(), session)
    let views = reply.conflicts.map { ConflictView($0).lines(session) }
    let lines =
      views.isEmpty ? [session.language("No conflicts found.", "競合はありません。")] : Array(views.joined(separator: [""]))
    try await session.show(reply, lines + PageOptions.more(reply.nextCursor, session.language))
  }
}

/// One conflict, with both versions side by side.
struct ConflictView {
  private static let width = 36

  private let conflict: Conflict

  init(_ conflict: Conflict) { self.conflict = conflict }

  func lines(_ session: Session) -> [String] {
    let conflict = self.conflict
    let (style, say) = (session.console.style, session.language)
    let noun = EventSubject.kinds.first { $0.idKind == conflict.kind }?.idNoun(say) ?? conflict.kind
    let whose = conflict.personName.isEmpty ? "" : say("of \(conflict.personName)", "(\(conflict.personName))")
    let what = [noun, whose].filter { !$0.isEmpty }
    let title = style.bold(Printable.text(what.joined(separator: " ")))
    var lines = [
      say(
        "\(title), found \(session.relative(conflict.foundAt))",
        "\(title)、\(session.relative(conflict.foundAt))に見つかりました")
    ]
    if conflict.deletedHere {
      lines.append("  " + say("It was deleted here and changed on the server.", "こちらで削除され、サーバーで変更されました。"))
    }
    if conflict.deletedOnServer {
      lines.append("  " + say("The server does not have it any more.", "サーバーにはもうありません。"))
    }
    if !conflict.fields.isEmpty { lines += self.table(session).map { "  " + $0 } }
    return lines + self.advice(session).map { "  " + Printable.text($0) }
  }

  private func table(_ session: Session) -> [String] {
    var table = Table(
      [
        Column("FIELD", "項目"), Column("HERE", "こちら", wraps: true), Column("ON THE SERVER", "サーバー", wraps: true),
        Column("BEFORE", "変更前", drops: 1, wraps: true), Column("", name: "result"),
      ], hidesEmpty: true)
    for field in self.conflict.fields {
      let sides = [Self.side(field.local, session.language), Self.side(field.server, session.language), field.base].map
      {
        Printable.wrapped($0, to: Self.width)
      }
      for row in 0..<(sides.map(\.count).max() ?? 0) {
        let cells = sides.map { row < $0.count ? $0[row] : "" }
        table.add(
          [row == 0 ? field.name : ""] + cells + [
            row == 0 && !field.overlaps ? session.language("merged", "両方を採用") : ""
          ])
      }
    }
    return table.lines(session, indent: 2)
  }

  private static func side(_ text: String, _ say: Language) -> String {
    text.isEmpty ? say("(nothing)", "(なし)") : text
  }

  private func advice(_ session: Session) -> [String] {
    let id = session.ids[self.conflict.id]
    let open = self.conflict.fields.filter(\.overlaps).map { "\($0.name)=local" }
    let say = session.language
    var lines = [
      say("To keep what is here: ", "こちらを残すには: ") + "kith monica resolve \(id) --keep local",
      say("To keep what is on the server: ", "サーバーを残すには: ") + "kith monica resolve \(id) --keep server",
    ]
    if !open.isEmpty, !self.conflict.deletedHere, !self.conflict.deletedOnServer {
      lines.append(
        say("Field by field: ", "項目ごとに選ぶには: ") + "kith monica resolve \(id) --merge \(open.joined(separator: " "))")
    }
    return lines
  }
}

struct ResolveConflictCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve", abstract: "Resolve a conflict.",
    discussion: """
      Example: kith monica resolve \(IDText.example) --keep local
      Example: kith monica resolve \(IDText.example) --merge note=local called_at=server
      Example: kith monica resolve --deleted --keep local
      """)

  static let columns = QueueTable.columns

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<QueueEntry>?

  @Flag(help: "All records that the server does not have any more.")
  var deleted = false

  @Option(help: "The side to keep.")
  var keep: Side?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("The side for single fields; other fields keep the local one.", valueName: "field=side"))
  var merge: [FieldChoice] = []

  func validate() throws {
    guard (self.target != nil) != self.deleted else {
      throw ValidationError("Give the id of a conflict, or --deleted.")
    }
    guard (self.keep != nil) == self.merge.isEmpty else {
      throw ValidationError("Choose a side: --keep local, --keep server, or --merge FIELD=local FIELD=server...")
    }
  }

  func run(_ session: Session) async throws {
    var request = ResolveConflictRequest()
    if let target { request.id = try await target.id(session) }
    request.allDeletedOnServer = self.deleted
    request.keep = self.keep?.rawValue ?? "merge"
    for choice in self.merge { request.fields[choice.field] = choice.side.rawValue }
    var reply = try await session.ask(request)
    while self.deleted, !reply.entries.isEmpty {
      let more = try await session.ask(request)
      guard !more.entries.isEmpty else { break }
      reply.entries += more.entries
    }
    try await session.show(reply, verb: session.language("Resolved", "解決"))
  }
}

/// A side of a conflict.
enum Side: String, ExpressibleByArgument, CaseIterable {
  case local, server
}

/// The argument `FIELD=SIDE`.
struct FieldChoice: ExpressibleByArgument, Sendable {
  let field: String
  let side: Side

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let side = Side(rawValue: String(parts[1])) else { return nil }
    self.field = String(parts[0])
    self.side = side
  }
}
