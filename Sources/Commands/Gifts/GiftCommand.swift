internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages

struct GiftCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gift", abstract: "Gifts for people and from them.",
    discussion: "Example: kith gift add ann A tea pot --status idea",
    subcommands: [
      AddRecordCommand<Owned<GiftArguments>>.self, ListRecordsCommand<NoFilter<Gift>>.self,
      ShowRecordCommand<Gift>.self,
      EditRecordCommand<GiftArguments>.self, DeleteRecordCommand<Gift>.self, RestoreRecordCommand<Gift>.self,
    ])

  @OptionGroup var global: GlobalOptions
}

struct GiftArguments: RecordArguments {
  @Argument(help: "The name of the gift.")
  var name: [String] = []

  @Option(help: "Whether it is an idea, was offered (given) or was received. A new gift is an idea.")
  var status: GiftStatus?

  @Option(parsing: .unconditional, help: "A description.")
  var comment: String?

  @Option(help: "The URL of the gift.")
  var url: String?

  @Option(help: "What it costs, such as 12.50.")
  var amount: String?

  @Option(help: DayArgument.help)
  var date: DayArgument?

  func fill(_ changes: inout Changes<Gift>, _ session: Session) throws(Failure) {
    changes.set(\.name, "name", words: self.name)
    changes.set(
      \.status, "status", self.status?.rawValue ?? (changes.record.id.isEmpty ? GiftStatus.idea.rawValue : nil))
    changes.set(\.comment, "comment", self.comment)
    changes.set(\.url, "url", self.url)
    changes.set(\.amount, "amount", self.amount)
    changes.set(\.date, "date", self.date?.text(session))
  }
}

extension Gift: OwnedRecord, ListedRecord, RestorableRecord {
  typealias Creation = CreateGiftRequest
  typealias Change = UpdateGiftRequest
  typealias Deletion = DeleteGiftRequest
  typealias Lookup = GetGiftRequest
  typealias Restoration = RestoreGiftRequest
  typealias Listing = ListGiftsRequest

  static let noun = Noun(
    command: "gift", singular: "gift", plural: "gifts", japanese: "贈り物", newExample: "ann A tea pot --status idea",
    changeExample: "--status offered")
  static let headings: [Column] = [
    Column("STATUS", "状態"), Column("GIFT", "品物", wraps: true), Column("AMOUNT", "金額", .right, drops: 2),
    Column("DATE", "日付", drops: 1),
  ]
  static let isListedByPerson = false

  var knownNames: [String: String] { self.personName.isEmpty ? [:] : [self.personID: self.personName] }

  func headline(_ names: PersonNames, _ say: Language) -> String { self.name }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    return [
      (say("Person", "人"), names[self.personID]), (say("Status", "状態"), self.word(say)),
      (say("Amount", "金額"), self.amount),
      (say("Date", "日付"), session.date(self.date)), (say("Web", "ウェブ"), self.url),
    ]
  }

  func prose(_ names: PersonNames, _ session: Session) -> [String] { Printable.lines(self.comment) }

  private func word(_ say: Language) -> String { self.knownStatus?.words(say) ?? self.status }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    [self.word(session.language), Printable.shortened(self.name, to: 60), self.amount, session.ago(day: self.date)]
  }
}
