internal import ArgumentParser
internal import KithMessages

struct ExportContactsCommand: HubCommand {
  /// What a file of contacts may be.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case vcf, json, csv
  }

  /// A version of vCard.
  enum VCardVersion: String, ExpressibleByArgument, CaseIterable {
    case three = "3.0"
    case four = "4.0"
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the contacts to a file.",
    discussion: """
      Example: kith contacts export -o contacts.vcf
      Example: kith contacts export --vcard 4.0 -o contacts.vcf
      """)

  @OptionGroup var global: GlobalOptions

  @Option(name: .shortAndLong, help: OutputFile.help, completion: .file())
  var output: String

  @Option(help: "vcf, json or csv.")
  var format = Format.vcf

  @Option(help: "The version of vCard: 3.0, which every address book reads (default), or 4.0.")
  var vcard: VCardVersion?

  @Option(help: "Only contacts of this source.")
  var source = ""

  @Flag(help: "Also deleted contacts.")
  var deleted = false

  func run(_ session: Session) async throws {
    var request = ExportContactsRequest()
    request.format = self.format.rawValue
    request.vcardVersion = self.vcard?.rawValue ?? ""
    request.source = self.source
    request.includeDeleted = self.deleted
    let blob = try await session.ask(request, drawing: "export")
    try await session.save(blob, to: self.output)
  }
}
