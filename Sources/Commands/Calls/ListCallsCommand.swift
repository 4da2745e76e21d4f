internal import ArgumentParser
internal import KithMessages

struct ListCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List calls, newest first.",
    discussion: "Example: kith call list --person ann --from 2026-11-01 --emotion happy")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var filter: CallFilterOptions

  @OptionGroup var page: PageOptions

  @Flag(help: "Also deleted ones.")
  var deleted = false

  func run(_ session: Session) async throws {
    var request = ListCallsRequest()
    self.page.fill(&request)
    request.filter = try await self.filter.filter(session)
    request.includeDeleted = self.deleted
    try await session.show(page: try await session.ask(request), showsOwner: true)
  }
}

struct DeleteCallsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete calls: all named ones, or none if one fails.",
    discussion: "Example: kith call delete \(RecordID.example)")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The ids, as lists show them.")
  var ids: [String]

  func run(_ session: Session) async throws {
    guard let first = self.ids.first, self.ids.count > 1 else {
      var request = DeleteCallRequest()
      request.id = self.ids.first ?? ""
      let call = try await session.ask(request)
      return try await session.showDeleted(
        call, advice: "To bring it back: kith call restore \(Printable.text(call.id))")
    }
    var request = BulkDeleteCallsRequest()
    request.ids = self.ids
    let reply = try await session.ask(request)
    try session.show(
      reply,
      [
        "Deleted \(Count.of(reply.ids.count, "call")).",
        "To bring one back: kith call restore \(Printable.text(reply.ids.first ?? first))",
      ])
  }
}

struct RestoreCallCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a deleted call.",
    discussion: "Example: kith call restore \(RecordID.example)")

  @OptionGroup var global: GlobalOptions

  @Argument(help: RecordID.help)
  var target: RecordID

  func run(_ session: Session) async throws {
    var request = RestoreCallRequest()
    request.id = try await self.target.id(session)
    try await session.show(try await session.ask(request))
  }
}
