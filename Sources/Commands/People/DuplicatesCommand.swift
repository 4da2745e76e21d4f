internal import ArgumentParser
internal import KithMessages

struct DuplicatesCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "duplicates", abstract: "Show people and contacts that may be the same.",
    discussion: """
      Nothing is merged. Link a person to their contact with `kith people link`; two contacts are merged in the address book they
      come from.
      Example: kith people duplicates
      """)

  @OptionGroup var global: GlobalOptions

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    let reply = try await self.page.ask(DuplicatesRequest(), session)
    try await session.show(
      reply, Self.lines(reply.duplicates, session) + PageOptions.more(reply.nextCursor, session.language))
  }

  private static func lines(_ duplicates: [Duplicate], _ session: Session) -> [String] {
    let say = session.language
    guard !duplicates.isEmpty else { return [say("No duplicates found.", "重複はありません。")] }
    var table = Table([
      Column("ONE", "一方", wraps: true), Column("OTHER", "もう一方", wraps: true), Column("SAME", "一致"),
      Column("ONE IS", "一方の登録", drops: 1),
      Column("OTHER IS", "もう一方の登録", drops: 1),
    ])
    for pair in duplicates {
      table.add(
        pair.name, pair.otherName, Duplicate.words(pair.reasons, say),
        Self.kind(pair.personID, pair.contactID, session),
        Self.kind(pair.otherPersonID, pair.otherContactID, session))
    }
    guard
      let link = duplicates.first(where: { !$0.personID.isEmpty && $0.contactID.isEmpty && !$0.otherContactID.isEmpty })
    else { return table.lines(session) }
    return table.lines(session) + [
      "",
      say("If \(Printable.text(link.name)) is one:", "\(Printable.text(link.name))が同じ人なら:")
        + " kith people link \(session.ids[link.personID]) \(session.ids[link.otherContactID])",
      say("If not:", "違う人なら:")
        + " kith people dismiss \(session.ids[link.personID]) \(session.ids[link.otherContactID])",
    ]
  }

  private static func kind(_ person: String, _ contact: String, _ session: Session) -> String {
    let say = session.language
    guard !person.isEmpty else { return say("contact", "連絡先") + " \(session.ids[contact])" }
    let kind = contact.isEmpty ? say("person", "人") : say("person and contact", "人と連絡先")
    return "\(kind) \(session.ids[person])"
  }
}

extension Duplicate {
  /// What two have in common, in words: `name, phone`.
  static func words(_ reasons: [String], _ say: Language) -> String {
    let japanese = ["name": "名前", "email": "メール", "phone": "電話", "birthday": "誕生日"]
    return reasons.map { say($0, japanese[$0] ?? $0) }.joined(separator: say(", ", "、"))
  }
}
