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
  func lines(_ session: Session) -> [String] {
    guard !self.records.isEmpty else { return ["No \(R.noun.plural) found."] }
    var table = Table(
      [("PERSON", .left)] + R.headings + [("STATE", .left), ("ID", .left)], hidesEmpty: true)
    for record in self.records {
      let owner = self.showsOwner && !record.ownerID.isEmpty ? self.names[record.ownerID] : ""
      table.add([owner] + record.cells(self.names, session) + [record.mark, record.id])
    }
    return table.lines(session.console.style)
  }
}

extension Session {
  /// Prints one page of records.
  func show<Page: RecordPage>(page: Page, showsOwner: Bool) async throws(Failure)
  where Page.Record: Record {
    let names = await PersonNames.of(page.records, self)
    try self.show(
      page, RecordTable(page.records, names, showsOwner: showsOwner).lines(self) + PageOptions.more(page.nextCursor))
  }
}
