internal import ArgumentParser
internal import Bus
internal import Glibc
internal import KithClient
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
  @OptionGroup var confirmation: Confirmation

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

  @Flag(help: "Add a folder or file that is not there yet, or that only a worker reads.")
  var unchecked = false

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
    if let vdir { request.vdir.path = try self.path(vdir, isFolder: true, session) }
    if let vcf { request.vcf.path = try self.path(vcf, isFolder: false, session) }
    if let carddav {
      request.carddav = try self.account.account(at: carddav, session)
      request.carddav.books = self.book
    }
    if session.console.isTerminal, !self.confirmation.yes,
      let twin = try await session.ask(ListSourcesRequest()).sources.first(where: { $0.isTwin(of: request) })
    {
      let name = Printable.text(twin.name)
      try self.confirmation.ask(
        session.language(
          "\(name) has the same contacts: each would be there twice. Add it all the same?",
          "\(name) に同じ連絡先があり、二重になります。それでも追加しますか?"), session)
    }
    let source = try await session.ask(request)
    try await session.show(
      source,
      [
        session.language(
          "Added \(Printable.text(source.name)). Fetch its contacts:", "\(Printable.text(source.name)) を追加しました。取り込むには:")
          + " kith contacts sync \(Printable.text(source.name))"
      ])
  }

  /// The absolute path of a folder or file, which has to be there if kithd is on this machine.
  ///
  /// - Throws: `NOT_FOUND/FILE_MISSING`.
  private func path(_ path: String, isFolder: Bool, _ session: Session) throws(Failure) -> String {
    let path = RuntimeLocations.absolute(path)
    var status = stat()
    let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    guard session.client.isLocal, !self.unchecked, (kind == S_IFDIR) != isFolder || kind == 0 else { return path }
    throw Failure(
      .notFound, "FILE_MISSING",
      session.language(
        "There is no \(isFolder ? "folder" : "file") \(path). Check the path, or add --unchecked if it comes later.",
        "\(path) がありません。パスを確認するか、あとで置くなら --unchecked を付けてください。")
    ).worded
  }
}

extension Source {
  /// Whether another source would have the same contacts.
  func isTwin(of request: AddSourceRequest) -> Bool {
    switch (self.kind, request.kind) {
    case (.vdir(let mine)?, .vdir(let other)?): mine.path == other.path
    case (.vcf(let mine)?, .vcf(let other)?): mine.path == other.path
    case (.carddav(let mine)?, .carddav(let other)?):
      (mine.url, mine.username, mine.books) == (other.url, other.username, other.books)
    default: false
    }
  }
}
