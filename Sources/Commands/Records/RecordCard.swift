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
    let (record, say) = (self.record, session.language)
    let rows: [Details.Row] =
      record.facts(self.names, session) + [
        (say("State", "状態"), self.state(say)), (say("Last attempt", "最後の送信"), session.ago(record.lastAttemptAt)),
        (say("Created", "登録"), session.ago(record.createdAt)), (say("Updated", "更新"), session.ago(record.updatedAt)),
        (say("Deleted", "削除"), session.ago(record.deletedAt)), ("ID", session.ids[record.id]),
      ]
    return Details(title: record.headline(self.names, say), rows: rows, body: record.prose(self.names, session))
      .lines(session)
  }

  private func state(_ say: Language) -> String {
    switch SyncState(rawValue: self.record.syncState) {
    case .here: ""
    case .pending: say("waits for the server", "サーバーへの送信待ち")
    case .syncing: say("on its way to the server", "サーバーに送信中")
    case .synced: say("on the server", "サーバーに保存済み")
    case .failed:
      say("refused by the server: ", "サーバーが拒否: ") + Failure(status: self.record.syncError).read(in: say).message
    case .conflict:
      say(
        "changed here and on the server; resolve it with: kith monica conflicts",
        "こちらとサーバーの両方で変更されています。選ぶには: kith monica conflicts")
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
    let (names, say) = (await PersonNames.of([record], self), self.language)
    func advice() -> [String] {
      let command = "kith \(R.noun.command) restore \(Printable.text(self.ids[record.id]))"
      return restoring ? [say("To restore it: \(command)", "元に戻すには: \(command)")] : []
    }
    let title = Printable.text(record.headline(names, say))
    try await self.show(
      record, [say("Deleted the \(R.noun.singular): \(title)", "\(R.noun.japanese)を削除しました: \(title)")] + advice())
  }
}
