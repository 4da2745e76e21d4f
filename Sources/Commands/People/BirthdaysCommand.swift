internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

struct BirthdaysCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "birthdays", abstract: "List coming birthdays, of people and of the address book.",
    discussion: """
      A person and their contact are one. Birthdays without a month and of those who have died are left out.
      Example: kith birthdays
      Example: kith birthdays --days 365
      """)

  @OptionGroup var global: GlobalOptions

  @Option(help: "How many days ahead.")
  var days = 60

  func validate() throws {
    guard (1...366).contains(self.days) else { throw ValidationError("--days takes a number from 1 to 366.") }
  }

  func run(_ session: Session) async throws {
    let today = session.zone.day(of: session.now)
    let coming = try await Self.everybody(session).compactMap { somebody -> (day: Day, somebody: Acquaintance)? in
      guard let next = PartialDay(somebody.birthday)?.next(from: today), next < today.adding(days: self.days)
      else { return nil }
      return (next, somebody)
    }.sorted { ($0.day, $0.somebody.shownName) < ($1.day, $1.somebody.shownName) }
    let reply = WhoReply.with { $0.hits = coming.map(\.somebody) }
    try await session.show(reply, Self.lines(coming, today, session))
  }

  /// Everybody who lives, each once: people, then contacts that are linked to nobody.
  private static func everybody(_ session: Session) async throws(Failure) -> [Acquaintance] {
    let people = try await session.askAll(ListPeopleRequest.with { $0.includePartial = true }).people
    let contacts = try await session.askAll(ListContactsRequest()).contacts
    let linked = Dictionary(contacts.map { ($0.id, $0) }) { first, _ in first }
    let taken = Set(people.map(\.contactID))
    return people.filter { !$0.isDead }.map { person in
      Acquaintance.with {
        $0.name = person.displayName
        $0.person = person
        if let contact = linked[person.contactID] { $0.contact = contact }
        $0.birthday = person.birthday.isEmpty ? $0.contact.birthday : person.birthday
      }
    }
      + contacts.filter { !taken.contains($0.id) }.map { contact in
        Acquaintance.with {
          $0.name = contact.formattedName
          $0.contact = contact
          $0.birthday = contact.birthday
        }
      }
  }

  private static func lines(
    _ coming: [(day: Day, somebody: Acquaintance)], _ today: Day, _ session: Session
  ) -> [String] {
    let say = session.language
    guard !coming.isEmpty else {
      return [
        say(
          "No birthdays found. To look further: kith birthdays --days 365",
          "誕生日はありません。先まで見るには: kith birthdays --days 365")
      ]
    }
    var table = Table(
      [
        Column("WHEN", "いつ"), Column("DAY", "日付", drops: 1), Column("NAME", "名前", wraps: true),
        Column("TURNS", "年齢", .right, drops: 2), Column("ID"),
      ], hidesEmpty: true)
    for (day, somebody) in coming {
      let age = PartialDay(somebody.birthday)?.years(until: day)
      table.add(
        say.relative(day, today: today), day.description, somebody.shownName,
        age.map { say("\($0)", "\($0)歳") } ?? "",
        session.ids[somebody.hasPerson ? somebody.person.id : somebody.contact.id])
    }
    return table.lines(session)
  }
}
