internal import ArgumentParser
internal import Bus
internal import KithMessages

struct AddSourceCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a source.",
    discussion: """
      Paths are those of the machine that kithd runs on. kith asks for a password if one is needed, and never takes it from
      the command line.
      Example: kith contacts source add home --vdir ~/contacts
      Example: kith contacts source add work --carddav https://dav.example.com --username ann
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "Its name: lower-case letters, digits and hyphens.")
  var name: String

  @Option(help: "A folder with one card a file.", completion: .directory)
  var vdir: String?

  @Option(help: "A file of cards.", completion: .file(extensions: ["vcf"]))
  var vcf: String?

  @Option(help: "A CardDAV account: the URL of a server, an account or an address book; a host; an email address.")
  var carddav: String?

  @OptionGroup var account: AccountOptions

  @Option(help: "The path of an address book to read; may be repeated. Default: all of the account.")
  var book: [String] = []

  func validate() throws {
    guard [self.vdir, self.vcf, self.carddav].count(where: { $0 != nil }) == 1 else {
      throw ValidationError(
        "A source is a folder (--vdir DIR), a file (--vcf FILE) or an account (--carddav URL). Give one of them.")
    }
    guard self.carddav != nil || (self.account.isEmpty && self.book.isEmpty) else {
      throw ValidationError("User names, passwords, certificates and address books belong to --carddav.")
    }
  }

  func run(_ session: Session) async throws {
    var request = AddSourceRequest()
    request.name = self.name
    if let vdir { request.vdir.path = RuntimeLocations.absolute(vdir) }
    if let vcf { request.vcf.path = RuntimeLocations.absolute(vcf) }
    if let carddav {
      request.carddav = try self.account.account(at: carddav, session)
      request.carddav.books = self.book
    }
    let source = try await session.ask(request)
    try await session.show(
      source,
      ["Added \(Printable.text(source.name)). Fetch its contacts: kith contacts sync \(Printable.text(source.name))"])
  }
}
