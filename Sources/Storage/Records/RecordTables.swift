extension DatabaseView {
  /// People and what happened with them.
  public var records: RecordTable<Self> { RecordTable(view: self) }
  /// What waits for the server.
  public var outbox: OutboxTable<Self> { OutboxTable(view: self) }
  /// The accounts on Monica servers.
  public var accounts: AccountTable<Self> { AccountTable(view: self) }
  /// The names that the server knows for genders and types.
  public var catalog: CatalogTable<Self> { CatalogTable(view: self) }
  /// The templates of calls.
  public var templates: TemplateTable<Self> { TemplateTable(view: self) }
  /// Which contacts of the address book are which people.
  public var links: LinkTable<Self> { LinkTable(view: self) }
}
