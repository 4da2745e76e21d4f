internal import Bus
internal import KithMessages

extension Tool {
  private static let status = Shape("Status", ["reason", "message"])

  private static let source = Shape(
    "SyncStatus",
    ["source", "state", "live", "held_back", "skipped", "last_success_at", "consecutive_failures", "hold_reason"],
    [.one("error", Self.status)])

  private static let monica = Shape(
    "MonicaStatus", ["state", "pending", "failed", "conflicts", "people", "last_pull_at", "next_attempt_at"],
    [.one("sync", Self.source)])

  /// How the household's books are.
  static let state: [Tool] = [
    Tool(
      name: "sync_status", title: "State of the sync",
      description: "Whether the address books and the Monica server are in step with Kith, and what waits or failed.",
      inputs: [],
      output: Shape(
        "SyncReply", [], [ToolCall.notice, .each("sources", Self.source), .own("monica", Self.monica.schema)])
    ) { call throws(Failure) in
      let sources = try call.told(try await call.ask(SyncStatusRequest()))
      let server = try Self.monica.json(try await call.ask(MonicaStatusRequest()), in: call.zone)
      return .object((sources.members ?? []) + [.init(name: "monica", value: server)])
    }
  ]
}
