internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// What entries by voice say of the plan, and of what was measured: lists it, and records that of an entry.
struct HeardCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "heard", abstract: "List what entries by voice say was given or measured, or record it.",
    discussion: """
      Entries whose words a person confirmed count. With the ID of an entry, what it says is recorded, once.
      Example: kith plan heard
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The entry of care that is recorded in the plan. Without it: list.")
  var entry: RecordID<CareRecord>?

  @Option(help: "The day of the entries.")
  var day = DayArgument.today

  @OptionGroup var confirmation: Confirmation

  func run(_ session: Session) async throws {
    guard let entry else {
      let day = try await session.careDay(self.day)
      let reply = try await session.ask(SuggestRequest.with { $0.day = day })
      return try await session.show(reply, SuggestionTable(reply).lines(session))
    }
    let id = try await entry.id(session)
    let record = try await session.ask(GetCareRequest.with { $0.id = id }).record
    let day = try await session.careZone().day(at: record.occurredAt.nanosecondsSince1970)
    let said = try await session.ask(SuggestRequest.with { $0.day = day.description }).suggestions.filter {
      $0.careID == id
    }
    guard !said.isEmpty else {
      throw Failure.unknownRecord(
        id,
        session.language(
          "This entry says nothing of the plan that is not recorded yet, or its words are not confirmed. `kith plan heard` lists what can be recorded.",
          "この記録から予定に記録できるものはありません。または内容が未確認です。`kith plan heard` で一覧を確認してください。")
      ).worded
    }
    for suggestion in said {
      if suggestion.hasItem {
        try await self.confirmation.record(GiveRequest(suggestion), session)
      } else {
        try await self.confirmation.record(RecordMeasurementRequest(suggestion), session)
      }
    }
  }
}

/// What may be recorded, as table rows.
private struct SuggestionTable {
  private let reply: SuggestReply

  init(_ reply: SuggestReply) { self.reply = reply }

  func lines(_ session: Session) -> [String] {
    let say = session.language
    guard !self.reply.suggestions.isEmpty else {
      return [say("No entry by voice says that something was given or measured.", "音声の記録に、実施や測定の内容はありません。")]
    }
    var table = Table([
      Column("WHEN", "いつ"), Column("WHAT", "内容", wraps: true), Column("FOR", "予定"), Column("ENTRY", "記録"),
    ])
    for said in self.reply.suggestions {
      let zone = Zone(named: said.item.timeZone) ?? session.zone
      let value = said.measurement
      let what =
        said.hasItem
        ? [said.item.name, DoseText.amount(said.amount, said.item.unit)].filter { !$0.isEmpty }.joined(separator: " ")
        : "\(value.knownKind?.words(say) ?? value.kind) \(value.shownValue)"
      table.add(
        session.zone.text(said.occurredAt), what, said.hasDue ? zone.text(said.due) : "", session.ids[said.careID])
    }
    return table.lines(session)
  }
}
