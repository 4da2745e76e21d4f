internal import Bus
internal import KithMessages

/// A table of records of one kind.
struct RecordTable<R: Record> {
  private let records: [R]
  private let names: PersonNames
  private let showsOwner: Bool

  /// - Parameter showsOwner: Whether it has a column for the person.
  init(_ records: [R], _ names: PersonNames, showsOwner: Bool = false) {
    self.records = records
    self.names = names
    self.showsOwner = showsOwner
  }

  /// The lines of the table, or a sentence if there are no records.
  ///
  /// - Parameter indent: Columns of the terminal that are left free on the left.
  func lines(_ session: Session, indent: Int = 0) -> [String] {
    guard !self.records.isEmpty else { return [Self.nothing(session.language)] }
    return self.table(session).lines(session, indent: indent)
  }

  private static func nothing(_ say: Language) -> String {
    say("No \(R.noun.plural) found.", "\(R.noun.japanese)はありません。")
  }

  /// The table, for those who put lines between its rows.
  func table(_ session: Session) -> Table {
    var table = Table(
      [Column("PERSON", "人", wraps: true)] + R.headings + [Column("STATE", "状態", drops: 9), Column("ID")],
      hidesEmpty: true)
    for record in self.records {
      let owner = self.showsOwner && !record.ownerID.isEmpty ? self.names[record.ownerID] : ""
      table.links.merge(record.links) { first, _ in first }
      table.add([owner] + record.cells(self.names, session) + [record.mark(session.language), session.ids[record.id]])
    }
    return table
  }
}

extension Session {
  /// Prints one page of records.
  func show<Page: RecordPage>(page: Page, showsOwner: Bool) async throws(Failure)
  where Page.Record: Record {
    let names = await PersonNames.of(page.records, self)
    try await self.show(
      page,
      RecordTable(page.records, names, showsOwner: showsOwner).lines(self)
        + PageOptions.more(page.nextCursor, self.language))
  }
}
