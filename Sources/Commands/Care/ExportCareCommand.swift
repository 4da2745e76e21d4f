internal import ArgumentParser
internal import KithMessages

struct ExportCareCommand: BilingualCommand {
  /// What a file of entries may be.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case csv, json
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write entries to a file.",
    discussion: "Example: kith care export -o november.csv --from 2026-11-01 --to 2026-11-30")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  @Option(help: "csv or json.")
  var format = Format.csv

  @Option(help: "The first day, as YYYY-MM-DD.")
  var from = ""

  @Option(help: "The last day.")
  var to = ""

  func carryOut(_ session: Session) async throws {
    var request = ExportCareRequest()
    request.format = self.format.rawValue
    request.fromDay = self.from
    request.toDay = self.to
    let blob = try await session.ask(request, drawing: "export")
    try await session.save(blob, to: self.output)
  }
}
