internal import Bus
internal import KithMessages

/// All fields of one record, as lines.
struct RecordCard<R: Record> {
  private let record: R
  private let names: PersonNames

  init(_ record: R, _ names: PersonNames) {
    self.record = record
    self.names = names
  }

  func lines(_ session: Session) -> [String] {
    let record = self.record
    let rows: [Details.Row] =
      record.facts(self.names, session) + [
        ("State", self.state), ("Last attempt", session.ago(record.lastAttemptAt)),
        ("Created", session.ago(record.createdAt)), ("Updated", session.ago(record.updatedAt)),
        ("Deleted", session.ago(record.deletedAt)), ("ID", session.ids[record.id]),
      ]
    return Details(title: record.headline(self.names), rows: rows, body: record.prose(self.names, session))
      .lines(session.console.style)
  }

  private var state: String {
    switch SyncState(rawValue: self.record.syncState) {
    case .here: ""
    case .pending: "waits for the server"
    case .syncing: "on its way to the server"
    case .synced: "on the server"
    case .failed: "refused by the server: \(self.record.syncError.message)"
    case .conflict: "changed here and on the server; resolve it with: kith monica conflicts"
    case nil: self.record.syncState
    }
  }
}

extension Session {
  /// Prints all fields of a record, after a line that tells what was done with it.
  func show<R: Record>(_ record: R, after news: String? = nil) async throws(Failure) {
    let names = await PersonNames.of([record], self)
    try await self.show(record, (news.map { [$0] } ?? []) + RecordCard(record, names).lines(self))
  }

  /// Prints that a record was deleted.
  ///
  /// - Parameter restoring: Whether to name the command that restores it.
  func showDeleted<R: Record>(_ record: R, restoring: Bool = false) async throws(Failure) {
    let names = await PersonNames.of([record], self)
    func advice() -> [String] {
      restoring ? ["To restore it: kith \(R.noun.command) restore \(Printable.text(self.ids[record.id]))"] : []
    }
    try await self.show(
      record, ["Deleted the \(R.noun.singular): \(Printable.text(record.headline(names)))"] + advice())
  }
}
