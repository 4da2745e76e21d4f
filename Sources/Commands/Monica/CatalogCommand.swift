internal import ArgumentParser
internal import Bus
internal import KithMessages

struct CatalogCommand: HubCommand {
  /// What the server has names for.
  enum Catalog: String, ExpressibleByArgument, CaseIterable {
    case gender
    case contactFieldType = "contact_field_type"
    case activityType = "activity_type"
    case relationshipType = "relationship_type"
  }

  static let configuration = CommandConfiguration(
    commandName: "catalog", abstract: "List the names that the server knows for genders and types.",
    discussion: "Example: kith monica catalog relationship_type")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The catalog. Default: all.")
  var catalog: Catalog?

  func run(_ session: Session) async throws { try await session.showCatalog(self.catalog?.rawValue ?? "") }
}

extension Session {
  /// Asks for the names of a catalog and prints them; empty: of all.
  func showCatalog(_ catalog: String) async throws(Failure) {
    var request = CatalogRequest()
    request.catalog = catalog
    let reply = try await self.ask(request)
    try self.show(reply, Self.lines(reply.entries, showsCatalog: catalog.isEmpty, self.console.style))
  }

  private static func lines(_ entries: [CatalogEntry], showsCatalog: Bool, _ style: Style) -> [String] {
    guard !entries.isEmpty else { return ["No names found. They come with the first sync: kith monica sync"] }
    var table = Table(
      [("CATALOG", .left), ("NAME", .left), ("REVERSE", .left), ("GROUP", .left), ("KIND", .left)], hidesEmpty: true)
    for entry in entries {
      table.add(showsCatalog ? entry.catalog : "", entry.name, entry.reverseName, entry.group, entry.type)
    }
    return table.lines(style)
  }
}
