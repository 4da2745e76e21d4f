import Bus
import KithMessages

/// An in-memory `CommandJournal`, for tests of the router alone.
actor MemoryJournal: CommandJournal {
  private struct Row {
    var ticket: CommandTicket
    var request: [UInt8] = []
    var outcome: CommandOutcome?
  }

  private var rows: [String: Row] = [:]

  func recall(_ ticket: CommandTicket) throws(Failure) -> CommandOutcome? {
    guard let row = self.rows[Self.name(ticket)] else { return nil }
    guard row.ticket.fingerprint == ticket.fingerprint else {
      throw Failure(.invalidArgument, "IDEMPOTENCY_KEY_REUSED", "")
    }
    guard var outcome = row.outcome else { return nil }
    outcome.isReplayed = true
    return outcome
  }

  func accept(_ ticket: CommandTicket, request: [UInt8]) {
    self.rows[Self.name(ticket)] = Row(ticket: ticket, request: request)
  }

  func conclude(_ ticket: CommandTicket, with failure: Failure) {
    self.rows[Self.name(ticket)] =
      failure.isTransient
      ? nil : Row(ticket: ticket, outcome: CommandOutcome(status: failure.status, reply: [], effects: []))
  }

  func unfinished() -> [UnfinishedCommand] {
    self.rows.values.filter { $0.outcome == nil }.map { UnfinishedCommand(ticket: $0.ticket, request: $0.request) }
  }

  /// Does what a store does in the transaction of the effect.
  func store(_ ticket: CommandTicket, _ outcome: CommandOutcome) {
    self.rows[Self.name(ticket)] = Row(ticket: ticket, outcome: outcome)
  }

  var count: Int { self.rows.count }

  /// The commands that have ended.
  var outcomes: Int { self.rows.values.count { $0.outcome != nil } }

  private static func name(_ ticket: CommandTicket) -> String { "\(ticket.principal)/\(ticket.key)" }
}
