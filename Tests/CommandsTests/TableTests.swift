import Bus
import KithClient
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Commands

@Suite("Tables fit the terminal")
struct TableTests {
  private func session(width: Int?, columns: [String] = []) -> Session {
    let console = Console(isTerminal: width != nil, columns: width, usesColour: false, out: { _ in }, err: { _ in })
    let client = KithClient(port: CannedPort { _, _ throws(Failure) in throw .bug("unexpected") }) {
      _, _ throws(Failure) in
      throw .bug("unexpected")
    }
    var session = Session(client: client, console: console, isJSON: false)
    session.layout = TableLayout(width: width, columns: columns)
    session.language = .english
    return session
  }

  private var table: Table {
    var table = Table([
      Column("WHEN"), Column("AT", drops: 2), Column("NOTE", wraps: true), Column("TAGS", drops: 1), Column("ID"),
    ])
    table.add(
      "yesterday", "2026-11-20 09:15", "about the garden and the tulips that she wants to plant", "family", "9d10")
    table.add("today", "2026-11-21 09:15", "山田さんと話した。来週また電話する。", "family", "8c2f")
    return table
  }

  @Test("No line is wider than the terminal", arguments: [30, 40, 55, 60, 80, 100, 200])
  func width(width: Int) {
    let lines = self.table.lines(self.session(width: width))
    #expect(lines.dropLast(width < 80 ? 1 : 0).allSatisfy { Printable.width($0) <= width })
    #expect(lines.joined().contains("9d10") && lines.joined().contains("8c2f"))
  }

  @Test("Columns are left out in the order that they state, and named")
  func order() {
    let narrow = self.table.lines(self.session(width: 64))
    #expect(narrow[0].contains("AT") && !narrow[0].contains("TAGS"))
    #expect(narrow.last == "Left out: tags. --wide shows all.")
    let narrower = self.table.lines(self.session(width: 50))
    #expect(!narrower[0].contains("AT"))
    #expect(narrower.last == "Left out: at, tags. --wide shows all.")
  }

  @Test("A pipe has one line a row, whole")
  func piped() {
    let lines = self.table.lines(self.session(width: nil))
    #expect(lines.count == 3)
    #expect(lines[1].contains("about the garden and the tulips that she wants to plant"))
  }

  @Test("The named columns are shown in that order, whatever their heading's language")
  func chosen() {
    #expect(
      self.table.lines(self.session(width: 80, columns: ["id", "when"])) == [
        "ID    WHEN", "9d10  yesterday", "8c2f  today",
      ])
  }

  @Test("A column that no table has is an error, with those that there are", arguments: [["nope"], ["when", "nope"]])
  func unknown(columns: [String]) {
    let session = self.session(width: 80, columns: columns)
    #expect(throws: Never.self, "no table was printed") { try session.layout.check(.english) }
    _ = self.table.lines(session) + self.table.lines(session)
    let failure = #expect(throws: Failure.self) { try session.layout.check(.english) }
    #expect(failure?.message == "There is no column \"nope\". There are: when, at, note, tags, id")
    #expect(failure.map(ExitStatus.init) == .usage)
  }

  @Test("A column that one of several tables has is none")
  func several() {
    let session = self.session(width: 80, columns: ["who"])
    _ = self.table.lines(session) + Table([Column("WHO")]).lines(session)
    #expect(throws: Never.self) { try session.layout.check(.english) }
  }
}

@Suite("Columns of commands that change something")
struct ChangingColumnTests {
  @Test(
    "A column that the table of the result has not is refused before anything is asked of kithd",
    arguments: [
      ["remind", "done", "daily:2026-11-20"], ["remind", "snooze", "last"], ["remind", "skip", "last"],
      ["remind", "remove", "last"], ["remind", "call", "Ann", "--in", "3"], ["channels", "test", "family"],
      ["channels", "retry", "last"], ["channels", "discard", "last"],
      ["measure", "add", "temperature", "36.5"], ["measure", "undo", "last"], ["call", "share", "--channel", "family"],
      ["care", "share", "--to", "family"], ["monica", "retry", "last"], ["monica", "clear", "last"],
      ["monica", "resolve", "last", "--keep", "local"],
    ])
  func refused(arguments: [String]) async throws {
    let run = try await Self.run(arguments + ["--columns", "nope", "--lang", "en"])
    #expect(run.sent.isEmpty && run.output.isEmpty && run.code == ExitStatus.usage.rawValue)
    #expect(run.errors.contains("There is no column \"nope\". There are: "))
  }

  @Test("It is refused too before what an entry says was measured is recorded")
  func heard() async throws {
    let id = Household.annID
    let run = try await CommandRun.of("plan", "heard", id, "--columns", "nope", "--lang", "en") {
      command throws(Failure) in
      switch command {
      case is GetCareRequest: CareReply.with { $0.record.id = id }
      case is SuggestRequest:
        SuggestReply.with {
          $0.suggestions = [
            .with { ($0.careID, $0.measurement.kind, $0.measurement.value) = (id, "temperature", "37.2") }
          ]
        }
      default: CareSettings()
      }
    }
    #expect(run.code == ExitStatus.usage.rawValue && run.errors.contains("There are: when, what, value"))
    #expect(!run.sent.isEmpty && !run.sent.contains { $0 is RecordMeasurementRequest })
  }

  @Test("One that it has is shown")
  func shown() async throws {
    let run = try await Self.run(["remind", "remove", "daily:2026-11-20", "--columns", "state,id", "--lang", "en"])
    #expect(
      run.output == "STATE    ID\nremoved  daily:2026-11-20\n" && run.sent.contains { $0 is RemoveReminderRequest })
  }

  private static func run(_ arguments: [String]) async throws -> CommandRun {
    try await CommandRun.of(arguments) { command throws(Failure) in
      guard let remove = command as? RemoveReminderRequest else {
        return FindIdsReply.with { $0.ids = ["daily:2026-11-20"] }
      }
      return Reminder.with { ($0.id, $0.knownKind, $0.knownState) = (remove.id, .daily, .removed) }
    }
  }
}

@Suite("Words as they are typed")
struct WordTests {
  @Test(
    "A category is typed as it is printed, in either language",
    arguments: [
      ("服薬", "medication"), ("Medical visit", "medical_visit"), ("medical-visit", "medical_visit"),
      ("自由メモ", "free_memo"),
      ("lunch", "lunch"),
    ])
  func category(typed: String, name: String) { #expect(CareCategory.name(typed: typed) == name) }

  @Test("A label is told in the language, and one of the household's own as it is")
  func labels() {
    #expect(AddressBookLabel.words(["home", "Mobile", "spouse", "Hütte"], .japanese) == "自宅、携帯、配偶者、Hütte")
    #expect(AddressBookLabel.words(["home", "mobile"], .english) == "home, mobile")
  }

  @Test("Every printed word is taken")
  func all() {
    for say in Language.allCases {
      for category in CareCategory.allCases {
        #expect(CareCategory.name(typed: category.words(say)) == category.rawValue)
      }
      for review in CareReview.allCases { #expect(CareReview.name(typed: review.words(say)) == review.rawValue) }
      for state in DeliveryState.allCases { #expect(DeliveryState.name(typed: state.words(say)) == state.rawValue) }
      for kind in ReminderKind.allCases { #expect(ReminderKind.name(typed: kind.words(say)) == kind.rawValue) }
      for emotion in CallEmotion.allCases {
        #expect(EmotionArgument(argument: emotion.words(say))?.field == emotion.rawValue)
      }
    }
    #expect(EmotionArgument(argument: "😊")?.field == "happy")
    #expect(EmotionArgument(argument: "great") == nil)
  }
}
