internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import KithMessages

struct ExportCallsCommand: HubCommand {
  /// What a file of calls may be.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case csv, json, pdf
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write calls to a file: a table, JSON or a report.",
    discussion: "Example: kith call export --format pdf --from 2026-01-01 --to 2026-11-30 -o calls.pdf")

  @OptionGroup var global: GlobalOptions

  @Option(help: "csv, json or pdf.")
  var format = Format.csv

  @OptionGroup var filter: CallFilterOptions

  @Option(help: "The language of a report. Default: that of the locale.")
  var lang = Language.ofEnvironment

  @Option(
    name: .shortAndLong,
    help: "\(OutputFile.help.abstract) Default: calls-DAY.FORMAT, here.",
    completion: .file())
  var output: String?

  func run(_ session: Session) async throws {
    var request = ExportCallsRequest()
    request.format = self.format.rawValue
    request.filter = try await self.filter.filter(session)
    request.timeZone = session.zone.name
    request.language = self.lang.rawValue
    let blob = try await session.ask(request, drawing: "export")
    let output = self.output ?? "calls-\(session.zone.day(of: session.now)).\(self.format.rawValue)"
    try await session.save(blob, to: output)
  }
}

/// A language that reports are written in.
enum Language: String, ExpressibleByArgument, CaseIterable {
  case en, ja

  /// That of the locale (setlocale(3)); English for any other.
  static var ofEnvironment: Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(RuntimeLocations.variable).first { !$0.isEmpty }
    return locale?.hasPrefix("ja") == true ? .ja : .en
  }
}
