extension DatabaseView {
  /// The sources of contacts.
  public var sources: SourceTable<Self> { SourceTable(view: self) }
  /// What is known of the cards of the sources.
  public var cards: CardTable<Self> { CardTable(view: self) }
  /// The contacts.
  public var contacts: ContactTable<Self> { ContactTable(view: self) }
  /// What was wrong with cards.
  public var problems: ProblemTable<Self> { ProblemTable(view: self) }
  /// The pictures of contacts.
  public var photos: PhotoTable<Self> { PhotoTable(view: self) }
}
