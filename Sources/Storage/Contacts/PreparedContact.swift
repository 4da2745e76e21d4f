public import Bus
public import KithMessages

/// A contact as it is written into the tables and found by search.
///
/// Making one takes about as long as writing it, and needs no transaction. Whoever writes many makes them before theirs,
/// because all other writes wait for a transaction.
public struct PreparedContact: Sendable {
  /// As it was given.
  public let contact: Contact
  let fields: [EngineValue]
  let lists: ContactLists
  let search: SearchText

  /// Prepares a contact.
  ///
  /// - Throws: `FIELD_INVALID` for a photo whose digest is none.
  public init(_ contact: Contact) throws(Failure) {
    self.contact = contact
    self.search = SearchText(of: contact)
    self.fields = try ContactRow.arguments(of: contact, sortKey: self.search.sortKey)
    self.lists = ContactLists(of: contact)
  }
}
