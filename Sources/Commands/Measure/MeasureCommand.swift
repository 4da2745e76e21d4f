internal import ArgumentParser
internal import Bus
internal import Foundation
internal import KithMessages
internal import SwiftProtobuf

struct MeasureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Temperature, blood pressure, weight and other values, with their units.",
    discussion: """
      Kith keeps what you enter, and says nothing of what a value means.
      Example: kith measure add temperature 37.2
      """,
    subcommands: [
      AddMeasurementCommand.self, ListMeasurementsCommand.self, MeasurementSeriesCommand.self,
      UndoMeasurementCommand.self, ExportMeasurementsCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct AddMeasurementCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Record a value; one that is unusual is asked about once.",
    discussion: "Example: kith measure add 'blood pressure' 130/80")

  @OptionGroup var global: GlobalOptions

  @Argument(
    help:
      "temperature, blood_pressure, pulse, weight, oxygen, glucose, pain, fluid_in or fluid_out; 体温, 血圧; with --own any name.",
    completion: .list(MeasurementKind.allCases.map(\.rawValue)))
  var kind: String

  @Argument(help: "The value: 37.2, 130/80.")
  var value: String

  @Argument(help: "The unit, if not the usual one: °F, lb, mmol/L.")
  var unit = ""

  @Flag(help: "It is a kind of your own, called as you say.")
  var own = false

  @OptionGroup var moment: MomentOption

  @Option(help: "A note.")
  var note = ""

  @Option(help: "The name of the person who records. Default: as configured.")
  var recorder = ""

  @OptionGroup var confirmation: Confirmation

  func run(_ session: Session) async throws {
    var request = RecordMeasurementRequest()
    // What is mistyped is no kind of one's own.
    let kind = try self.own ? .other : MeasurementKind.known(self.kind, session.language)
    request.measurement.knownKind = kind
    if self.own { request.measurement.name = self.kind }
    // Digits of full width are digits.
    let values = self.value.precomposedStringWithCompatibilityMapping.split(separator: "/").map(String.init)
    guard kind != .bloodPressure || values.count == 2 else {
      throw Failure.invalid(
        field: "value",
        session.language("of blood pressure has two numbers: 130/80.", "血圧は 130/80 のように2つの数で入力してください。")
      ).worded
    }
    request.measurement.value = values.first ?? ""
    request.measurement.lower = values.count == 2 ? values[1] : ""
    request.measurement.unit = self.unit
    request.measurement.note = self.note
    request.measurement.recorder = self.recorder
    if let time = try self.moment.moment(session) { request.occurredAt = time }
    try await self.confirmation.record(request, session)
  }
}

extension MeasurementKind {
  /// The kind that a person typed.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` with all kinds, for any other word.
  fileprivate static func known(_ typed: String, _ say: Language) throws(Failure) -> MeasurementKind {
    if let kind = MeasurementKind(rawValue: Self.name(typed: typed)), kind != .other { return kind }
    let kinds = Self.allCases.filter { $0 != .other }.map { $0.words(say) }.joined(separator: say(", ", "、"))
    let text = Printable.text(typed)
    throw Failure.invalid(
      field: "kind",
      say(
        "'\(text)' is none of \(kinds). For a kind of your own, add --own.",
        "「\(text)」はありません。種類: \(kinds)。自分で名付けるには --own を付けてください。")
    ).worded
  }
}

extension Confirmation {
  /// Records a value, and asks before if it is unusual.
  func record(_ given: RecordMeasurementRequest, _ session: Session) async throws {
    try session.check(MeasurementTable.columns)
    var request = given
    request.unlessUnlikely = !self.yes
    var reply = try await session.ask(request)
    if !reply.recorded {
      let text = reply.measurement.shownValue
      try self.ask(
        session.language("\(text) is unusual. Is it right?", "\(text) は通常の範囲の外です。正しいですか?"), isGrave: true, session)
      request.unlessUnlikely = false
      reply = try await session.ask(request)
    }
    try await session.show(
      reply, MeasurementTable(ListMeasurementsReply.with { $0.measurements = [reply.measurement] }).lines(session))
  }
}

struct ListMeasurementsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List values, the newest first.",
    discussion: "Example: kith measure list temperature --from monday")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "Only this kind.")
  var kind = ""

  @Option(help: "The first day.")
  var from: DaysArgument?

  @Option(help: "The last day.")
  var until: DaysArgument?

  @Flag(help: "Also what was taken back.")
  var deleted = false

  @OptionGroup var page: PageOptions

  func run(_ session: Session) async throws {
    var request = ListMeasurementsRequest()
    request.only(self.kind)
    request.from = try await session.careDay(self.from?.first)
    request.until = try await session.careDay(self.until?.last)
    request.deleted = self.deleted
    let reply = try await self.page.ask(request, session)
    try await session.show(reply, MeasurementTable(reply).lines(session))
  }
}

extension ListMeasurementsRequest {
  /// Asks for one kind as a person types it, or for one of their own; empty = all.
  mutating func only(_ typed: String) {
    let name = MeasurementKind.name(typed: typed)
    let isKnown = typed.isEmpty || MeasurementKind(rawValue: name) != nil
    self.kind = isKnown ? name : MeasurementKind.other.rawValue
    self.name = isKnown ? "" : typed
  }
}

struct MeasurementSeriesCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "series", abstract: "Show each day of a kind: least, greatest and mean, with a picture.",
    discussion: "Example: kith measure series weight")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The kind, or what you call it.")
  var kind: String

  @Option(help: "The first day.")
  var from: DaysArgument?

  @Option(help: "The last day.")
  var until: DaysArgument?

  func run(_ session: Session) async throws {
    var request = MeasurementSeriesRequest()
    let name = MeasurementKind.name(typed: self.kind)
    request.knownKind = MeasurementKind(rawValue: name) ?? .other
    if request.knownKind == .other { request.name = self.kind }
    request.from = try await session.careDay(self.from?.first)
    request.until = try await session.careDay(self.until?.last)
    let reply = try await session.ask(request)
    try await session.show(reply, Self.lines(reply, session))
  }

  private static func lines(_ reply: MeasurementSeriesReply, _ session: Session) -> [String] {
    let say = session.language
    guard let least = reply.days.map(\.least).min(), let greatest = reply.days.map(\.greatest).max() else {
      return [say("Nothing was measured in this time.", "この期間の測定はありません。")]
    }
    var table = Table([
      Column("DAY", "日"), Column("LEAST", "最小", .right), Column("MEAN", "平均", .right),
      Column("GREATEST", "最大", .right), Column(reply.unit, name: "picture"),
    ])
    for day in reply.days {
      table.add(
        day.day, Self.number(day.least, day.lowerLeast), Self.number(day.mean, day.lowerMean),
        Self.number(day.greatest, day.lowerGreatest), Self.bar(day, least...greatest))
    }
    return table.lines(session)
  }

  private static func number(_ value: Float, _ lower: Float) -> String {
    Count.decimal(value) + (lower == 0 ? "" : "/\(Count.decimal(lower))")
  }

  /// From the least to the greatest value of a day, on a line of 20 columns.
  private static func bar(_ day: MeasuredDay, _ all: ClosedRange<Float>) -> String {
    let width = max(all.upperBound - all.lowerBound, .leastNonzeroMagnitude)
    let (from, to) = (Int((day.least - all.lowerBound) / width * 19), Int((day.greatest - all.lowerBound) / width * 19))
    return String(repeating: "·", count: from) + String(repeating: "━", count: to - from + 1)
      + String(repeating: "·", count: 19 - to)
  }
}

struct UndoMeasurementCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take a value back; it stays in the history.",
    discussion: "Example: kith measure undo last")

  static let columns = MeasurementTable.columns

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var id: RecordID<MeasurementRecord>

  func run(_ session: Session) async throws {
    let id = try await self.id.id(session)
    let reply = try await session.ask(DeleteMeasurementRequest.with { $0.id = id })
    try await session.show(
      reply, MeasurementTable(ListMeasurementsReply.with { $0.measurements = [reply.measurement] }).lines(session))
  }
}

/// Values as table rows.
struct MeasurementTable {
  static let columns = [
    Column("WHEN", "いつ"), Column("WHAT", "項目"), Column("VALUE", "値", .right), Column("", name: "state"),
    Column("NOTE", "メモ", drops: 1, wraps: true), Column("BY", "記録者", drops: 2), Column("ID"),
  ]

  private let reply: ListMeasurementsReply

  init(_ reply: ListMeasurementsReply) { self.reply = reply }

  func lines(_ session: Session) -> [String] {
    let say = session.language
    guard !self.reply.measurements.isEmpty else { return [say("Nothing was measured yet.", "測定はまだありません。")] }
    var table = Table(Self.columns, hidesEmpty: true)
    for one in self.reply.measurements {
      table.add(
        session.zone.text(one.occurredAt), one.name.isEmpty ? one.knownKind?.words(say) ?? one.kind : one.name,
        one.shownValue, one.hasDeletedAt ? say("taken back", "取り消し") : "", one.note, one.recorder, session.ids[one.id])
    }
    return table.lines(session) + PageOptions.more(self.reply.nextCursor, say)
  }
}

extension MeasurementRecord: Identified {
  static let idKind = "measurement"
  static let list = "kith measure list"
  static func idNoun(_ say: Language) -> String { say("measurement", "測定") }
  static func words(about id: String, _ session: Session) async -> String {
    let all = try? await session.ask(ListMeasurementsRequest.with { $0.limit = 100 }).measurements
    return all?.first { $0.id == id }.map { "\(session.zone.text($0.occurredAt))  \($0.shownValue)" } ?? ""
  }
}

extension MeasurementKind: Worded {
  func words(_ say: Language) -> String { say(self.english, self.japanese) }
}
