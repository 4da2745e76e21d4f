internal import ArgumentParser
internal import Bus
internal import KithMessages

struct WhoCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "who", abstract: "Find somebody, among people and in the address book at once.",
    discussion: """
      Names are found in any script and misspelt, numbers in any spelling: sato finds 佐藤, mueller finds Müller.
      Example: kith who ingrid
      Example: kith who '+81 90 1234 5678'
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "A part of a name, company, number or email address.")
  var text: [String]

  @OptionGroup var size: LimitOption

  func run(_ session: Session) async throws {
    var request = WhoRequest()
    request.text = self.text.joined(separator: " ")
    request.limit = self.size.count
    let reply = try await session.ask(request)
    try await session.show(reply, Self.lines(reply.hits, session) + LimitOption.more(reply.more, session.language))
  }

  private static func lines(_ hits: [Acquaintance], _ session: Session) -> [String] {
    let say = session.language
    guard !hits.isEmpty else {
      return [say("Nobody found. To add somebody: kith people add NAME", "見つかりません。追加するには: kith people add 名前")]
    }
    var table = Table(
      [
        Column("NAME", "名前", wraps: true), Column("PHONE", "電話"), Column("EMAIL", "メール", drops: 2),
        Column("BIRTHDAY", "誕生日", drops: 3),
        Column("LAST CONTACT", "最後の連絡", drops: 1), Column("KNOWN AS", "登録", drops: 4), Column("ID"),
      ], hidesEmpty: true)
    for hit in hits {
      let known = [hit.hasPerson ? say("person", "人") : nil, hit.hasContact ? say("contact", "連絡先") : nil].compactMap {
        $0
      }
      table.add(
        hit.shownName, hit.contact.phones.preferred, hit.contact.emails.preferred, hit.birthday,
        hit.person.hasLastInteractionAt ? session.ago(hit.person.lastInteractionAt) : "",
        known.joined(separator: say(" and ", "と")), session.ids[hit.hasPerson ? hit.person.id : hit.contact.id])
    }
    return table.lines(session)
  }
}
